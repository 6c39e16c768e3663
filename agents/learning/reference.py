"""Lists the fixed opponents that a network is measured against, instead of only itself."""

import random
import time
from typing import Any

from starspiel.agents.bots.search_bot import SearchBot
from starspiel.agents.evaluators.heuristic import has_heuristic
from starspiel.agents.evaluators.network import NetworkEvaluator
from starspiel.agents.learning.interrupt import Stop, Until
from starspiel.agents.learning.match import Maker, Pairing, play_game
from starspiel.agents.learning.score import BEST
from starspiel.agents.roster import bot_maker
from starspiel.agents.search import Limits
from starspiel.envs.base import Game

#: Search depths, in plies, at which networks are tested.
DEPTHS = (1, 2)
#: Simulations of MCTS if time is not measured; and the least and the most if its moves take as long as the
#: network's.
_SIMULATIONS, _LEAST, _MOST = 100, 10, 10_000


def network_player(game: Game, network: NetworkEvaluator, depth: int) -> Maker:
    """Returns a maker of bots that search `depth` plies by Star2 with the network."""

    def make(player: int, seed: int | None) -> SearchBot:
        return SearchBot(
            game,
            "star2",
            Limits(depth=depth),
            network,
            player=player,
            seed=seed,
            ties="first",
            table_mb=None if depth == 1 else 4,
        )

    return make


def pairings(
    game: Game, network: NetworkEvaluator, best: NetworkEvaluator | None, simulations: dict[int, int]
) -> list[Pairing]:
    """Returns the pairings of the network at each depth: against random, the heuristic at the same depth if
    there is one, the best network so far, and MCTS.

    Random is an opponent at one ply only, and MCTS only if its simulations are known.
    """
    listed = []
    for depth in DEPTHS:
        specs = ["random"] if depth == 1 else []
        if has_heuristic(game):
            specs.append(f"star2(depth={depth},evaluator=heuristic)")
        rivals = {spec: bot_maker(spec, game) for spec in specs}
        if best is not None:
            rivals[BEST] = network_player(game, best, depth)
        if depth in simulations:
            spec = f"mcts(simulations={simulations[depth]})"
            rivals[spec] = bot_maker(spec, game)
        ours = network_player(game, network, depth)
        listed += [Pairing(name, depth, ours, rival) for name, rival in rivals.items()]
    return listed


def usual_simulations() -> dict[int, int]:
    """Returns MCTS simulations by the network's depth, the same on every machine."""
    return dict.fromkeys(DEPTHS, _SIMULATIONS)


def equal_simulations(game: Game, network: NetworkEvaluator, stop: Stop, seconds: float) -> dict[int, int]:
    """Returns MCTS simulations by the network's depth that take the processor time of its moves on this
    machine.

    A depth is left out if either bot had no choice of moves before `stop` was set or the time was over.
    """
    rival = bot_maker(f"mcts(simulations={_SIMULATIONS})", game)
    simulations = {}
    for depth in DEPTHS:
        ours, theirs = _Timed(network_player(game, network, depth)(0, 1)), _Timed(rival(1, 1))
        over = Until(stop, time.perf_counter() + seconds / len(DEPTHS))
        play_game(game, (ours, theirs), random.Random(1), over)
        if ours.moves and theirs.moves:
            ratio = (ours.spent / ours.moves) / max(theirs.spent / theirs.moves, 1e-9)
            simulations[depth] = round(min(_MOST, max(_LEAST, _SIMULATIONS * ratio)))
    return simulations


class _Timed:
    """A bot with the number of its moves and the processor time they took, without forced moves."""

    def __init__(self, bot: Any) -> None:
        self._bot = bot
        self.spent, self.moves = 0.0, 0

    def step(self, state: Any) -> int:
        began = time.thread_time()
        action = int(self._bot.step(state))
        if len(state.legal_actions()) > 1:
            self.spent += time.thread_time() - began
            self.moves += 1
        return action
