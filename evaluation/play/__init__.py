"""One game, and what it leaves behind."""
