"""Running code that is not trusted: apart, limited, its output taken as data."""
