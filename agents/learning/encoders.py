"""What a network sees of a position: a sparse vector of whole numbers, by the side of who is about to act.

Each encoder is the twin of one in native/encoders, input for input: tests/native/test_encoders.py.
"""

from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

import numpy as np
import pyspiel
from numpy.typing import NDArray

from starspiel.agents.evaluators.heuristics.maedn import fields_walked
from starspiel.agents.learning.rules_encoder import RulesEncoder, has_features
from starspiel.agents.learning.rules_encoders import RULES_ENCODERS
from starspiel.agents.solve.yacht import view
from starspiel.envs.base import CHANCE, Game
from starspiel.envs.errors import SpecError
from starspiel.envs.openspiel.game import OpenSpielGame
from starspiel.envs.openspiel.keys import quiet_moves
from starspiel.envs.rules import Rules

#: (input, count), ascending by input; counts are not zero.
Features = list[tuple[int, int]]

#: The most inputs of an observation: the native core numbers them by 16 bits.
_MOST = 65535


@runtime_checkable
class Encoder(Protocol):
    """What a network sees of the positions of one game.

    Attributes:
        name, version: what files of networks name; a change of meaning raises the version.
        units: what one count of each input is worth to the network.
    """

    name: str
    version: int
    units: NDArray[np.float32]

    def turn(self, state: Any) -> int:
        """The player about to act, by whose side the position is seen; at a chance node who acts next."""

    def placed(self, state: Any) -> bool:
        """Whether chance is done with placing the pieces; before, a network knows nothing."""

    def sees(self, state: Any) -> bool:
        """Whether the inputs tell all of the position; False where dice lie that they omit."""

    def encode(self, state: Any) -> Features:
        """The inputs that are not zero."""


class _Placed:
    """Of games where the pieces stand from the beginning."""

    def placed(self, state: Any) -> bool:
        return True


class BackgammonEncoder(_Placed):
    """Tesauro's four inputs a point and side (1995), bars, men off, pips, and whether there is contact."""

    name = "backgammon"
    version = 1
    _SIDE = 24 * 4 + 3
    units = np.array(
        ([1, 1, 1, 0.5] * 24 + [0.5, 1 / 15, 1 / 100]) * 2 + [1],
        dtype=np.float32,
    )

    def turn(self, state: Any) -> int:
        return _next_to_act(state)

    def sees(self, state: Any) -> bool:
        # The opening roll decides who begins.
        return bool(state.current_player() == CHANCE and state.move_number() > 0)

    def encode(self, state: Any) -> Features:
        turn = self.turn(state)
        observed = state.observation_tensor(0)
        features: Features = []
        farthest = []
        for side, player in enumerate((turn, 1 - turn)):
            base = side * self._SIDE
            bar, off = int(observed[192 + 3 * player]), int(observed[193 + 3 * player])
            pips, most = 25 * bar, 25 if bar else 0
            for distance in range(1, 25):
                men = state.board(player, 24 - distance if player == 0 else distance - 1)
                if men == 0:
                    continue
                pips += distance * men
                most = max(most, distance)
                first = base + 4 * (distance - 1)
                features.append((first + min(men, 3) - 1, 1))
                if men > 3:
                    features.append((first + 3, men - 3))
            features += [
                (base + 96 + place, count)
                for place, count in enumerate((bar, off, pips))
                if count or place == 2
            ]
            farthest.append(most)
        if sum(farthest) > 25:
            features.append((2 * self._SIDE, 1))
        return features


class EinsteinEncoder:
    """Which stone stands where, the board turned so that who is about to roll walks to the last square."""

    name = "einstein_wurfelt_nicht"
    version = 1
    _SQUARES, _STONES = 25, 6
    _SIDE = _STONES * (_SQUARES + 1)
    units = np.ones(2 * _SIDE, dtype=np.float32)

    def turn(self, state: Any) -> int:
        return _next_to_act(state)

    def placed(self, state: Any) -> bool:
        return bool(state.move_number() > 1)  # The first two outcomes place the stones.

    def sees(self, state: Any) -> bool:
        return bool(state.current_player() == CHANCE and self.placed(state))

    def encode(self, state: Any) -> Features:
        turn = self.turn(state)
        text = str(state)
        squares = [[self._SQUARES] * self._STONES for _ in range(2)]
        for square in range(self._SQUARES):
            place = (
                square * 4 + square // 5 + 1
            )  # A square is four characters, and a row ends with a line feed.
            owner = "bw".find(text[place])
            if owner >= 0:
                squares[owner][int(text[place + 1]) - 1] = square if turn == 0 else self._SQUARES - 1 - square
        return [
            (side * self._SIDE + stone * (self._SQUARES + 1) + square, 1)
            for side, player in enumerate((turn, 1 - turn))
            for stone, square in enumerate(squares[player])
        ]


