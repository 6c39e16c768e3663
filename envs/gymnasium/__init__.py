"""Makes Gymnasium and PettingZoo environments games that can be searched."""
