"""What the admin of a project sees and does."""
