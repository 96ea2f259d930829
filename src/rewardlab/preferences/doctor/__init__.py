"""The doctor of preference data: what is wrong with a file before anything is trained on it."""

from rewardlab.preferences.doctor.bias import LengthFacts
from rewardlab.preferences.doctor.diagnosis import Diagnosis, Reader, examine
from rewardlab.preferences.doctor.thresholds import ROW_CHECKS, Thresholds

__all__ = ["ROW_CHECKS", "Diagnosis", "LengthFacts", "Reader", "Thresholds", "examine"]
