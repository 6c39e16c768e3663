"""envs/games"""
