"""The networks that come with the package: one file a game, named in its kit."""
