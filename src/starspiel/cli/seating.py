"""Assigns agents and people to the seats of a game, and says in words how the game ended."""

from collections.abc import Sequence

from starspiel.envs.base import Game, utility_sum
from starspiel.envs.errors import StarspielError
from starspiel.envs.outlook import outlook
from starspiel.evaluation.play.record import winners

#: The spec of a seat that a person plays.
PEOPLE = "human"


def seated(game: Game, seat: int, opponent: str | Sequence[str] | None, usual: str) -> tuple[str, ...]:
    """Returns the spec of each seat, with PEOPLE in `seat`.

    Args:
        opponent: one spec for all other seats, or one for each of them in seat order.
        usual: the spec of the other seats if `opponent` is None.

    Raises StarspielError if the number of opponents does not fit the other seats.
    """
    others = game.num_players - 1
    given = [opponent or usual] if isinstance(opponent, str | None) else list(opponent)
    if others == 0:
        if opponent is not None and given != [PEOPLE]:
            raise StarspielError(f"{game.name} is for one player: leave --opponent out.")
        return (PEOPLE,)
    given = given * others if len(given) == 1 else given
    if len(given) != others:
        wanted = "one --opponent" if others == 1 else f"one --opponent for all other seats, or {others}"
        raise StarspielError(f"{game.name}: expected {wanted}, got {len(given)}.")
    return (*given[:seat], PEOPLE, *given[seat:])


def verdict(game: Game, returns: Sequence[float], seats: Sequence[str], seat: int) -> str:
    """Returns how a game ended, in words for the person in `seat`, or for all people if there are several."""
    if len(returns) == 1:
        return f"the game is over, with {outlook(game).paid(returns[0])}."
    first = winners(returns)
    if len(first) == len(returns):
        return "a draw." if utility_sum(game) == 0 else f"all players have the same return, {returns[0]:g}."
    if utility_sum(game) is None:  # one player's gain is not another's loss
        who = [f"player {player} gets" for player in range(len(returns))]
        if seats.count(PEOPLE) == 1:
            who[seat] = "you get"
        return f"{', '.join(f'{each} {paid:g}' for each, paid in zip(who, returns, strict=True))}."
    if seats.count(PEOPLE) == 1 and len(first) == 1:
        own = "" if abs(returns[seat]) == 1 else f" (return {returns[seat]:g})"
        return f"you {'win' if first == [seat] else 'lose'}{own}."
    shown = "" if set(returns) == {-1, 1} else f" (returns {', '.join(f'{paid:g}' for paid in returns)})"
    if len(first) == 1:
        return f"player {first[0]} wins{shown}."
    return f"players {' and '.join(map(str, first))} share the best result{shown}."
