"""Searches by UCT: the tree of one search, and the returns it has seen."""

import math
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from starspiel.agents.bots.lines import Line, chance, line_from, play_on
from starspiel.agents.bots.natural_log import natural_log
from starspiel.agents.bots.uct_tree import Node, Tried, best_tried
from starspiel.envs.base import CHANCE, TERMINAL, Game, SampledState, conforms
from starspiel.envs.errors import EvaluatorError
from starspiel.envs.gymnasium.sampled.states import EnvState

#: The return collected before a decision, the factor on what follows, and the player who decides.
Frame = tuple[float, float, int]


@dataclass(frozen=True, slots=True)
class UCTSettings:
    """The settings of a search, as for UCTBot; `most_nodes` is the greatest size of the tree."""

    uct_c: float
    rollouts: int
    rollout_moves: int
    solve: bool
    most_nodes: int


def finite_value(returned: Any) -> float:
    """Converts what an evaluator returned to a float. Raises EvaluatorError if it is not finite."""
    value = float(returned)
    if not math.isfinite(value):
        raise EvaluatorError(f"uct: the evaluator returned {value}; expected a finite number.")
    return value


def summed(values: Iterable[float]) -> float:
    """Returns the sum, rounded after each addition, unlike Python's `sum` from 3.12 on."""
    total = 0.0
    for value in values:
        total += value
    return total


