"""Agents in processes of their own: the line protocol, who speaks it, and who ends it."""
