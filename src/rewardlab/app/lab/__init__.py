"""The page on which visitors label, fit and optimise, and what they did there."""
