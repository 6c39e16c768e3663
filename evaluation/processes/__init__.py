"""Executors: this process, local workers, or a cluster."""
