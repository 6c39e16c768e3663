"""The table of OpenSpiel's games of perfect information, and of what plays them, in docs/openspiel_games.md.

`python docs/site/perfect_information.py` writes it anew, from what the games say and what the agents answer.
"""

import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyspiel

import starspiel
from starspiel.envs.base import is_simultaneous
from starspiel.envs.openspiel.game import REGISTERED_HERE

PAGE = Path(__file__).parents[1] / "openspiel_games.md"
BEGIN, END = "<!-- perfect information: begin -->\n", "<!-- perfect information: end -->\n"

#: What is loaded of games that need a parameter, or that one of them makes zero-sum.
EXAMPLES = {
    "laser_tag": "laser_tag(zero_sum=true)",
    "repeated_game": "repeated_game(num_repetitions=3,stage_game=matrix_mp())",
}
#: What is loaded with more players than it takes at least, if `players` does not say so.
_MORE_PLAYERS = {"pathfinding": "pathfinding(grid=A..a\nB..b\n)", "snake": "snake(players=4)"}
#: Agents that look at one position, and under what name they are listed.
_AGENTS = {
    "star2(depth=1,nodes=300)": "star2",
    "star2(depth=1,nodes=300,opponents=paranoid)": "paranoid",
    "mcts(simulations=4)": "mcts",
    "uct(rollout_moves=50,simulations=4)": "uct",
}
_MOVES = {
    pyspiel.GameType.Dynamics.SEQUENTIAL: "in turn",
    pyspiel.GameType.Dynamics.SIMULTANEOUS: "at once",
    pyspiel.GameType.Dynamics.MEAN_FIELD: "mean field",
}
_KINDS = (
    pyspiel.GameType.Information.PERFECT_INFORMATION,
    pyspiel.GameType.Information.ONE_SHOT,
)


def kinds() -> list[pyspiel.GameType]:
    """OpenSpiel's games in C++ whose registration declares perfect information, by name."""
    registered = (kind for kind in pyspiel.registered_games() if kind.information in _KINDS)
    own = (kind for kind in registered if kind.short_name not in REGISTERED_HERE)
    return sorted(
        (kind for kind in own if not kind.short_name.startswith("python_")), key=lambda kind: kind.short_name
    )


def table() -> str:
    """The table in Markdown: games with the same moves and agents share a row."""
    rows: dict[tuple[str, ...], list[str]] = {}
    for kind in kinds():
        chance = "" if kind.chance_mode == pyspiel.GameType.ChanceMode.DETERMINISTIC else ", chance"
        name = f"`{EXAMPLES.get(kind.short_name, kind.short_name)}`"
        rows.setdefault((_MOVES[kind.dynamics] + chance, played_by(kind)), []).append(name)
    head = "| games | moves | played by |\n|---|---|---|\n"
    return head + "".join(f"| {', '.join(names)} | {' | '.join(row)} |\n" for row, names in rows.items())


def played_by(kind: pyspiel.GameType) -> str:
    """What plays a game with as few players as it takes, and with three; else why nothing does."""
    if kind.short_name in ("efg_game", "nfg_game"):
        return "as the game in its file"
    spec = EXAMPLES.get(kind.short_name, kind.short_name)
    said = list(dict.fromkeys(map(_answer, _forms(spec, kind))))
    if len(said) == 1:
        return said[0]
    few, many = said
    return f"{few}; with three players {many}"


def _forms(spec: str, kind: pyspiel.GameType) -> Iterator[str]:
    yield spec
    if "(" not in spec and kind.min_num_players < 3 <= kind.max_num_players:
        yield _MORE_PLAYERS.get(spec, f"{spec}(players=3)")


def _answer(spec: str) -> str:
    try:
        game = starspiel.load_game(spec)
    except starspiel.UnsupportedGameError as error:
        reason = str(error).removeprefix(spec).strip()
        return f"refused: {re.split(r'[;,:] |[.] ', reason)[0].rstrip('.;')}"
    state: Any = game.new_initial_state()
    while state.is_chance_node():
        state = state.child(state.chance_outcomes()[0][0])
    able = [name for agent, name in _AGENTS.items() if _plays(agent, game, state)]
    if is_simultaneous(game):
        assert bool(able) == ({"star2", "uct"} <= set(able)), spec
        return "`star2`, `uct`" if able else "`random`, people and your own agents"
    if game.num_players < 3:
        able = [name for name in able if name != "paranoid"]
    all_of = [name for name in _AGENTS.values() if game.num_players > 2 or name != "paranoid"]
    return "all" if able == all_of else ", ".join(f"`{name}`" for name in able)


def _plays(agent: str, game: Any, state: Any) -> bool:
    """Whether the agent chooses a legal action."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            bot = starspiel.make_bot(agent, game, max(0, state.current_player()), seed=1)
            action = bot.step(state)
        except starspiel.UnsupportedGameError:
            return False
    return action in (state.legal_actions(0) if is_simultaneous(game) else state.legal_actions())


def written(page: str) -> str:
    """The page with its table made anew."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
