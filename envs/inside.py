"""Unwraps OpenSpiel's game wrappers: the game inside, and its position."""

from itertools import islice

import pyspiel

#: The wrappers whose moves and chance events are those of the game inside.
_TRANSPARENT = ("misere", "start_at", "zerosum")


def game_inside(game: pyspiel.Game) -> pyspiel.Game:
    """Returns the game inside one of OpenSpiel's wrappers."""
    parameters = dict(game.get_parameters()["game"])
    return pyspiel.load_game(parameters.pop("name"), parameters)


def unwrapped(game: pyspiel.Game) -> pyspiel.Game:
    """Returns the game with the same moves inside all wrappers; the game itself if there are none."""
    while game.get_type().short_name in _TRANSPARENT:
        game = game_inside(game)
    return game


def unwrapped_state(state: pyspiel.State) -> pyspiel.State:
    """Returns the position in the game inside all wrappers with the same moves; itself if there are none."""
    game, start, actions = state.get_game(), list[int](), state.history()
    if game.get_type().short_name not in _TRANSPARENT:
        return state
    while game.get_type().short_name in _TRANSPARENT:
        begun = game.get_parameters().get("history", "")
        start = [*(int(action) for action in begun.split(";") if action), *start]
        game = game_inside(game)
    position = game.new_initial_state()
    for action in start:  # at simultaneous nodes, one action stands for the moves of all players
        position.apply_action(action)
    left = iter(actions)
    for action in left:
        if position.is_simultaneous_node():
            position.apply_actions([action, *islice(left, position.num_players() - 1)])
        else:
            position.apply_action(action)
    return position
