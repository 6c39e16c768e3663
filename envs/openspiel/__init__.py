"""Adapts OpenSpiel's games for search, and starspiel's games for OpenSpiel."""
