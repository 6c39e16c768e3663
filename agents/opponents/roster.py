"""Opponents by name: from a spec, a policy or an agent to the model that a search plays against."""

import math
from collections.abc import Mapping
from numbers import Real
from typing import Any

from starspiel.agents.opponents.model import Opponent
from starspiel.envs.base import Game
from starspiel.envs.errors import SpecError, StarspielError, UnsupportedGameError, shown
from starspiel.envs.spec import Spec, as_spec, call_with_params

#: The name of the opponent that always makes its best move.
MINIMISER = "minimiser"
#: The names of the one whose moves have equal chances: `random` is the agent's.
UNIFORM = ("uniform", "random")


def as_opponent(given: Any, game: Game, seed: int | None = None) -> Opponent | None:
    """The model of the other player; None for one that always makes its best move.

    Args:
        given: `minimiser`; `uniform`, or `random`, every legal move with equal chances; `mix(error=0.2)`, the
            best move but for errors, one in five, which are uniform or, in `mix(error=0.2,policy=greedy)`, by
            a policy; the spec of any agent, which is asked for its `get_policy`; an OpenSpiel `Policy`; a bot
            with `get_policy`, or a list of one for each seat; an Opponent as it is. What says `by_position =
            True` is taken to move alike in equal positions.
        game: what is played, by two.
        seed: of agents that are made here; always the same one where none is given, so that every search, in
            either engine, asks the same policy.

    Raises SpecError where there is no such opponent, UnsupportedGameError where nobody plays against.
    """
    seed = 1 if seed is None else seed
    if isinstance(given, str | Spec):
        opponent = _named(as_spec(given), game, seed)
    elif given is None or isinstance(given, Opponent):
        opponent = given
    else:
        opponent = _by_policy(type(given).__name__, given, game, seed)
    if opponent is not None and game.num_players != 2:
        raise UnsupportedGameError(
            f"{game.name} is played alone, so there is no opponent {opponent.name}; leave the option out."
        )
    return opponent


def _named(spec: Spec, game: Game, seed: int) -> Opponent | None:
    if spec.name == MINIMISER:
        call_with_params(lambda: None, spec)
        return None
    if spec.name in UNIFORM and "book" not in spec.params:
        call_with_params(lambda: None, spec)
        return Opponent(UNIFORM[0])
    if spec.name == "mix":
        return _mixed(spec, game, seed)
    return _by_policy(str(spec), spec, game, seed)


def _mixed(spec: Spec, game: Game, seed: int) -> Opponent | None:
    def mix(error: Any = None, policy: Any = "uniform") -> Opponent | None:
        number = isinstance(error, Real) and not isinstance(error, bool)
        if not number or not (math.isfinite(error) and 0 <= error <= 1):
            got = "none" if error is None else shown(error)
            raise SpecError(
                f"opponent {spec}: error must be a number from 0 to 1, as in mix(error=0.2), got {got}."
            )
        errs = _named(as_spec(policy), game, seed) if isinstance(policy, str | Spec) else None
        if errs is None or errs.error != 1:
            raise SpecError(
                f"opponent {spec}: policy must be uniform or an agent, as in mix(error=0.2,policy=greedy), "
                f"got {shown(str(policy) if isinstance(policy, Spec) else policy)}."
            )
        if error == 0:
            return None
        return Opponent(str(spec), float(error), errs.policy, errs.by_position)

    made: Opponent | None = call_with_params(mix, spec)
    return made


def _by_policy(name: str, given: Any, game: Game, seed: int) -> Opponent:
    """The opponent that moves as an agent, a bot or a policy does."""
    from starspiel.agents.baselines.random import RandomBot  # these know of searches themselves
    from starspiel.agents.openspiel.incoming import is_player
    from starspiel.agents.roster import find_agent

    if isinstance(given, RandomBot):
        return Opponent(UNIFORM[0])
    if isinstance(given, Spec):
        find_agent(given.name)
    elif not is_player(given):
        raise SpecError(
            "expected an opponent such as uniform or mix(error=0.2), the spec of an agent, a policy or a bot "
            f"with get_policy, or a list of one for each seat, got {shown(given)}."
        )
    by_position = getattr(given, "by_position", False) is True
    return Opponent(name, policy=BotPolicy(name, given, game, seed), by_position=by_position)


class BotPolicy:
    """The policy of an agent, a bot or a policy; a bot is made for a seat when the seat is first asked.

    Copies begin anew.
    """

    def __init__(self, name: str, given: Any, game: Game, seed: int) -> None:
        self._made_from = name, given, game, seed
        self._bots: dict[int, Any] = {}

    def __call__(self, state: Any) -> Mapping[int, float]:
        from starspiel.agents.bots import move_chances

        player = state.current_player()
        if player not in self._bots:
            self._bots[player] = self._bot(player)
        try:
            return move_chances(self._bots[player], state)
        except StarspielError:
            raise
        except Exception as error:  # whatever somebody's policy raises
            raise StarspielError(
                f"opponent {self._made_from[0]} raised {type(error).__name__}: {error} at the state\n{state}"
            ) from error

    def _bot(self, player: int) -> Any:
        from starspiel.agents.bots import provides_policy
        from starspiel.agents.openspiel.incoming import fresh_bot
        from starspiel.agents.roster import make_bot

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
