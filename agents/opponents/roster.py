"""Makes opponents from specs, policies and agents."""

from collections.abc import Mapping
from typing import Any

from starspiel.agents.bot import move_chances, provides_policy
from starspiel.agents.from_openspiel import fresh_bot, is_player
from starspiel.agents.opponents.model import Opponent
from starspiel.agents.roster import find_agent, make_bot
from starspiel.envs.base import Game, check_opposed
from starspiel.envs.errors import SpecError, StarspielError, shown
from starspiel.envs.spec import Spec, as_spec

_UNIFORM = Opponent("uniform")


def as_opponent(given: Any, game: Game, seed: int | None = None) -> Opponent | None:
    """Returns the model of the other player; None for one that always makes the best move.

    Args:
        given: `optimal`; `uniform` or `random`; the spec of any agent, an OpenSpiel `Policy`, or a bot with
            `get_policy`, or a list of one of these for each seat; an Opponent is returned as it is. Objects
            with `by_position = True` are taken to move alike in equal positions.
        seed: seed of agents that are made here; always the same by default, so that every search asks the
            same policy.

    Raises SpecError if there is no such opponent. Raises UnsupportedGameError for a model unless the game has
    exactly one opponent with opposite interests.
    """
    seed = 1 if seed is None else seed
    if isinstance(given, str | Spec):
        opponent = _named(as_spec(given), game, seed)
    elif given is None or isinstance(given, Opponent):
        opponent = given
    else:
        opponent = _by_policy(type(given).__name__, given, game, seed)
    if opponent is not None:
        check_opposed(game, "a model of the opponent takes")
    return opponent


def _named(spec: Spec, game: Game, seed: int) -> Opponent | None:
    if str(spec) == "optimal":  # with parameters, it is the agent of that name
        return None
    return _UNIFORM if str(spec) in ("uniform", "random") else _by_policy(str(spec), spec, game, seed)


def _by_policy(name: str, given: Any, game: Game, seed: int) -> Opponent:
    """Returns an opponent that moves like an agent, a bot or a policy."""
    if getattr(given, "is_uniform", False):
        return _UNIFORM
    if isinstance(given, Spec):
        find_agent(given.name)
    elif not is_player(given):
        raise SpecError(
            "expected an opponent such as uniform, the spec of an agent, a policy or a bot "
            f"with get_policy, or a list with one per seat, got {shown(given)}."
        )
    by_position = getattr(given, "by_position", False) is True
    return Opponent(name, policy=BotPolicy(name, given, game, seed), by_position=by_position)


class BotPolicy:
    """The policy of an agent, bot or policy. Bots are made on first use of a seat; copies make new ones."""

    def __init__(self, name: str, given: Any, game: Game, seed: int) -> None:
        self._made_from = name, given, game, seed
        self._bots: dict[int, Any] = {}

    def __call__(self, state: Any) -> Mapping[int, float]:
        player = state.current_player()
        if player not in self._bots:
            self._bots[player] = self._bot(player)
        try:
            return move_chances(self._bots[player], state)
        except StarspielError:
            raise
        except Exception as error:  # anything that a user's policy raises
            raise StarspielError(
                f"opponent {self._made_from[0]} raised {type(error).__name__}: {error} at the state\n{state}"
            ) from error

    def _bot(self, player: int) -> Any:
        name, given, game, seed = self._made_from
        bot = (make_bot if isinstance(given, Spec) else fresh_bot)(given, game, player, seed)
        if not provides_policy(bot):
            raise StarspielError(
                f"opponent {name} does not say with which probabilities it moves: it has no get_policy, or "
                "its provides_policy() is false."
            )
        return bot

    def __deepcopy__(self, memo: dict[int, Any]) -> "BotPolicy":
        return BotPolicy(*self._made_from)

    def __reduce__(self) -> tuple[Any, ...]:
        return BotPolicy, self._made_from
