"""One page for each OpenSpiel game that search plays, from one template and from the games themselves."""

import random
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jinja2
import pyspiel

import starspiel
from starspiel.agents.evaluators.network_file import NetworkFile
from starspiel.agents.evaluators.shipped import shipped_network
from starspiel.agents.native_loader import is_native, native_status
from starspiel.envs.boards import board_html
from starspiel.envs.games import GAMES
from starspiel.envs.openspiel.game import qualifying_games

_TEMPLATE = jinja2.Template(
    (Path(__file__).parent / "game.md.j2").read_text(encoding="utf-8"), keep_trailing_newline=True
)

#: Of games that became playable later, or whose keys, bounds or evaluators changed: (version, what).
HISTORY: dict[str, list[tuple[str, str]]] = {}
_FIRST = [("0.1.0", "Playable.")]

#: Searched by models that read positions as bytes (`native/models`).
_MODELS = ("2048", "backgammon", "banqi", "einstein_wurfelt_nicht", "maedn", "pig", "yacht")


def pages() -> dict[str, str]:
    """Page of the site: its Markdown, for every game and their list."""
    names = [name for name in qualifying_games() if name not in GAMES]
    games = {name: starspiel.load_game(_spec(name)) for name in names}
    made = {f"games/openspiel/{name}.md": _page(name, game) for name, game in games.items()}
    rows = [
        f"| [`{name}`]({name}.md) | {_title(game)} | {game.num_players} | "
        f"{'yes' if _has_chance(game) else '–'} | {'yes' if game.has_key else '–'} |"
        for name, game in games.items()
    ]
    made["games/openspiel/index.md"] = (
        "# OpenSpiel's games, one by one\n\nThose that search plays, as `starspiel games` lists them; each "
        "page is made from the game itself.\n\n"
        "| game | | players | chance | key |\n| --- | --- | --- | --- | --- |\n" + "\n".join(rows) + "\n"
    )
    return made


def _spec(name: str) -> str:
    """With two players, if the game has more by itself."""
    two = {"maedn": "maedn(players=2)", "yacht": "yacht(players=2)", "pig": "pig(players=2)"}
    return two.get(name, name)


def _page(name: str, game: Any) -> str:
    history, reached = _position(game)
    bounds = game.utility_range
    state = game.new_initial_state()
    if name in _MODELS:
        engine = "the native core, by a model of its own"
    elif native_status().available and is_native(native_status().module, state):
        engine = "the native core, over OpenSpiel's states"
    else:
        engine = "the Python engine"
    return _TEMPLATE.render(
        name=name,
        spec=_spec(name),
        game=game,
        title=_title(game),
        about="Alone, for the greatest return." if game.num_players == 1 else "Two players, zero-sum.",
        players=game.num_players,
        chance=f"at most {game.pyspiel_game.max_chance_outcomes()} outcomes" if _has_chance(game) else "none",
        bounds="none that holds: Star1 and Star2 do not prune"
        if bounds is None
        else "[{:g}, {:g}]".format(*bounds),
        key=_key(game),
        evaluator=f"`{starspiel.make_evaluator('auto', game).name}`",
        engine=engine,
        networks=_trainings(shipped_network(game)),
        parameters=", ".join(f"`{key}={value}`" for key, value in _parameters(game).items()) or "none",
        length=f"{game.pyspiel_game.max_game_length()} decisions",
        openspiel=version("open_spiel"),
        events=history,
        position=board_html(reached),
        history=[*HISTORY.get(name, []), *_FIRST],
    )


def _trainings(network: NetworkFile | None) -> list[dict[str, Any]]:
    """The trainings of a shipped network, the last first: command, games, hours and scores by depth."""
    found, made = [], {} if network is None else network.made
    while made:
        depths: dict[int, list[str]] = {}
        for score in made.get("scores", ()):
            if score["opponent"] != "best":
                told = f"{100 * score['share']:.0f} % against `{score['opponent']}`"
                depths.setdefault(score["depth"], []).append(told)
        found.append(
            {
                "command": made["command"],
                "games": made.get("games"),
                "hours": made["seconds"] / 3600 if "seconds" in made else None,
                "scores": depths,
            }
        )
        made = made.get("begun_with", {}).get("made", {})
    return found


def _key(game: Any) -> str:
    if not game.has_key:
        return "none known: no table and no merging"
    return "sound" if game.key_depth is None else f"sound for searches of up to {game.key_depth} plies"


def _parameters(game: Any) -> dict[str, Any]:
    return dict(sorted(game.pyspiel_game.get_type().parameter_specification.items()))


def _title(game: Any) -> str:
    return str(game.pyspiel_game.get_type().long_name)


def _has_chance(game: Any) -> bool:
    return bool(game.pyspiel_game.get_type().chance_mode != pyspiel.GameType.ChanceMode.DETERMINISTIC)


def _position(game: Any) -> tuple[list[int], Any]:
    """What leads to a position in a random game, the same each time, and its state."""
    dice, state, events = random.Random(5), game.new_initial_state(), []
    while len(events) < 8 or state.is_chance_node():
        event = dice.choice(state.legal_actions())
        if state.child(event).is_terminal():
            break
        state = state.child(event)
        events.append(event)
    return events, state
