"""Bots for games in which all players move at once, as modules and as objects."""

import random

from starspiel.envs.base import SIMULTANEOUS, joint_child


class Follower:
    """Follows the game from what it is told alone; raises if that, or what it is shown, is not the game."""

    def __init__(self, game, player, seed):
        self.player = player
        self.rng = random.Random(seed)
        self.own = game.new_initial_state()
        self.answer = None

    def step(self, state):
        assert state.current_player() == SIMULTANEOUS
        assert state.history() == self.own.history(), "it is shown the choices of all moves but this one"
        self.answer = self.rng.choice(state.legal_actions(self.player))
        return self.answer

    def inform_action(self, state, player, action):
        assert player == -1
        self.own.apply_action(action)

    def inform_actions(self, state, actions):
        assert actions[self.player] == self.answer
        assert state.history() == self.own.history()
        self.own = joint_child(self.own, actions)


class Faulty(Follower):
    """Plays an illegal action in the `turn`-th turn, from 1."""

    def __init__(self, game, player, seed, turn=1):
        super().__init__(game, player, seed)
        self.left = turn

    def step(self, state):
        self.left -= 1
        return super().step(state) if self.left else 99
