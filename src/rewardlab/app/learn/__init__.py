"""The lessons, their quiz and their cards."""
