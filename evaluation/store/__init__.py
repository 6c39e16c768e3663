"""Stores: SQLite files of games."""
