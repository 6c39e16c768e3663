"""Computes the statistics of tournaments: scores, ratings, intervals and tests."""
