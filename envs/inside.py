"""What is inside OpenSpiel's wrappers: the game, and the position of it."""

import pyspiel

#: The wrappers whose moves and chance events are those of the game inside.
_TRANSPARENT = ("misere", "start_at", "zerosum")


def game_inside(game: pyspiel.Game) -> pyspiel.Game:
    """The game that one of OpenSpiel's wrappers holds."""
    parameters = dict(game.get_parameters()["game"])
    return pyspiel.load_game(parameters.pop("name"), parameters)


def unwrapped(game: pyspiel.Game) -> pyspiel.Game:
    """The game with the same moves inside all wrappers; itself without any."""
    while game.get_type().short_name in _TRANSPARENT:
        game = game_inside(game)
    return game


def unwrapped_state(state: pyspiel.State) -> pyspiel.State:
    """The position of the game with the same moves inside all wrappers; itself without any."""
    game, actions = state.get_game(), state.history()
    if game.get_type().short_name not in _TRANSPARENT:
        return state
    while game.get_type().short_name in _TRANSPARENT:
        begun = game.get_parameters().get("history", "")
        actions = [*(int(action) for action in begun.split(";") if action), *actions]
        game = game_inside(game)
    position = game.new_initial_state()
    for action in actions:
        position.apply_action(action)
    return position
