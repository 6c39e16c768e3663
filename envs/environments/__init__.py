"""Games as Gymnasium environments, and what they are asked for."""
