"""One strength for each item: Bradley-Terry and its kin, by counts, with what can be trusted."""
