"""From a file to a project: what is read of it, which checks are planted, in which order."""
