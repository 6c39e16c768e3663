"""Environments of which only `step` is known: their chances are drawn, not listed."""
