"""The native core (native/*.cpp). Loaded by starspiel.agents.native_loader, never imported directly.

features and open_spiel_minimax serve tests and benchmarks. `state` is a pyspiel state or, if that is said, a
RulesPosition.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: The open_spiel version this module was compiled for; it works with no other.
open_spiel_version: str
#: SHA-256 of this file when the module was built: it fits no other Python files.
interface: str
#: How many players its searches take.
most_players: int

class RulesPosition:
    """A position of rules written in Python, for the core's model of them; see native/rules/position.hpp."""

    def __init__(self, model: str, parameters: Sequence[int], numbers: Sequence[int], state: Any) -> None:
        """Takes the model's name, the rules' parameters, the position, and Python's state of it.

        Raises ValueError if there is no model for these parameters, or the numbers are no position.
        """

class Options:
    """How to search; the meanings are those of native/search/options.hpp."""

    def __init__(
        self,
        *,
        prune: bool,
        probes: int,
        bounds: tuple[float, float],
        value_range: tuple[float, float],
        merge: bool | None,
        order: bool,
        table_bytes: int,
        probe_depth: int = 2,
        batch: bool = True,
        threads: int = 1,
        opponent: int = -9,
        perspective: int = -9,
        maxn: bool = False,
        total: float = ...,
        filter: tuple[int, float, int, float] | None = None,
        fits: Sequence[tuple[float, float, float]] = (),
    ) -> None: ...

class Zero:
    """The evaluator of agents/evaluators/zero.py."""

class Heuristic:
    """The heuristic of the model of the state's game."""

class Rollouts:
    """The evaluator of random games: `count` of them a state, drawn as random.Random draws."""

    def __init__(self, count: int) -> None: ...
    #: random.getstate()[1].
    random_state: Sequence[int]

class Arrays:
    """A function of float32 arrays (n, inputs), which returns n float64 values of the player about to act."""

    def __init__(
        self, function: Callable[[NDArray[np.float32]], NDArray[np.float64]], inputs: int
    ) -> None: ...

class Function:
    """A function of a state that is not terminal, which returns the value of it that counts: player 0's, that
    of the options' perspective, or in max^n each player's."""

    def __init__(self, function: Callable[[Any], float] | Callable[[Any], Sequence[float]]) -> None: ...

def batch_function(
    function: Callable[[list[Any]], Sequence[float]] | Callable[[list[Any]], Sequence[Sequence[float]]],
) -> Function:
    """A function of a list of such states, which returns the value of each."""

class Bearoff:
    """Copies of the tables of agents/bearoff: the chances of one side's positions to need so many rolls, the
    chance to win for who is about to roll if both sides have few men, and that of all men still on."""

    def __init__(
        self,
        one_sided: NDArray[np.float64],
        two_sided: NDArray[np.float64],
        all_on: NDArray[np.float64],
    ) -> None: ...

class BearoffFirst:
    """The evaluator that asks the tables if they know the position, and otherwise the other evaluator."""

    def __init__(self, tables: Bearoff, other: Any) -> None: ...

class Solo:
    """The evaluator solo of yacht: the tables of agents/solve/categories.py."""

    def __init__(
        self,
        *,
        dice: int,
        throws: int,
        first_roll: int,
        codes: Sequence[int],
        index: Sequence[int],
        scores: Sequence[Sequence[float]],
        chances: Sequence[Sequence[float]],
        choices: Sequence[Sequence[int]],
        means: Sequence[float],
        squares: Sequence[float],
    ) -> None: ...

#: (weights, bias) a layer; weights have a row for each input.
#: Features (input, count) of all positions, the end of each position in these, the targets of the outputs,
#: and the end of each game in positions.
_Lessons = tuple[NDArray[Any], NDArray[np.uint32], NDArray[np.float32], NDArray[np.uint32]]
_Layers = Sequence[tuple[NDArray[np.float32], NDArray[np.float32]]]

class Network:
    """The evaluator of a multilayer perceptron over an encoder's inputs; see agents/evaluators/network.py."""

    def __init__(
        self,
        layers: _Layers,
        units: Sequence[float] | NDArray[np.float32],
        returns: Sequence[float],
        small: Network | None = None,
    ) -> None:
        """Takes the layers, the encoder's unit of each input, and the returns that the outputs tell apart.

        Output k is the chance of returns[k + 1] or more; `small` filters the moves of a search's last ply.
        Raises ValueError if they do not fit together, a weight is not finite or too great, or the
        returns are not ascending, each with its negative.
        """

