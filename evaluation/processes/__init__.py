"""Where games are played: local workers, a cluster, a process of one's own."""
