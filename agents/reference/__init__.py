"""Opponents that others made and many have been measured against."""
