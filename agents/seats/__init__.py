"""Agents in their own processes: the seat protocol, its two ends, and the processes."""
