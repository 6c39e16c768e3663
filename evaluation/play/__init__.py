"""Plays single games and records them, and schedules pairs and blocks of games."""
