"""Worlds whose every answer can be listed, so that each figure is exact."""
