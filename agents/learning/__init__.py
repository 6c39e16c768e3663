"""From self-play to a file that `net(file=…)` reads."""
