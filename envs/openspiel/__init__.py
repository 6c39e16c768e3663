"""OpenSpiel's games for search, and games of one's own for OpenSpiel."""
