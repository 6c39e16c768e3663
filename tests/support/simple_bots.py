"""Simple bots, and what is the same of a tournament however it is played."""

import random

import pyspiel


class RandomBot(pyspiel.Bot):
    def __init__(self, seed):
        super().__init__()
        self.rng = random.Random(seed)

    def step(self, state):
        return self.rng.choice(state.legal_actions())


class HoldAt(pyspiel.Bot):
    """Pig: rolls until the turn total reaches `goal`."""

    def __init__(self, goal):
        super().__init__()
        self.goal = goal

    def step(self, state):
        held = int(str(state).split("Turn total: ")[1].split()[0])
        return state.legal_actions()[-1 if held >= self.goal else 0]


class Broken(pyspiel.Bot):
    def step(self, state):
        raise ValueError("lost my head")


def random_bot(game, seat, seed):
    return RandomBot(seed)


def broken(game, seat, seed):
    return Broken()


def moves(result):
    return [(record.pair, [game.actions for game in record.games]) for record in result.pairs]


def untimed(result):
    answer = result.to_dict()
    del answer["seconds"]
    for agent in answer["agents"]:
        del agent["cpu_seconds_per_move"]
    return answer
