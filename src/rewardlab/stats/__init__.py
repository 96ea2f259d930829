"""Intervals, resampling and corrections: statistics that know nothing of rewards."""
