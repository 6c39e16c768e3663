"""Static evaluators, one file a game."""
