"""Gymnasium environments for search, and games as Gymnasium environments."""
