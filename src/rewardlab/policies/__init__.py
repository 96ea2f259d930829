"""Optimising against a reward: listed answers, exactly or by sampling; recorded samples."""
