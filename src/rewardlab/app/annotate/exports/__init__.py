"""What annotators said, to take along."""
