"""Games as PettingZoo environments."""
