"""Small worlds whose real goal is known: what can be answered, and who rates the answers."""
