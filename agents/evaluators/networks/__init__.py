"""The shipped networks: one file a game, named in its kit."""
