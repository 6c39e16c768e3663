"""Every game on file."""
