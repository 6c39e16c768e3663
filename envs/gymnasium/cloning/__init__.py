"""Copies of a Gymnasium environment with independent dice."""
