"""What a reward is worth: on votes, on scored samples, along an optimisation against it."""
