"""The systems in a browser, and as a copy for any file server."""
