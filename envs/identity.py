"""Which games are the same: games go by what they are, not by the name they were asked for by."""

from starspiel.envs.base import Game


def canonical_name(game: Game) -> str:
    """The game's name, the same however it was asked for: `pig`, `pig(players=2)` and `pig()` have one.

    Of OpenSpiel's games, all parameters with their defaults filled in; of others, `game.name`.
    """
    return str(getattr(game, "canonical_name", game.name))


def identity_of(game: Game) -> str:
    """What tells the game from all others as far as text can: its canonical name, and a hash of what that
    leaves out, such as the contents of a file or a table.

    The source of a game written in Python is not part of it.
    """
    return str(getattr(game, "identity", game.name))


def same_game(one: Game, other: Game) -> bool:
    """Whether two Games are one game, so that a bot made for the one plays the other."""
    if one is other:
        return True
    mine, theirs = (getattr(game, "contents", None) for game in (one, other))
    if mine is not None and theirs is not None:
        return bool(mine == theirs)
    return type(one) is type(other) and identity_of(one) == identity_of(other)
