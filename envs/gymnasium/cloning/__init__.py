"""Copies of a Gymnasium environment that throw dice of their own."""
