"""Provides executors, which play pairs in this process, in local workers, or on a cluster."""
