"""Backgammon positions and games as GNU Backgammon and eXtreme Gammon write them."""