class MaednEncoder(_Placed):
    """The fields of each side's pieces, how many are at home, and by how many each may be captured.

    Fields are counted from the side's own start. A piece may be captured by those of the other side that
    stand up to six fields behind it (one roll), or seven to twelve (two); those at home are one piece, six
    fields before its start.
    """

    name = "maedn"
    version = 2
    _FIELDS, _COMMON, _ROLL = 44, 40, 6
    _NEAR = _FIELDS + 4
    _FAR = _NEAR + _COMMON
    _SIDE = _FAR + _COMMON
    units = np.ones(2 * _SIDE, dtype=np.float32)

    def __init__(self, game: OpenSpielGame) -> None:
        opposite = game.pyspiel_game.get_parameters()["twoPlayersOpposite"]
        seats = (0, 2 if opposite else 1)
        self._walked = tuple(map(fields_walked, seats))
        self._shift = (10 * (seats[0] - seats[1]), 10 * (seats[1] - seats[0]))

    def turn(self, state: Any) -> int:
        return _next_to_act(state)

    def sees(self, state: Any) -> bool:
        return bool(state.current_player() == CHANCE)

    def encode(self, state: Any) -> Features:
        turn = self.turn(state)
        text = str(state)
        pieces = [
            sorted(way[at] - 1 for at in way if text[at] == seen)
            for way, seen in zip(self._walked, "12", strict=True)
        ]
        features: Features = []
        for side, player in enumerate((turn, 1 - turn)):
            own, others = pieces[player], pieces[1 - player]
            first = side * self._SIDE
            features += [(first + field, 1) for field in own]
            if len(own) < 4:
                features.append((first + self._FIELDS + 3 - len(own), 1))
            coming = others if len(others) == 4 else [-self._ROLL, *others]
            for start, reach in ((self._NEAR, 1), (self._FAR, 1 + self._ROLL)):
                for field in own:
                    if field < self._COMMON:
                        met = (field + self._shift[player]) % self._COMMON
                        behind = sum(reach <= met - other < reach + self._ROLL for other in coming)
                        features += [(first + start + field, behind)] if behind else []
        return features


class BanqiEncoder(_Placed):
    """Own and other pieces by type and square, what lies face down where, and what may be turned up."""

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
        # The text shows whose turn it is while a piece is being turned up.
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
                side = 0 if (0 if sign.isupper() else 1) == color else 1
                kind = "GAERHCS".index(sign.upper())
                features.append((side * self._SIDE + kind * self._SQUARES + square, 1))
        for piece, count in self._face_down(state, drawn.count("?")):
            side = 0 if piece // self._TYPES == color else 1
            features.append((self._POOL + side * self._TYPES + piece % self._TYPES, count))
        quiet = quiet_moves(history if pending < 0 else history[:-1])
        if quiet:
            features.append((self._QUIET, min(quiet, 100)))
        if first < 0:
            features.append((self._UNKNOWN, 1))
        return sorted(features)

    @staticmethod
    def _face_down(state: Any, count: int) -> list[tuple[int, int]]:
        """Which pieces are face down, and how many of each: the outcomes of turning one up tell."""
        if count == 0:
            return []
        turning = state if state.current_player() == CHANCE else state.child(state.legal_actions()[0])
        return [(piece, round(probability * count)) for piece, probability in turning.chance_outcomes()]


