"""The one-file report: a page that opens without network or scripts, and its summary sentences."""
