"""Makes bots from OpenSpiel's policies, RL agents and MCTS evaluators."""

import math
import random
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import mcts

from starspiel.agents.bot import Bot, Policy, check_turn
from starspiel.agents.from_openspiel import seat_of
from starspiel.envs.arguments import finite_number, seed_number, whole_number
from starspiel.envs.base import SIMULTANEOUS, Game, actions_of, check_in_turn
from starspiel.envs.errors import StarspielError, UnsupportedGameError, shown
from starspiel.envs.openspiel.counterpart import Followed

#: How far probabilities may be from a sum of 1: some come from networks in single precision.
_TOLERANCE = 1e-3


class FollowingBot(Bot):
    """The base class of bots around objects that need pyspiel states.

    A subclass defines `get_policy`, and may define `step_with_policy`.

    Args:
        game: the game to play: one of OpenSpiel's, or registered with OpenSpiel.
        seed: seed of the draws from its probabilities.
    """

    def __init__(self, game: Game, seed: int | None = None) -> None:
        super().__init__()
        self._game = game
        self._seed = seed_number(seed)
        self._followed = Followed(game)
        self.restart()

    def restart(self) -> None:
        self._random = random.Random(self._seed)
        self._followed.restart()

    def restart_at(self, state: Any) -> None:
        self.restart()
        self._followed.begin_at(state)

    def inform_action(self, state: Any, player: int, action: int) -> None:
        self._followed.event(state, action)

    def step_with_policy(self, state: Any) -> tuple[Policy, int]:
        policy = self.get_policy(state)
        action = self._random.choices(*zip(*policy, strict=True))[0]
        self._followed.event(state, action)
        return policy, action

    def _state(self, state: Any) -> Any:
        """Returns a pyspiel state for `state`, as a copy that nobody else uses."""
        check_turn(state, self._game)
        return self._followed.at(state).clone()


class PolicyBot(FollowingBot):
    """Plays by an OpenSpiel policy, written in Python or C++, which copies of the bot share.

    `player` is the seat; it matters only if all players move at once. Raises UnsupportedGameError if the
    policy declares that it was made for another game.
    """

    _shared = (*FollowingBot._shared, "_policy")

    def __init__(self, game: Game, policy: Any, seed: int | None = None, *, player: int = 0) -> None:
        self._policy, self.player = policy, player
        super().__init__(game, seed)
        made_for = getattr(policy, "game", None)
        if isinstance(made_for, pyspiel.Game) and _differ(made_for, self._followed.game):
            raise UnsupportedGameError(
                f"the {type(policy).__name__} was made for {made_for}, but the game is {game.name}; make it "
                "for that game."
            )

    def __repr__(self) -> str:
        return f"<bot of {type(self._policy).__name__} for {self._game.name}>"

    def get_policy(self, state: Any) -> Policy:
        asked = self._state(state)
        at_once = (self.player,) if state.current_player() == SIMULTANEOUS else ()
        given = self._policy.action_probabilities(asked, *at_once)
        return _distribution(given, list(actions_of(state, self.player)), type(self._policy).__name__)


class RLAgentBot(FollowingBot):
    """Plays as an OpenSpiel RL agent does in evaluation mode: it learns nothing.

    The agent sees what `rl_environment.Environment` would show it, including the full state. If it plays
    another seat than the one it was made for, the observations of the two seats are swapped.

    Args:
        agent: the `rl_agent.AbstractAgent`; copies of the bot share it.
        use_observation: whether `info_state` is the observation tensor instead of the information state
            tensor. Defaults to the latter, unless the game has none.

    Raises UnsupportedGameError if the game has no such tensor.
    """

    _shared = (*FollowingBot._shared, "_agent")

    def __init__(
        self, game: Game, agent: Any, seed: int | None = None, use_observation: bool | None = None
    ) -> None:
        check_in_turn(game, "an RL agent of OpenSpiel's")
        self._agent = agent
        super().__init__(game, seed)
        kind = self._followed.game.get_type()
        informs = kind.provides_information_state_tensor
        self._use_observation = not informs if use_observation is None else use_observation
        if not (kind.provides_observation_tensor if self._use_observation else informs):
            tensor = "observation" if self._use_observation else "information state"
            raise UnsupportedGameError(f"{game.name} has no {tensor} tensor, which the agent would see.")

    def __repr__(self) -> str:
        return f"<bot of {type(self._agent).__name__} for {self._game.name}>"

    def get_policy(self, state: Any) -> Policy:
        output = self._agent.step(self._time_step(self._state(state)), is_evaluation=True)
        name, action = type(self._agent).__name__, getattr(output, "action", None)
        if action is None:
            raise StarspielError(f"{name} chose no action: its step returned {shown(output)}.")
        legal, probs = state.legal_actions(), output.probs
        if probs is None or len(probs) == 0:
            return _distribution({int(action): 1.0}, legal, name)
        return _distribution({each: probs[each] for each in legal}, legal, name)

    def _time_step(self, state: Any) -> rl_environment.TimeStep:
        mover = state.current_player()
        order = list(range(self._game.num_players))
        seat = seat_of(self._agent)
        if seat in order:
            order[seat], order[mover] = mover, seat
        see = state.observation_tensor if self._use_observation else state.information_state_tensor
        game = self._followed.game
        observations = {
            "info_state": [see(player) for player in order],
            "legal_actions": [state.legal_actions(player) for player in order],
            "current_player": mover if seat is None else seat,
            "serialized_state": pyspiel.serialize_game_and_state(game, state),
        }
        nothing = [0.0] * len(order)
        return rl_environment.TimeStep(observations, nothing, nothing, rl_environment.StepType.MID)


