"""Sampled environments: chance outcomes are drawn by `step`, not listed."""
