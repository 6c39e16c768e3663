"""Stores games in SQLite files, and reads, checks, exports and merges them."""
