"""Extends UCT to two-player zero-sum games with simultaneous moves: regret matching selects there.

With UCB for each player, the players would never settle on a mixed strategy (Tak, Lanctot & Winands 2014,
"Monte Carlo tree search variants for simultaneous move games"). Regret matching approaches an equilibrium
(Lisy, Kovarik, Lanctot & Bosansky 2013, "Convergence of Monte Carlo tree search in simultaneous move games").
"""

from typing import Any

import numpy as np

from starspiel.agents.bots.lines import Line
from starspiel.agents.bots.regret_matching import RegretMatching
from starspiel.agents.bots.uct_search import Frame, UCTSearch
from starspiel.agents.bots.uct_tree import Node, Tried
from starspiel.agents.matrix_game import Floats, MatrixSolution, solve_matrix_game
from starspiel.agents.search.joint_deepening import unsearched
from starspiel.envs.base import NO_ACTION, SIMULTANEOUS, Game, is_simultaneous, joint_moves
from starspiel.envs.errors import UnsupportedGameError


def check_joint_uct(game: Game, engine: str) -> None:
    """Raises UnsupportedGameError for options that UCT does not support in games of simultaneous moves."""
    if not is_simultaneous(game):
        return
    if reason := unsearched(game):
        raise UnsupportedGameError(f"{game.name} {reason}")
    if engine == "native":
        raise UnsupportedGameError(
            f"{game.name} has simultaneous moves, which only uct's Python engine searches; use engine=auto."
        )


class JointUCTSearch(UCTSearch):
    """A `UCTSearch` with joint moves as children of a node, under (SIMULTANEOUS, row x columns + column).

    A joint node is proven once all its children are proven: its value is then that of the matrix game.
    """

    def __init__(self, *arguments: Any) -> None:
        """Takes the arguments of `UCTSearch`."""
        super().__init__(*arguments)
        self._matchings: dict[Node, RegretMatching] = {}
        self._tried: list[tuple[Node, int, int, Frame]] = []  # in the current simulation

    def policy(self, player: int) -> dict[int, float]:
        """Returns the probability of every move at the root of a player who moves there."""
        matching = self._matchings.get(self._root)
        if matching is None:
            best = self.best_action() if self._mover == player else None
            return {action: float(action == best) for action in self._state.legal_actions()}
        if self._root.proven is not None:
            solution = self._solution(self._root)
            assert solution is not None, "a node is proven by its children"
            chances = (solution.rows, solution.columns)[player].tolist()
        else:
            chances = matching.average(player)
        return dict(zip(matching.moves[player], chances, strict=True))

    def tried_by(self, player: int) -> dict[int, Tried]:
        """Returns the statistics of each move of a player at the root, over all moves of the other player
        that were tried with it.
        """
        matching = self._matchings.get(self._root)
        if matching is None:
            return self.tried()
        columns = len(matching.moves[1])
        sums: dict[int, tuple[int, float]] = dict.fromkeys(matching.moves[player], (0, 0.0))
        for (_, place), child in self._root.children.items():
            action = matching.moves[player][divmod(place, columns)[player]]
            visits, total = sums[action]
            sums[action] = visits + child.visits, total + child.total
        return {a: Tried(visits, total / visits, None) for a, (visits, total) in sums.items() if visits}

    def values_of(self, player: int) -> dict[int, float]:
        """Returns player 0's value of each move of a player at the root, if the other plays `policy`.

        Only pairs of moves that were tried count, and moves without any are left out. What was collected
        before the root is not included, as in the means of simulations.
        """
        matching, children = self._matchings[self._root], self._root.children
        other = self.policy(1 - player)
        values = {}
        for place, action in enumerate(matching.moves[player]):
            met = []
            for column, answer in enumerate(matching.moves[1 - player]):
                i, j = (place, column) if player == 0 else (column, place)
                child = children.get((SIMULTANEOUS, i * len(matching.moves[1]) + j))
                if child is not None and child.visits and other[answer] > 0.0:
                    worth = child.mean if child.proven is None else self._gain(child.proven, self._frame)
                    met.append((other[answer], worth))
            if met:
                values[action] = sum(p * worth for p, worth in met) / sum(p for p, _ in met)
        return values

    def _choose(self, node: Node, line: Line, player: int, frame: Frame) -> Node:
        if player != SIMULTANEOUS:
            return super()._choose(node, line, player, frame)
        matching = self._matchings.get(node)
        if matching is None:
            players = self._game.num_players
            moves = joint_moves(line.state, players)
            matching = RegretMatching(moves if players == 2 else [*moves, (NO_ACTION,)])
            if node is self._root or self._nodes < self._settings.most_nodes:
                self._matchings[node] = matching
                node.moves, node.mover = range(len(matching.moves[0]) * len(matching.moves[1])), SIMULTANEOUS
        row, column = matching.choose(self._random)
        line.move_at_once([matching.moves[0][row], matching.moves[1][column]][: self._game.num_players])
        key = SIMULTANEOUS, row * len(matching.moves[1]) + column
        child = node.children.get(key)
        if child is None:
            child = Node()
            if self._nodes < self._settings.most_nodes:
                node.children[key] = child
                self._nodes += 1
        if node in self._matchings:
            self._tried.append((node, row, column, frame))
        return child

    def _back_up(self, path: Any, value: Any) -> None:
        super()._back_up(path, value)
        for node, row, column, frame in self._tried:
            matching, children = self._matchings[node], node.children
            columns = len(matching.moves[1])

            def worth(i: int, j: int) -> float | None:
                child = children.get((SIMULTANEOUS, i * columns + j))  # noqa: B023  # called in this iteration
                if child is None:
                    return None
                return child.mean if child.proven is None else self._gain(child.proven, frame)  # noqa: B023

            matching.learn(row, column, worth)
        self._tried.clear()

    def _proof(self, node: Node) -> Any:
        if node.mover != SIMULTANEOUS:
            return super()._proof(node)
        solution = self._solution(node)
        return None if solution is None else solution.value

    def _solution(self, node: Node) -> MatrixSolution | None:
        """Returns the solution of a joint node, in returns of the whole game, if all children are proven."""
        assert node.moves is not None
        values = []
        for place in node.moves:
            child = node.children.get((SIMULTANEOUS, place))
            if child is None or child.proven is None:
                return None
            values.append(child.proven)
        matrix: Floats = np.reshape(values, (len(self._matchings[node].moves[0]), -1))
        return solve_matrix_game(matrix)
