"""`pettingzoo_env`: makes a game a PettingZoo AEC environment, with PettingZoo's usual wrappers."""

from typing import Any

import pyspiel

from starspiel.envs.arguments import finite_number, whole_number
from starspiel.envs.base import Game
from starspiel.envs.environments.dice_game import DiceGameEnv
from starspiel.envs.environments.game_env import GameEnv
from starspiel.envs.environments.openspiel_game import OpenSpielEnv
from starspiel.envs.environments.register import not_ours
from starspiel.envs.errors import StarspielError, shown
from starspiel.envs.load import load_game
from starspiel.envs.openspiel.game import OpenSpielGame
from starspiel.envs.rules import Rules

_RENDER_MODES = (None, "ansi", "human", "rgb_array")


def pettingzoo_env(
    game: str | pyspiel.Game | Game,
    *,
    illegal_reward: float | None = -1.0,
    max_cycles: int | None = None,
    render_mode: str | None = None,
) -> Any:
    """Returns a game as a PettingZoo AEC environment; needs the extra `starspiel[pettingzoo]`.

    The agents are "player_0", "player_1" and so on, one per player. An observation is a dict: "observation"
    is what starspiel's Gymnasium environment of the game shows that agent, and "action_mask" (int8) marks its
    legal actions, all 0 for an agent who is not to move. A reward is the increase of the agent's return. The
    environment throws the dice with the generator that `reset(seed=...)` seeds. `env.unwrapped.game` is the
    Game and `env.unwrapped.game_state` the current State.

    Args:
        game: what `load_game` takes: a game string such as `backgammon`, a `pyspiel.Game`, or `Rules`.
        illegal_reward: the reward for an illegal action, which ends the game (PettingZoo's
            `TerminateIllegalWrapper`). With None, it raises `IllegalActionError`, and the position stays.
        max_cycles: truncate the episode after this many actions of all agents together.
        render_mode: None, "ansi" (text), "rgb_array", or "human", which prints the text after each action.

    Raises:
        StarspielError: PettingZoo is not installed, there is no such game, or an argument is wrong.
        UnsupportedGameError: search cannot play the game soundly, or it has no observation tensor.
    """
    try:
        from pettingzoo.utils import wrappers

        from starspiel.envs.pettingzoo.aec import GameAEC
    except ModuleNotFoundError as error:
        raise StarspielError(
            f'pettingzoo_env needs PettingZoo ({error.name} is missing): pip install "starspiel[pettingzoo]".'
        ) from None
    if render_mode not in _RENDER_MODES:
        raise StarspielError(
            f"render_mode must be None, 'ansi', 'human' or 'rgb_array', got {shown(render_mode)}."
        )
    raw = GameAEC(_played(game, max_cycles), render_mode)
    if illegal_reward is not None:
        paid = finite_number("illegal_reward", illegal_reward)
        raw = wrappers.AssertOutOfBoundsWrapper(wrappers.TerminateIllegalWrapper(raw, illegal_reward=paid))
    return wrappers.OrderEnforcingWrapper(raw)


def _played(game: str | pyspiel.Game | Game, max_cycles: int | None) -> GameEnv:
    """Returns the Gymnasium environment of the game, in self-play."""
    max_steps = None if max_cycles is None else whole_number("max_cycles", max_cycles, 1)
    loaded = load_game(game)
    if isinstance(loaded, Rules):
        return DiceGameEnv(loaded, max_steps=max_steps)
    if isinstance(loaded, OpenSpielGame):
        return OpenSpielEnv(loaded, max_steps=max_steps)
    raise not_ours("pettingzoo_env plays OpenSpiel's games and Rules", loaded)
