"""What annotators see and do."""
