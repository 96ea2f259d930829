"""Whole runs in exact worlds: label, fit rewards, optimise them, measure the gold that is left."""
