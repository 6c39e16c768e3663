"""Games of environments whose chance outcomes are sampled by `step`, not listed."""