class UCTSearch:
    """A search from a state; it specifies native/uct/search.hpp.

    Args:
        evaluator: values leaves; None for rollouts.
        draw: the source of random numbers.
    """

    engine = "python"

    def __init__(
        self,
        game: Game,
        state: Any,
        settings: UCTSettings,
        evaluator: Callable[[Any], Any] | None,
        draw: random.Random,
    ) -> None:
        self._game, self._settings, self._evaluator, self._random = game, settings, evaluator, draw
        # The root; the parts of it that the agent may not see are redrawn.
        self._state = game.reroot(state) if isinstance(state, EnvState) else state
        self._mover = state.current_player()
        self._sign = -1.0 if self._mover == 1 else 1.0
        self._is_framed = game.step_rewards or game.discount != 1.0
        self._frame = self._collected(self._state)
        self._root = Node()
        self._nodes = 0
        self._bounds = game.utility_range or (-math.inf, math.inf)
        self._is_scaled = game.step_rewards or not all(map(math.isfinite, self._bounds))
        self._seen = (math.inf, -math.inf)
        self._unit = 1.0  # the unit of exploration

    def run(self, simulations: int, seconds: float | None) -> int:
        """Simulates until a limit is reached or the root is proven; returns the number of simulations."""
        deadline = math.inf if seconds is None else perf_counter() + seconds
        for made in range(simulations):
            if self._root.proven is not None or (made and perf_counter() >= deadline):
                return made
            with line_from(self._state, self._random) as line:
                self._simulate(line)
        return simulations

    def tried(self) -> dict[int, Tried]:
        """Returns the statistics of each action."""
        found = {}
        for (_, action), node in sorted(self._root.children.items()):
            proven = None if node.proven is None else self._sign * self._gain(node.proven, self._frame)
            found[action] = Tried(node.visits, self._sign * node.mean, proven)
        return found

    def best_action(self) -> int:
        """Returns the action to play: see `best_tried`."""
        return best_tried(self.tried(), self._sign)

    # Step 1. Descend the tree to a new node or the end of the game.
    # Step 2. Play a rollout from there.
    # Step 3. Back up: every node gets its return, and may be proven.

    def _simulate(self, line: Line) -> None:
        node, frame = self._root, self._frame
        path: list[tuple[Node, Frame]] = []
        is_new = False
        while not is_new and (player := line.state.current_player()) != TERMINAL:
            if player != CHANCE:
                frame = self._collected(line.state)
                child = self._choose(node, line, player, frame)
            else:
                child = self._let_happen(node, line)
            if child is node:  # a drawn outcome: the node stands for all outcomes
                continue
            is_new = child.visits == 0
            path.append((child, frame))
            node = child
            if node.proven is not None:
                break
        self._back_up(path, self._value(node, line))

    def _value(self, node: Node, line: Line) -> Any:
        """Returns player 0's return if it is known, else the evaluator's value or the mean over rollouts."""
        if node.proven is not None:
            return node.proven
        if line.state.current_player() == TERMINAL:
            value = self._returns(line.state)
            if not line.drawn:
                node.proven = value
            return value
        if self._evaluator is not None:
            return self._evaluated(self._evaluator(line.state))
        rollouts = self._settings.rollouts
        lines = [line] if rollouts == 1 else [line.fork(self._random) for _ in range(rollouts)]
        for each in lines:
            play_on(each, self._random, self._settings.rollout_moves)
        return self._mean([self._returns(each.state) for each in lines])

    def _collected(self, state: Any) -> Frame:
        so_far, scale = self._game.frame(state) if self._is_framed else (0.0, 1.0)
        return so_far, scale, state.current_player()

    def _gain(self, value: Any, frame: Frame) -> float:
        """Returns the part of a return that the player to move at a decision is still to collect."""
        so_far, scale, player = frame
        gain: float = so_far - value if player == 1 else value - so_far
        return gain / scale

    def _returns(self, state: Any) -> Any:
        return float(state.returns()[0])

    def _evaluated(self, returned: Any) -> Any:
        return finite_value(returned)

    def _mean(self, values: Sequence[Any]) -> Any:
        return summed(values) / len(values)

    def _choose(self, node: Node, line: Line, player: int, frame: Frame) -> Node:
        """Makes a move and returns its child: untried actions first, in random order, then by UCB."""
        legal = node.moves
        if legal is None:
            legal = line.state.legal_actions()
            if not line.drawn:
                node.moves, node.mover = legal, player
        children = node.children
        untried = [action for action in legal if (player, action) not in children]
        if untried and self._nodes < self._settings.most_nodes:
            action = self._random.choice(untried)
            child = children[player, action] = Node()
            self._nodes += 1
        elif len(untried) < len(legal):
            action = self._most_promising(node, [a for a in legal if a not in untried], player, frame)
            child = children[player, action]
        else:  # no room for another node
            return Node()
        for each in legal:
            if (tried := children.get((player, each))) is not None:
                tried.available += 1
        line.move(action)
        return child

    def _most_promising(self, node: Node, actions: Sequence[int], player: int, frame: Frame) -> int:
        explore = self._settings.uct_c * self._unit

        def worth(action: int) -> float:
            child = node.children[player, action]
            if child.proven is not None:
                return self._gain(child.proven, frame)
            return child.mean + explore * math.sqrt(natural_log(child.available) / child.visits)

        return max(actions, key=worth)

    def _let_happen(self, node: Node, line: Line) -> Node:
        """Plays a chance node: a listed outcome has its own child, a drawn one stays at the node."""
        is_listed = not conforms(line.state, SampledState)
        if self._settings.solve and not line.drawn and node.moves is None and is_listed:
            node.moves, node.mover = line.state.chance_outcomes(), CHANCE
        outcome = chance(line, self._random)
        if outcome is None:
            return node
        child = node.children.get((CHANCE, outcome))
        if child is None:
            child = Node()
            if self._nodes < self._settings.most_nodes:
                node.children[CHANCE, outcome] = child
                self._nodes += 1
        return child

    def _back_up(self, path: Sequence[tuple[Node, Frame]], value: Any) -> None:
        self._see(self._from_root(value))
        self._root.visits += 1
        for node, frame in path:
            node.visits += 1
            node.total += self._gain(value, frame)
        self._prove(path)

    def _from_root(self, value: Any) -> Sequence[float]:
        """Returns the returns, collected from the root on, that set the unit of exploration."""
        return (self._gain(value, self._frame) * self._sign,)

    def _see(self, returns: Sequence[float]) -> None:
        """Records returns, which set the unit of exploration if it is not fixed."""
        least, greatest = min(returns), max(returns)
        low, high = self._seen
        if least < low or greatest > high:
            low, high = self._seen = min(low, least), max(high, greatest)
            self._unit = (high - low) / 2 if self._is_scaled and high > low else 1.0

    def _prove(self, path: Sequence[tuple[Node, Frame]]) -> None:
        if self._settings.solve and path and path[-1][0].proven is not None:
            for node in [*(node for node, _ in reversed(path[:-1])), self._root]:
                node.proven = self._proof(node)
                if node.proven is None:
                    break

    def _proof(self, node: Node) -> Any:
        """Returns the value of a node whose children prove it, otherwise None."""
        if node.moves is None:
            return None
        if node.mover != CHANCE:
            return self._best_proven(node, node.moves)
        parts = []
        for outcome, probability in node.moves:
            if probability > 0.0:
                child = node.children.get((CHANCE, outcome))
                if child is None or child.proven is None:
                    return None
                parts.append((probability, child.proven))
        return self._expected(parts)

    def _expected(self, parts: Sequence[tuple[float, Any]]) -> Any:
        return summed(probability * value for probability, value in parts)

    def _best_proven(self, node: Node, moves: Sequence[int]) -> Any:
        """Returns the value of a decision node if enough of its children are proven, else None."""
        values = [child.proven for child in node.children.values() if child.proven is not None]
        best = max(values) if node.mover == 0 else min(values)
        is_bound = best >= self._bounds[1] if node.mover == 0 else best <= self._bounds[0]
        return best if is_bound or len(values) == len(moves) else None
