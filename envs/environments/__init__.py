"""Games as Gymnasium environments."""
