"""The shipped n-tuple networks: one file a game, named in its kit."""
