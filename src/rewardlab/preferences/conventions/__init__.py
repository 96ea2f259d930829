"""The conventions of files of preferences and their kin, one family a module."""

from rewardlab.preferences.conventions.convention import Convention
from rewardlab.preferences.conventions.native import NATIVE
from rewardlab.preferences.conventions.winner_first import HH, TRL_EXPLICIT, TRL_IMPLICIT

ALL: tuple[Convention, ...] = (NATIVE, TRL_EXPLICIT, TRL_IMPLICIT, HH)
"""Every convention that is recognised."""
