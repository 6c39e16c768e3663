"""Backgammon positions and games in the formats of GNU Backgammon and eXtreme Gammon."""