class NTuples:
    """The evaluator of an n-tuple network; see agents/evaluators/ntuple.py."""

    def __init__(
        self,
        rows: int,
        columns: int,
        cells: Sequence[Sequence[int]],
        weights: NDArray[np.int16],
        base: float,
        unit: float,
    ) -> None:
        """Takes the patterns and refers to the weights, which stay where they are.

        Raises ValueError if the patterns do not lie on the board, or the weights are of another number.
        """

    def value(self, board: int) -> float:
        """The points to come on a board after a move.

        A cell has 4 bits, cell (row, column) those from 16 row + 4 column up.
        """

class NTupleTrainer:
    """Self-play that trains an n-tuple network for 2048; see native/ntuple/trainer.hpp."""

    def __init__(self, rows: int, columns: int, cells: Sequence[Sequence[int]]) -> None:
        """Weights of 0.

        Raises ValueError if the patterns do not lie on the board, of 4 rows and columns at most.
        """

    def train(
        self, *, seed: int, threads: int = 1, games: int = 0, seconds: float = 0.0
    ) -> tuple[int, int, float]:
        """Plays on until the games or the seconds are used up, whichever comes first; 0 is no limit.

        Returns the games played, their moves and the sum of their points. Raises ValueError if a setting
        has no meaning.
        """

    def play(self, games: int, seed: int) -> list[int]:
        """The points of games by the best move at one ply, without learning."""

    #: All tables, one after another, and for each weight a row with the sum of its errors and that of their
    #: magnitudes. Both are the trainer's own memory.
    @property
    def weights(self) -> NDArray[np.float32]: ...
    @property
    def errors(self) -> NDArray[np.float32]: ...

class Trainer:
    """Self-play that trains a network for a game written in C++; see native/network/trainer.hpp."""

    def __init__(self, state: Any, hidden: Sequence[int], returns: Sequence[float], seed: int) -> None:
        """A network of random weights, drawn from the seed, with hidden layers of these sizes.

        Args:
            state: the game's initial state, a pyspiel state or a RulesPosition.
            returns: of a player, which the outputs tell apart as in `Network`.

        Raises ValueError if the game is written in Python, has no encoder, or is not one of two players,
        in turn, with zero sum and perfect information.
        """

    def train(
        self,
        *,
        seed: int,
        rate: float,
        lambda_: float,
        explore: float = 0.0,
        exact: bool = False,
        threads: int = 1,
        games: int = 0,
        seconds: float = 0.0,
        heuristic: float = 0.0,
        draws: float = 0.0,
        stop: Callable[[], bool] | None = None,
    ) -> tuple[int, int, float]:
        """Plays on until the games or the seconds are used up, whichever comes first; 0 is no limit.

        It then learns from all games as `fit` does. No game begins after 200,000 positions.

        One thread and one seed give the same weights bit for bit, unless `seconds` end the training.
        `heuristic` is the weight of the heuristic's value in each target; a drawn game counts as `draws`
        times what the heuristic says of its end. `stop` is asked about every 25 ms; if it is true, the round
        ends at once, none of its games count, and the weights may have learnt a part of it.

        Returns the games played, the positions trained on, and the sum over these of the squared difference
        between the network's outputs and their targets. Raises ValueError if a setting has no meaning, or
        the core has no heuristic for the game to learn by.
        """

    def play(
        self,
        *,
        seed: int,
        lambda_: float,
        explore: float = 0.0,
        exact: bool = False,
        games: int = 0,
        seconds: float = 0.0,
        heuristic: float = 0.0,
        draws: float = 0.0,
    ) -> _Lessons:
        """Plays on one thread as `train` does, and returns what this or another trainer is to fit.

        Targets are as the weights here have them. Raises ValueError as `train` does.
        """

    def fit(
        self,
        lessons: Sequence[_Lessons],
        *,
        rate: float,
        seed: int,
        threads: int = 1,
        stop: Callable[[], bool] | None = None,
    ) -> tuple[int, int, float]:
        """Learns four times from what `play` returned, by Adam (Kingma and Ba 2015).

        Batches hold up to 256 positions, fewer if there would be less than 400 of them, and at least four.
        One thread and one seed give the same weights bit for bit. Returns what `train` does: the error is of
        the first time, and there are no games if `stop` ended it. Raises ValueError if the lessons are
        another network's.
        """

    def best(self, state: Any) -> int:
        """The move that the network likes best, one ply ahead.

        Raises ValueError if nobody decides, or the state is of another game.
        """

    #: As `Network` takes them. Setting raises ValueError if they are of other sizes.
    layers: list[tuple[NDArray[np.float32], NDArray[np.float32]]]

