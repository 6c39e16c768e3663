"""Says why some OpenSpiel games cannot be played here, and what to use instead, as the end of a sentence."""

from typing import Any

import pyspiel

_Type = pyspiel.GameType


def static_refusal(kind: pyspiel.GameType) -> str | None:
    """Returns why no game of this type can be played, if that is known before loading; else None."""
    if not kind.default_loadable:  # it depends on the game that it wraps, or on its file
        return _by_name(kind.short_name)
    return refusal(kind)


#: Wrappers that OpenSpiel declares to have imperfect information, whatever they wrap.
_ALWAYS_HIDDEN = {
    "cached_tree": (
        "has imperfect information according to OpenSpiel, which says so of every cached tree, rightly or "
        "not; load the game that it wraps."
    ),
    "coop_to_1p": "hides what its players know from one another; load the game that it wraps.",
    "turn_based_simultaneous_game": (
        "hides the move of who decides first; load the game that it wraps, whose simultaneous moves are "
        "searched as they are."
    ),
}

#: Games that cannot be searched inside a wrapper either.
_EVERYWHERE = {
    "add_noise": (
        "has no returns of its own: OpenSpiel draws the noise of an end when it is first looked at, so that "
        "a search changes what the game pays; load the game that it wraps."
    ),
    "morpion_solitaire": (
        "crashes the process in OpenSpiel when a state is cloned, which every search does; only "
        "apply_action on a single state is safe there."
    ),
}


def _by_name(name: str) -> str | None:
    """Returns why no game of this name can be searched; None if there is no such reason."""
    if name == "normal_form_extensive_game":
        return (
            "lists every pure strategy of the game that it wraps, which takes longer than its search and has "
            "simultaneous moves; load that game itself."
        )
    return _EVERYWHERE.get(name) or _ALWAYS_HIDDEN.get(name)


def refusal(kind: pyspiel.GameType) -> str | None:
    """Returns why a game of this type cannot be played, with an alternative, as the end of a sentence.

    Returns None if it can. Agents refuse further games: see agents/search/joint_deepening.py.
    """
    if reason := _by_name(kind.short_name):
        return reason
    if kind.dynamics == _Type.Dynamics.MEAN_FIELD:
        return "is a mean-field game, not a game of turns; use OpenSpiel's python/mfg algorithms."
    if kind.information == _Type.Information.IMPERFECT_INFORMATION:
        return (
            "has imperfect information; search here would see hidden cards. Use OpenSpiel's CFR "
            "(pyspiel.CFRSolver) or information-set MCTS (pyspiel.ISMCTSBot)."
        )
    if kind.chance_mode == _Type.ChanceMode.SAMPLED_STOCHASTIC:
        return (
            "only samples its chance outcomes and cannot list them; search needs the probabilities. Use a "
            "learner on open_spiel.python.rl_environment, such as tabular_qlearner or pytorch.dqn."
        )
    return None


def broken(game: pyspiel.Game) -> str | None:
    """Returns a known bug of OpenSpiel that makes the game, or one that it wraps, unplayable; else None."""
    inside: Any = {"name": game.get_type().short_name, **game.get_parameters()}
    while isinstance(inside, dict) and inside:
        if inside["name"] == "backgammon" and inside.get("hyper_backgammon"):
            return (
                "scores every game 0 in OpenSpiel, whoever wins: its returns wait for 15 checkers borne off "
                "in which each side has three. Use backgammon without hyper_backgammon."
            )
        if reason := _EVERYWHERE.get(inside["name"]):
            return reason
        if inside["name"] == "quoridor" and inside.get("players", 2) > 2:
            return (
                "raises errors in OpenSpiel in the middle of games of more than two players: legal jumps may "
                "leave the board or land on a pawn. Use quoridor with two."
            )
        inside = inside.get("game") or inside.get("stage_game")
    return None
