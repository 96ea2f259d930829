"""rewardlab: a laboratory for reward models.

The reward goes up; is the model getting better, and when does that stop?
"""

__version__ = "0.1.0"
