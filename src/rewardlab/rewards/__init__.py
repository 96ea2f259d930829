"""Rewards: learned from comparisons, rankings or ratings, or given by rubrics and steps."""
