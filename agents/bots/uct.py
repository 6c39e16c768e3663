"""UCT of our own (Kocsis & Szepesvári 2006), for every game that search plays.

Chances that a game lists are nodes of the tree (closed loop). Where chances can only be drawn, a node stands
for the moves that lead to it, and its values are means over what was drawn on the way (open loop: Perez,
Dieskau, Hünermund, Mostaghim & Lucas 2015). An action's visits are held against how often it was available
(Cowling, Powley & Whitehouse 2012), since what is legal may depend on the draws.
"""

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from starspiel.agents.bot import Bot, Policy, check_turn
from starspiel.agents.bots.lines import Line, chance, collected, line_from, play_on
from starspiel.agents.bots.mcts_parameters import DEFAULT_SIMULATIONS, MOST_SIMULATIONS, MCTSParameters
from starspiel.agents.evaluators.base import Evaluator
from starspiel.agents.evaluators.registry import as_evaluator
from starspiel.agents.search.native import native_values
from starspiel.agents.search.options import takes
from starspiel.envs.arguments import seed_number, whole_number
from starspiel.envs.base import CHANCE, TERMINAL, Game, SampledState
from starspiel.envs.errors import EvaluatorError, SpecError
from starspiel.envs.gymnasium.sampled.states import EnvState
from starspiel.envs.load import searchable
from starspiel.envs.spec import Spec

#: Bytes of a node with its share of tables, measured on CPython; what `memory_mb` counts by.
_NODE_BYTES = 500


@dataclass(slots=True, eq=False)
class _Node:
    """An action or an outcome, with what came of it.

    Attributes:
        visits: simulations that went through it.
        available: simulations that could have, at the node above.
        total: sum of player 0's returns from the decision above on.
        children: by (player, action) what follows; CHANCE is the player of listed outcomes.
        moves: the legal actions or (outcome, probability) pairs after it; None where draws decide them.
        mover: who moves after it, where `moves` is known.
        proven: player 0's return under best play from here, where that is known.
    """

    visits: int = 0
    available: int = 0
    total: float = 0.0
    children: dict[tuple[int, int], "_Node"] = field(default_factory=dict)
    moves: Sequence[Any] | None = None
    mover: int = TERMINAL
    proven: float | None = None

    @property
    def mean(self) -> float:
        return self.total / self.visits if self.visits else 0.0


@dataclass(frozen=True, slots=True)
class Tried:
    """What a search has found of an action at its root.

    Attributes:
        visits: simulations that tried it.
        mean: their mean return for player 0, counted from the root on.
        proven: the same under best play, where that is known; otherwise None.
    """

    visits: int
    mean: float
    proven: float | None


class UCTBot(Bot):
    """UCT with random rollouts or an evaluator; plays the most visited action, or one proven to be better.

    It plays what OpenSpiel's MCTS does not: rewards on the way, discounts, sampled chances, unknown bounds.

    Args:
        game: for one player, or zero-sum for two.
        parameters: by name, those of `MCTSParameters`.
        uct_c: the exploration constant: an action is worth its mean return plus
            `uct_c * unit * sqrt(log(available) / visits)`. The unit is 1, as in OpenSpiel's MCTS, in games
            that pay at the end and have known bounds, and elsewhere half the spread between the least and
            the greatest return that the search has seen so far, counted from its root on.
        solve: a chance node is proven with its expectation once all its outcomes are. Nothing is proven
            beyond a draw.
        memory_mb: about; a tree of that size grows no more.
        rollout_moves: decisions after which a rollout is cut off; what it has collected by then counts.
        evaluator: what values a leaf instead of rollouts, a spec, an Evaluator or a function of a state; by
            its native counterpart if it has one. `rollouts` and `rollout_moves` must then be left out.
    """

    @takes(MCTSParameters)
    def __init__(
        self,
        game: Game,
        seed: int | None = None,
        *,
        rollout_moves: int = 1000,
        evaluator: Evaluator | Callable[[Any], float] | str | Spec | None = None,
        **parameters: Any,
    ) -> None:
        super().__init__()
        told = MCTSParameters(**parameters).checked("uct")
        self._rollout_moves = whole_number("uct: rollout_moves", rollout_moves, 1, MOST_SIMULATIONS)
        if evaluator is not None and (told.rollouts, rollout_moves) != (1, 1000):
            raise SpecError(
                "uct: an evaluator takes the place of rollouts; leave rollouts and rollout_moves out."
            )
        self._game = game
        self._evaluator_spec = evaluator
        unlimited = DEFAULT_SIMULATIONS if told.seconds is None else MOST_SIMULATIONS
        self._simulations, self._seconds = told.simulations or unlimited, told.seconds
        self._uct_c, self._rollouts, self._solve = told.uct_c, told.rollouts, told.solve
        self._most_nodes = told.memory_mb * 2**20 // _NODE_BYTES
        self._seed = seed_number(seed)
        self.restart()

    def __repr__(self) -> str:
        return f"<uct bot for {self._game.name}>"

    def restart(self) -> None:
        self._random = random.Random(self._seed)
        given = self._evaluator_spec
        self._evaluator = None if given is None else as_evaluator(given, self._game, self._seed)
        self.last_nodes = None

    def step(self, state: Any) -> int:
        check_turn(state, self._game)
        state = searchable(state)
        legal = state.legal_actions()
        if len(legal) == 1:
            self.last_nodes = 0
            return int(legal[0])
        search = _Search(self, state)
        self.last_nodes = search.run(self._simulations, self._seconds)
        return search.best_action()

    def search(self, state: Any) -> dict[int, Tried]:
        """What the search that the next `step` makes at `state` finds of each action; only for looking at."""
        check_turn(state, self._game)
        kept = self._random.getstate()
        search = _Search(self, searchable(state))
        search.run(self._simulations, self._seconds)
        self._random.setstate(kept)
        return search.tried()

    def move_values(self, state: Any) -> dict[int, float]:
        found = self.search(state).items()
        collected, scale = self._game.frame(state)
        values = ((action, tried.mean if tried.proven is None else tried.proven) for action, tried in found)
        return {action: collected + scale * value for action, value in values}

    def step_with_policy(self, state: Any) -> tuple[Policy, int]:
        action = self.step(state)
        return [(a, float(a == action)) for a in state.legal_actions()], action

    def get_policy(self, state: Any) -> Policy:
        """The probabilities of all legal actions at the next `step`, which stays as it is."""
        kept = self._random.getstate()
        policy = self.step_with_policy(state)[0]
        self._random.setstate(kept)
        return policy


