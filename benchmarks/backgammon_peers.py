"""Agents against the backgammon programs that everybody knows: gnubg at 0, 1 or 2 plies, and pubeval.

    pip install gnubg-nn
    python benchmarks/backgammon_peers.py "star2(depth=1,evaluator=net(file=my.net.npz))" --pairs 2500

One game decides (double match point, gammons count as wins), as OpenSpiel's backgammon scores by default.
gnubg-nn is an opponent, under the GPL, and no part of this package.
"""

import argparse

import gnubg_nn

from starspiel.evaluation import tournament


def sides(state, player):
    """(own, other): men by distance to go, [0] borne off, [25] on the bar."""
    observed = state.observation_tensor(0)
    boards = []
    for side in (player, 1 - player):
        men = [0] * 26
        for point in range(24):
            men[24 - point if side == 0 else point + 1] = state.board(side, point)
        men[25], men[0] = map(int, observed[192 + 3 * side : 194 + 3 * side])
        boards.append(men)
    return boards


def gnubg_board(other, roller):
    """gnubg's two lists of 25, men by distance - 1, the bar last: who is about to roll comes second."""
    return [list(other[1:26]), list(roller[1:26])]


class Peer:
    """Plays every turn by the value of the position after it."""

    def __init__(self, game, player):
        self.player = player
        self.plan = {}

    def restart(self):
        self.plan = {}

    def step(self, state):
        best, best_value = None, None
        for action in state.legal_actions():
            value = self.best_after(state.child(action))
            if best is None or value > best_value:
                best, best_value = action, value
        return best

    def best_after(self, state):
        if state.is_terminal():
            return 10.0 if state.returns()[self.player] > 0 else -10.0
        if state.current_player() == self.player:  # the second half of a double
            return max(self.best_after(state.child(action)) for action in state.legal_actions())
        own, other = sides(state, self.player)
        key = (tuple(own), tuple(other))
        if key not in self.plan:
            if len(self.plan) > 5000:
                self.plan.clear()
            self.plan[key] = self.value(own, other)
        return self.plan[key]


class Gnubg(Peer):
    """gnubg's network at so many plies, by its probability to win."""

    def __init__(self, game, player, plies=0):
        super().__init__(game, player)
        self.plies = plies

    def value(self, own, other):
        return 1 - gnubg_nn.probabilities(gnubg_board(own, other), self.plies)[0]


class Pubeval(Peer):
    """Tesauro's public evaluation function (1993), which chooses among the moves of a roll."""

    def __init__(self, game, player):
        super().__init__(game, player)
        self.goal = None

    def restart(self):
        super().restart()
        self.goal = None

    def step(self, state):
        if self.goal is None or "Extra turn: 1" not in str(state):
            own, other = sides(state, self.player)
            low, high = sorted(int(die) for die in state.observation_tensor(self.player)[-2:])
            self.goal = played(own, other, gnubg_nn.pub_best_move(gnubg_board(other, own), high, low))
        return super().step(state)

    def value(self, own, other):
        return 1.0 if (own, other) == self.goal else 0.0


def played(own, other, walks):
    """The board after walks [from, to, from, to, ...], points counted from 0, below 0 for off."""
    own, other = list(own), list(other)
    for start, to in zip(walks[::2], walks[1::2], strict=True):
        own[start + 1] -= 1
        to = max(to + 1, 0)
        own[to] += 1
        if to > 0 and other[25 - to] == 1:
            other[25 - to] = 0
            other[25] += 1
    return own, other


PEERS = {
    "gnubg0": lambda game, seat, seed: Gnubg(game, seat, 0),
    "gnubg1": lambda game, seat, seed: Gnubg(game, seat, 1),
    "gnubg2": lambda game, seat, seed: Gnubg(game, seat, 2),
    "pubeval": lambda game, seat, seed: Pubeval(game, seat),
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("agent", help="a spec")
    parser.add_argument("--peer", choices=PEERS, default="gnubg0")
    parser.add_argument("--pairs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    given = parser.parse_args()
    agents = {given.agent: given.agent, given.peer: PEERS[given.peer]}
    print(tournament("backgammon", agents, given.pairs, given.seed, workers=given.workers))


if __name__ == "__main__":
    main()
