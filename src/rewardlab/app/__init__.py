"""The web lab: the laboratory, its systems, the lessons and the audits, served to a browser."""
