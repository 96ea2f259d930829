"""Preference files sent by a browser: bounded, read and fitted apart from the server."""