class PigEncoder(_Placed):
    """Scores, the turn total and what stopping would bring, in twentieths of the goal and as numbers."""

    name = "pig"
    version = 1
    _STEPS = 20
    _ROLLING = 4 * (_STEPS + 1)
    _MOST = 32767

    def __init__(self, game: OpenSpielGame) -> None:
        self._goal: int = game.pyspiel_game.get_parameters()["winscore"]
        number = np.append(np.ones(self._STEPS, np.float32), np.float32(1) / np.float32(self._goal))
        self.units = np.append(np.tile(number, 4), np.float32(1))

    def turn(self, state: Any) -> int:
        return int(str(state).partition("Current player: ")[2][0])

    def sees(self, state: Any) -> bool:
        return True

    def encode(self, state: Any) -> Features:
        text = str(state)
        scores, total = text.partition("\n")[0].removeprefix("Scores: ").split(", Turn total: ")
        points = [int(score) for score in scores.split()]
        turn = self.turn(state)
        own, other, more = points[turn], points[1 - turn], int(total)
        features: Features = []
        for place, number in enumerate((own, other, more, own + more)):
            base, count = place * (self._STEPS + 1), min(max(number, 0), self._MOST)
            features.append((base + min(self._STEPS - 1, count * self._STEPS // self._goal), 1))
            if count:
                features.append((base + self._STEPS, count))
        return [*features, (self._ROLLING, 1)] if state.current_player() == CHANCE else features


class YachtEncoder(_Placed):
    """Filled categories, totals and their difference, throws so far, and how many of each face are kept."""

    name = "yacht"
    version = 1
    _CATEGORIES = 12
    _TOTALS = 2 * _CATEGORIES
    _THROWS = _TOTALS + 3
    _MOST_THROWS = 3
    _FACES = _THROWS + _MOST_THROWS

    def __init__(self, game: OpenSpielGame) -> None:
        parameters = game.pyspiel_game.get_parameters()
        self._dice = int(parameters["num_dice"])
        self.units = np.ones(self._FACES + self._dice * int(parameters["dice_sides"]), dtype=np.float32)
        self.units[self._TOTALS : self._THROWS] = 1 / 50

    def turn(self, state: Any) -> int:
        return view(state).turn

    def sees(self, state: Any) -> bool:
        return bool(state.current_player() == CHANCE)

    def encode(self, state: Any) -> Features:
        seen = view(state)
        sides = (seen.turn, 1 - seen.turn)
        features: Features = [
            (side * self._CATEGORIES + category, 1)
            for side, player in enumerate(sides)
            for category in range(self._CATEGORIES)
            if seen.filled[player] >> category & 1
        ]
        own, other = (seen.totals[player] for player in sides)
        totals = enumerate((own, other, own - other))
        features += [(self._TOTALS + place, total) for place, total in totals if total]
        features.append((self._THROWS + min(seen.thrown, self._MOST_THROWS - 1), 1))
        return features + [
            (self._FACES + (face - 1) * self._dice + seen.dice.count(face) - 1, 1)
            for face in sorted(set(seen.dice))
        ]


class ObservationEncoder(_Placed):
    """The observation tensor of the player about to act, in 256ths, and whether that is the second player.

    For games that have no encoder of their own. Entries beyond 128 of either sign count as 128.

    Raises SpecError where the tensor is too large.
    """

    name = "observation"
    version = 1

    def __init__(self, game: OpenSpielGame) -> None:
        self._size: int = game.pyspiel_game.observation_tensor_size()
        if self._size > _MOST:
            raise SpecError(
                f"{game.name} has an observation tensor of {self._size:,} entries; "
                f"networks see at most {_MOST:,}. Use heuristic, rollout or zero."
            )
        self.units = np.append(np.full(self._size, 1 / 256, dtype=np.float32), np.float32(1))

    def turn(self, state: Any) -> int:
        return int(state.current_player())

    def sees(self, state: Any) -> bool:
        return bool(state.current_player() >= 0)

    def encode(self, state: Any) -> Features:
        turn = self.turn(state)
        counts = np.rint(np.clip(np.array(state.observation_tensor(turn)) * 256, -32768, 32767)).astype(int)
        features = [(int(at), int(counts[at])) for at in np.flatnonzero(counts)]
        return [*features, (self._size, 1)] if turn == 1 else features


def _next_to_act(state: Any) -> int:
    """The player about to act; at a chance node the one who acts after the first outcome of some chance."""
    while (player := state.current_player()) == CHANCE:
        state = state.child(next(outcome for outcome, chance in state.chance_outcomes() if chance > 0))
    return int(player)


_OWN: dict[str, Callable[[OpenSpielGame], Encoder]] = {
    "backgammon": lambda game: BackgammonEncoder(),
    "banqi": lambda game: BanqiEncoder(),
    "einstein_wurfelt_nicht": lambda game: EinsteinEncoder(),
    "maedn": MaednEncoder,
    "pig": PigEncoder,
    "yacht": YachtEncoder,
}


def encoder_of(game: Game) -> Encoder | None:
    """The encoder of a game's positions; None where there is none, and no observation tensor of OpenSpiel's.

    Raises SpecError where the observation tensor is too large.
    """
    if isinstance(game, Rules):
        if (own := RULES_ENCODERS.get(type(game))) is not None:
            return own(game)
        return RulesEncoder(game) if has_features(game) else None
    if not isinstance(game, OpenSpielGame):
        return None
    kind: pyspiel.GameType = game.pyspiel_game.get_type()
    if kind.short_name in _OWN:
        return _OWN[kind.short_name](game)
    return ObservationEncoder(game) if kind.provides_observation_tensor else None
