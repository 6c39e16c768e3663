"""Bots that attack others, and one that notices; all play on, from the seed alone."""

import gc
import os
import random
import sys
import threading
import time

import numpy as np


class Player:
    """Random legal moves; `attack` is called at its third move."""

    last_nodes = None

    def __init__(self, seed, attack="nothing"):
        self._rng = random.Random(seed)
        self._attack = attack
        self._moves = 0

    def step(self, state):
        self._moves += 1
        if self._moves == 3:
            globals()[self._attack]()
        return self._rng.choice(state.legal_actions())


def nothing():
    pass


def every_way():
    """All attacks of the trial that leave their own process able to play."""
    foresee()
    np.seterr(all="raise")
    os.chdir("/")
    os.environ.clear()
    random.seed(1)
    np.random.seed(1)
    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
    threading.Timer(0.01, fail_later).start()
    sys.setrecursionlimit(200)
    forge()
    print("x" * 10**6)


def fail_later():
    raise RuntimeError("from a thread that was left behind")


def forge():
    """Takes over what a referee would call, were it here."""
    import starspiel.agents.seats.process as process
    import starspiel.evaluation.play.match as match

    match.play_game = process.SeatProcess.ask = lambda *given, **named: 1 / 0


def interrupt():
    raise KeyboardInterrupt


def foresee():
    """Looks for the dice wherever Python can look; to find any is an error."""
    names = {"Dice", "Job", "Rolls", "Settings", "PairRecord"}
    found = {type(thing).__name__ for thing in gc.get_objects()} & names
    frame = sys._getframe()
    while frame is not None:
        found |= {name for name in frame.f_locals if name in ("dice", "job", "rolls", "meeting")}
        frame = frame.f_back
    if found:
        raise AssertionError(f"found {sorted(found)}")


class Witness(Player):
    """Notices whatever others could have done to it."""

    def step(self, state):
        state.legal_actions()
        noticed = [
            name
            for name, changed in (
                ("seterr", np.geterr()["over"] == "raise"),
                ("chdir", "starspiel-seat-" not in os.getcwd()),
                ("environ", not os.environ),
                ("threads", threading.active_count() != 1),
                ("recursion", sys.getrecursionlimit() != 1000),
            )
            if changed
        ]
        if noticed:
            raise AssertionError(f"noticed {noticed}")
        return super().step(state)
