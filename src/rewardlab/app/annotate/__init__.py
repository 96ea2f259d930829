"""Annotation: people judge pairs of a project, blind and side by side, and nothing is lost."""