def lanes() -> int:
    """How many numbers networks compute side by side on this machine: 4, 8 or 16. No result depends on it."""

def use_lanes(count: int) -> None:
    """Takes fewer, for comparisons. Raises ValueError for what the machine has not."""

def encoder_inputs(state: Any) -> int:
    """How many inputs the core's encoder of a state's game has; 0 if there is none."""

def features(state: Any) -> list[tuple[int, int]]:
    """What a network sees of a state: (input, count), ascending by input; of its game's encoder.

    Raises ValueError if the network does not see the state: it is terminal, dice lie that the encoder
    omits, or, for observations, nobody decides.
    """

class UCT:
    """One search by UCT, the same as `UCTSearch` of agents/bots/uct_search.py; see native/uct/search.hpp."""

    def __init__(
        self,
        state: Any,
        *,
        evaluator: Any,
        seed: int,
        rollouts: int,
        rollout_moves: int,
        uct_c: float,
        solve: bool,
        most_nodes: int,
        bounds: tuple[float, float],
        scaled: bool,
        vectors: bool,
    ) -> None:
        """Makes the search from a decision node, as `Engine` takes states and evaluators.

        Args:
            evaluator: None for random games, `rollouts` a leaf, each of at most `rollout_moves` decisions.
            seed: what `random.Random` would be seeded with, below 2^64.
            bounds: of every return.
            scaled: whether exploration counts in the spread of the returns seen.
            vectors: whether every player's return counts for themselves.

        Raises ValueError if the game has no such evaluator.
        """

    def run(self, simulations: int, seconds: float | None) -> int:
        """Simulates until a limit is met or the root is proven; returns how many simulations it made."""

    def tried(self) -> list[tuple[int, int, float, float | None]]:
        """(action, visits, mean, proven value or None) of each action that was tried at the root."""

class Engine:
    """A search of one OpenSpiel game; it keeps its table and counters between calls."""

    def __init__(
        self,
        state: Any,
        plain: bool,
        evaluator: Zero
        | Heuristic
        | Rollouts
        | Network
        | NTuples
        | Solo
        | BearoffFirst
        | Arrays
        | Function
        | Callable[[Any], float]
        | Callable[[Any], Sequence[float]],
        options: Options,
        key: str | None = None,
        policy: Callable[[Any], Sequence[float]] | None = None,
    ) -> None:
        """Makes the engine for `state`'s game.

        Args:
            state: of the game to search, a pyspiel state or a RulesPosition; so in all methods.
            plain: whether to search over plain bytes if there is a model of the game, instead of over
                OpenSpiel's own states; a RulesPosition always is.
            evaluator: one of the classes above, or a function of a state.
            key: the rule of envs/openspiel/keys.py for positions of OpenSpiel's own states; None: there is
                none.
            policy: of the options' opponent, the probabilities of a state's legal actions; None if all
                are as likely.

        Raises ValueError if the game has no such evaluator, or observations of another length.
        """

    def root(
        self,
        state: Any,
        depth: int,
        margin: float,
        nodes: int | None,
        seconds: float | None,
        first: Sequence[int] = (),
    ) -> tuple[bool, list[tuple[int, float]]]:
        """One iteration from a decision node: (finished, [(action, exact value)]).

        The actions in `first` come first. Those worse than the best by more than `margin` may
        be left out. `nodes` and `seconds` are what is left to spend.
        """

    @property
    def returns(self) -> list[list[float]]:
        """Each player's expected return by the actions that `root` found last, in order; [] but in max^n."""

    def evaluate(self, state: Any) -> float:
        """The evaluator's value of a state that is not terminal; player 0's in max^n."""

    def evaluate_all(self, state: Any) -> list[float]:
        """The same of each player in max^n; otherwise one number."""

    def luck(self, state: Any, actions: Sequence[int]) -> float:
        """Player 0's luck in `actions`, which begin at `state`; see evaluation/luck.py."""

    def counters(self) -> dict[str, int]:
        """The work so far, over all calls."""

    @property
    def size(self) -> float:
        """The greatest magnitude of a value read off at a leaf, over all calls; at least 1."""

    @property
    def keyed(self) -> bool:
        """Whether equal positions are recognised: ordering and the table work then."""

    @property
    def merges(self) -> bool:
        """Whether equal successors can be searched once."""

    @property
    def by_position(self) -> bool:
        """Whether the evaluator goes by the position alone, and asks nobody in Python."""

    @property
    def thread_seconds(self) -> list[float]:
        """Seconds of processor time that each of the threads has searched for."""

