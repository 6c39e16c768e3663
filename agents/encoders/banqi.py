"""Encodes banqi for networks."""

from typing import Any

import numpy as np

from starspiel.agents.encoders.base import BeforeTheDice, Features
from starspiel.envs.base import CHANCE
from starspiel.envs.openspiel.keys import quiet_moves


class BanqiEncoder(BeforeTheDice):
    """Own and other pieces by type and square, squares with pieces face down, and what may be turned up."""

    name = "banqi"
    version = 1
    _SQUARES, _TYPES = 32, 7
    _SIDE = _TYPES * _SQUARES
    _DOWN = 2 * _SIDE
    _PENDING = _DOWN + _SQUARES
    _POOL = _PENDING + _SQUARES
    _QUIET = _POOL + 2 * _TYPES
    _UNKNOWN = _QUIET + 1
    units = np.array([1] * _POOL + [0.25] * (2 * _TYPES) + [1 / 32, 1], dtype=np.float32)

    def turn(self, state: Any) -> int:
        player = int(state.current_player())
        # While a piece is being turned up, only the text shows whose turn it is.
        return int(str(state).partition("Player: ")[2][0]) if player == CHANCE else player

    def sees(self, state: Any) -> bool:
        return True

    def encode(self, state: Any) -> Features:
        turn = self.turn(state)
        drawn, _, players = str(state).partition("Player: ")
        first = "RB".find(players.partition("P0=")[2][:1]) if "P0=" in players else -1
        color = 0 if first < 0 else first if turn == 0 else 1 - first
        history = state.history()
        pending = history[-1] if state.current_player() == CHANCE else -1
        features: Features = []
        for square, sign in enumerate(drawn.split()):
            if sign == "?":
                features.append(((self._PENDING if square == pending else self._DOWN) + square, 1))
            elif sign != ".":
                side = int(sign.islower() != bool(color))
                kind = "GAERHCS".index(sign.upper())
                features.append((side * self._SIDE + kind * self._SQUARES + square, 1))
        face_down = drawn.count("?")
        if face_down:  # the outcomes of turning one up show which pieces these are
            turning = state if pending >= 0 else state.child(state.legal_actions()[0])
            for piece, chance in turning.chance_outcomes():
                side = int(piece // self._TYPES != color)
                at = self._POOL + side * self._TYPES + piece % self._TYPES
                features.append((at, round(chance * face_down)))
        quiet = quiet_moves(history if pending < 0 else history[:-1])
        if quiet:
            features.append((self._QUIET, min(quiet, 100)))
        if first < 0:
            features.append((self._UNKNOWN, 1))
        return sorted(features)
