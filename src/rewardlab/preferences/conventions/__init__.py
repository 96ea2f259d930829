"""The conventions of files of preferences and their kin, one family a module.

A new one is a ``Convention`` in a module here, listed in ``ALL``: the columns it goes by, and a
function that reads a row of it.
"""

from rewardlab.preferences.conventions.alpaca import ALPACA
from rewardlab.preferences.conventions.arena import ARENA, ARENA_ONE_HOT
from rewardlab.preferences.conventions.convention import Convention
from rewardlab.preferences.conventions.crowd import CROWD
from rewardlab.preferences.conventions.indexed import HELPSTEER, PKU, SHP
from rewardlab.preferences.conventions.native import NATIVE
from rewardlab.preferences.conventions.rankings import RANKINGS
from rewardlab.preferences.conventions.ratings import RATINGS, RATINGS_LIST
from rewardlab.preferences.conventions.steps import FIRST_MISTAKE, STEPWISE
from rewardlab.preferences.conventions.unpaired import UNPAIRED
from rewardlab.preferences.conventions.verl import VERL_PROMPTS
from rewardlab.preferences.conventions.vote_lists import VOTES
from rewardlab.preferences.conventions.winner_first import HH, TRL_EXPLICIT, TRL_IMPLICIT

ALL: tuple[Convention, ...] = (
    NATIVE,
    TRL_EXPLICIT,
    TRL_IMPLICIT,
    HH,
    ARENA,
    ARENA_ONE_HOT,
    CROWD,
    ALPACA,
    VOTES,
    PKU,
    HELPSTEER,
    SHP,
    RANKINGS,
    UNPAIRED,
    STEPWISE,
    FIRST_MISTAKE,
    RATINGS,
    RATINGS_LIST,
    VERL_PROMPTS,
)
"""Every convention that is recognised."""