def set_backgammon(
    state: Any,
    *,
    player: int,
    dice: Sequence[int],
    bar: Sequence[int],
    off: Sequence[int],
    board: Sequence[Sequence[int]],
) -> None:
    """Sets up a decision of backgammon in a state of it, in place; its history stays what it was.

    `board` has each player's checkers by OpenSpiel's points. Raises ValueError for a state of another game.
    """

def is_native(state: Any) -> bool:
    """Whether a pyspiel state's game, and every game that it wraps, is written in C++."""

def open_spiel_minimax(state: Any, depth: int, heuristic: bool) -> tuple[float, int]:
    """OpenSpiel's own search in C++ for player 0, valuing by "heuristic" or zero: (value, action).

    ExpectiminimaxSearch; AlphaBetaSearch in games without chance.
    """

def bearoff_one_sided(done: int = 1) -> NDArray[np.float64]:
    """`make_one_sided` of agents/bearoff/tables.py: the same numbers, a dozen times sooner."""

def bearoff_two_sided(men: int) -> NDArray[np.float64]:
    """`make_two_sided` of agents/bearoff/tables.py. Raises ValueError if there are not 1 to 15 men."""

class Solved:
    """The fields of `Graph` in agents/solve/positions.py, and what `values_to_go` returns: no values if these
    are vectors, no times if these are not found simply.

    Attributes:
        waiting: how many positions were met for which there was no room; then there are no values.
        mixed: whether only some positions are so near to a cut-off that it counts.
        change: the greatest of the last sweep if values do not converge, otherwise 0.
    """

    player: NDArray[np.int8]
    ending: NDArray[np.float64]
    first: NDArray[np.int64]
    target: NDArray[np.int32]
    weight: NDArray[np.float64]
    reward: NDArray[np.float64]
    hashes: NDArray[np.uint64]
    values: NDArray[np.float64]
    times: NDArray[np.float64]
    waiting: int
    mixed: bool
    residual: float
    change: float

def solve(state: Any, most_bytes: int, tell: Callable[[str, int], None]) -> Solved:
    """All positions that can be reached from a state whose game has a model, and their values.

    `tell` is called now and then with "positions" or "solved" and how many. Raises ValueError without a
    model.
    """

def position_hashes(state: Any) -> list[int]:
    """What `Solved` knows a state by; second, if it is near a cut-off, the same position far from it.

    Raises ValueError without a model.
    """

class UrPlaces:
    """The places of the Royal Game of Ur's positions with a throw to come in a table of `count`."""

    def __init__(self, pieces: int) -> None: ...
    count: int
    #: Pieces home on both sides, in the order in which layers can be solved.
    @property
    def layers(self) -> list[tuple[int, int]]: ...
    def range(self, home: int, other_home: int) -> tuple[int, int]:
        """Where the positions of so many pieces home begin and end, own first."""
    def place(self, state: RulesPosition) -> int:
        """Where a position is, in which somebody is to throw and nobody has won."""

class UrSolver(UrPlaces):
    """The Royal Game of Ur by Finkel's rules solved whole; see native/solve/royal_game_of_ur.hpp."""

    def __init__(self, state: RulesPosition) -> None: ...
    #: The numbers themselves, by position: expected returns of who is to throw, and throws until the end.
    @property
    def values(self) -> NDArray[np.float64]: ...
    @property
    def throws(self) -> NDArray[np.float64]: ...
    def improve(self, layer: int, threads: int) -> float:
        """Backs a layer's values up once by the best moves, notes these, and returns the greatest change."""
    def evaluate(self, layer: int, threads: int) -> float:
        """The same by the moves that were noted."""
    def evaluate_throws(self, layer: int, threads: int) -> float:
        """The same of the throws."""
