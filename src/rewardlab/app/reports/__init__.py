"""Audits: running them, keeping them, showing them."""