class EvaluatorBot(FollowingBot):
    """Plays by OpenSpiel's MCTS in Python, with PUCT and an `mcts.Evaluator`, as OpenSpiel's AlphaZero does.

    The evaluator is not called at chance nodes. Raises UnsupportedGameError if OpenSpiel's MCTS does not
    support the game.
    """

    def __init__(
        self,
        game: Game,
        evaluator: Any,
        seed: int | None = None,
        simulations: int = 100,
        uct_c: float = 2.0,
    ) -> None:
        check_in_turn(game, "OpenSpiel's MCTS")
        self._evaluator = evaluator
        self._simulations = whole_number("simulations", simulations, 1)
        self._uct_c = finite_number("uct_c", uct_c)
        if game.step_rewards:
            raise UnsupportedGameError(
                f"OpenSpiel's MCTS cannot play {game.name}: it pays rewards on the way. Use uct(evaluator=…)."
            )
        super().__init__(game, seed)

    def __repr__(self) -> str:
        return f"<mcts bot of {type(self._evaluator).__name__} for {self._game.name}>"

    def restart(self) -> None:
        super().restart()
        self._numpy = np.random.RandomState(self._random.getrandbits(32))
        self.last_nodes = None

    def get_policy(self, state: Any) -> Policy:
        """Returns the probabilities of all legal actions at the next `step`, without affecting it."""
        return self.clone().step_with_policy(state)[0]

    def step(self, state: Any) -> int:
        searching = mcts.MCTSBot(
            self._followed.game,
            self._uct_c,
            self._simulations,
            self._evaluator,
            random_state=self._numpy,
            child_selection_fn=mcts.SearchNode.puct_value,
            dont_return_chance_node=True,
        )
        root = searching.mcts_search(self._state(state))
        self.last_nodes = int(root.explore_count)
        action = int(root.best_child().action)
        self._followed.event(state, action)
        return action

    step_with_policy = Bot.step_with_policy


class OpenSpielBot(FollowingBot):
    """One of OpenSpiel's Python bots, in a game whose states are not pyspiel's.

    It provides no policy, only moves.
    """

    def __init__(self, game: Game, bot: Any, seed: int | None = None) -> None:
        self._bot = bot
        super().__init__(game, seed)

    def provides_policy(self) -> bool:
        return False

    def get_policy(self, state: Any) -> Policy:
        raise StarspielError(f"{type(self._bot).__name__} provides no policy here.")

    def step(self, state: Any) -> int:
        action = int(self._bot.step(self._state(state)))
        self._followed.event(state, action)
        return action

    step_with_policy = Bot.step_with_policy


def _differ(one: pyspiel.Game, other: pyspiel.Game) -> bool:
    """Returns whether two games differ in their name, or in a parameter that both give."""
    if one.get_type().short_name != other.get_type().short_name:
        return True
    ours, theirs = one.get_parameters(), other.get_parameters()
    return any(str(ours[name]) != str(theirs[name]) for name in ours.keys() & theirs.keys())


def _distribution(given: Mapping[int, Any], legal: list[int], name: str) -> Policy:
    """Returns (action, probability) pairs of all legal actions. Raises StarspielError for no distribution."""
    chances = {int(action): float(chance) for action, chance in given.items()}
    total = math.fsum(chances.get(action, 0.0) for action in legal)
    if not abs(total - 1.0) <= _TOLERANCE or min(chances.values()) < 0.0:
        raise StarspielError(
            f"{name} gave {shown(chances)}; expected a probability for each of {shown(list(legal))}, "
            "1 in all."
        )
    return [(action, chances.get(action, 0.0) / total) for action in legal]