class _Search:
    """One search: its tree, and the returns it has seen."""

    def __init__(self, bot: UCTBot, state: Any) -> None:
        self._game, self._random = bot._game, bot._random
        self._uct_c, self._rollouts, self._solve = bot._uct_c, bot._rollouts, bot._solve
        self._rollout_moves, self._most_nodes = bot._rollout_moves, bot._most_nodes
        self._evaluator: Callable[[Any], float] | None = bot._evaluator
        if bot._evaluator is not None:
            self._evaluator = native_values(bot._evaluator, self._game, state) or bot._evaluator
        # The root, from which what the agent may not see is drawn anew.
        self._state = self._game.reroot(state) if isinstance(state, EnvState) else state
        self._mover = state.current_player()
        self._frame = collected(self._game, self._state)
        self._root = _Node()
        self._nodes = 0
        bounds = self._game.utility_range or (-math.inf, math.inf)
        self._bounds = bounds
        self._is_scaled = self._game.step_rewards or not all(map(math.isfinite, bounds))
        self._seen = (math.inf, -math.inf)

    def run(self, simulations: int, seconds: float | None) -> int:
        """Simulates until a limit is met or the root is proven; returns how many simulations it made."""
        deadline = math.inf if seconds is None else perf_counter() + seconds
        for made in range(simulations):
            if self._root.proven is not None or (made and perf_counter() >= deadline):
                return made
            with line_from(self._state, self._random) as line:
                self._simulate(line)
        return simulations

    def tried(self) -> dict[int, Tried]:
        """What was found of each action."""
        so_far, scale = self._frame
        return {
            action: Tried(
                node.visits, node.mean, None if node.proven is None else (node.proven - so_far) / scale
            )
            for (_, action), node in sorted(self._root.children.items())
        }

    def best_action(self) -> int:
        """The most visited action; a proven one where its value is at least the other's mean."""
        sign = 1.0 if self._mover == 0 else -1.0
        most: tuple[int, Tried] | None = None
        proven: tuple[int, float] | None = None
        for action, found in self.tried().items():
            if found.proven is not None:
                if proven is None or sign * found.proven > sign * proven[1]:
                    proven = action, found.proven
            elif most is None or (found.visits, sign * found.mean) > (most[1].visits, sign * most[1].mean):
                most = action, found
        if most is None or (proven is not None and sign * proven[1] >= sign * most[1].mean):
            assert proven is not None, "a search tries an action"
            return proven[0]
        return most[0]

    # Step 1. Down the tree, to a new node or the end.
    # Step 2. A rollout from there.
    # Step 3. Up again: every node gets its return, and may be proven.

    def _simulate(self, line: Line) -> None:
        node, frame = self._root, self._frame
        path: list[tuple[_Node, tuple[float, float]]] = []
        is_new = False
        while not is_new and (player := line.state.current_player()) != TERMINAL:
            if player != CHANCE:
                frame = collected(self._game, line.state)
                child, is_new = self._choose(node, line, player, frame)
            else:
                child, is_new = self._let_happen(node, line)
            if child is node:  # a draw: the node stands for all that may come of it
                continue
            path.append((child, frame))
            node = child
            if node.proven is not None:
                break
        self._back_up(path, self._value(node, line))

    def _value(self, node: _Node, line: Line) -> float:
        """Player 0's return where it is known, or the mean over rollouts."""
        if node.proven is not None:
            return node.proven
        if line.state.current_player() != TERMINAL:
            return self._guessed(line)
        value = float(line.state.returns()[0])
        if not line.drawn:
            node.proven = value
        return value

    def _choose(self, node: _Node, line: Line, player: int, frame: tuple[float, float]) -> tuple[_Node, bool]:
        """Moves: untried actions first, in random order, then by UCB. Returns the child, and whether new."""
        legal = node.moves
        if legal is None:
            legal = line.state.legal_actions()
            if not line.drawn:
                node.moves, node.mover = legal, player
        children = node.children
        untried = [action for action in legal if (player, action) not in children]
        if untried and self._nodes < self._most_nodes:
            action = self._random.choice(untried)
            child = children[player, action] = _Node()
            self._nodes += 1
        elif len(untried) < len(legal):
            action = self._most_promising(node, [a for a in legal if a not in untried], player, frame)
            child = children[player, action]
        else:  # no room for another node
            return _Node(), True
        for each in legal:
            if (tried := children.get((player, each))) is not None:
                tried.available += 1
        line.move(action)
        return child, child.visits == 0

    def _most_promising(
        self, node: _Node, actions: Sequence[int], player: int, frame: tuple[float, float]
    ) -> int:
        sign, unit = (1.0 if player == 0 else -1.0), self._uct_c * self._unit

        def worth(action: int) -> float:
            child = node.children[player, action]
            if child.proven is not None:
                return sign * (child.proven - frame[0]) / frame[1]
            return sign * child.mean + unit * math.sqrt(math.log(child.available) / child.visits)

        return max(actions, key=worth)

    @property
    def _unit(self) -> float:
        low, high = self._seen
        return (high - low) / 2 if self._is_scaled and high > low else 1.0

    def _let_happen(self, node: _Node, line: Line) -> tuple[_Node, bool]:
        """Chance: a listed outcome is a child of its own, a drawn one leaves the node as it is."""
        if self._solve and not line.drawn and node.moves is None and not isinstance(line.state, SampledState):
            node.moves, node.mover = line.state.chance_outcomes(), CHANCE
        outcome = chance(line, self._random)
        if outcome is None:
            return node, False
        child = node.children.get((CHANCE, outcome))
        if child is None:
            if self._nodes >= self._most_nodes:
                return _Node(), True
            child = node.children[CHANCE, outcome] = _Node()
            self._nodes += 1
        return child, child.visits == 0

    def _guessed(self, line: Line) -> float:
        """Player 0's return from where the line has come to: the evaluator's, or the mean over rollouts."""
        if self._evaluator is not None:
            value = float(self._evaluator(line.state))
            if not math.isfinite(value):
                raise EvaluatorError(f"uct: the evaluator returned {value}; expected a finite number.")
            return value
        lines = [line] if self._rollouts == 1 else [line.fork(self._random) for _ in range(self._rollouts)]
        for each in lines:
            play_on(each, self._random, self._rollout_moves)
        return sum(float(each.state.returns()[0]) for each in lines) / len(lines)

    def _back_up(self, path: Sequence[tuple[_Node, tuple[float, float]]], value: float) -> None:
        seen = (value - self._frame[0]) / self._frame[1]
        self._seen = min(self._seen[0], seen), max(self._seen[1], seen)
        self._root.visits += 1
        for node, (so_far, scale) in path:
            node.visits += 1
            node.total += (value - so_far) / scale
        if self._solve and path and path[-1][0].proven is not None:
            for node in [*(node for node, _ in reversed(path[:-1])), self._root]:
                node.proven = self._proof(node)
                if node.proven is None:
                    break

    def _proof(self, node: _Node) -> float | None:
        """The value of a node whose children prove it, otherwise None."""
        if node.moves is None:
            return None
        if node.mover == CHANCE:
            expected = 0.0
            for outcome, probability in node.moves:
                if probability <= 0.0:
                    continue
                child = node.children.get((CHANCE, outcome))
                if child is None or child.proven is None:
                    return None
                expected += probability * child.proven
            return expected
        values = [child.proven for child in node.children.values() if child.proven is not None]
        best = max(values) if node.mover == 0 else min(values)
        is_bound = best >= self._bounds[1] if node.mover == 0 else best <= self._bounds[0]
        return best if is_bound or len(values) == len(node.moves) else None
