"""One declaration (`GameKit`) for each game with a heuristic, encoder, network, board or other knowledge.

Parts are named, as `module:object` or `package:file`, and loaded on demand. A shipped dice game consists of
its folder in `envs/games/` and one entry here. The entry of an OpenSpiel game lists what agents know of it.
"""

from dataclasses import dataclass
from functools import cache

from starspiel.envs.modules import resolve


@dataclass(frozen=True, slots=True)
class GameKit:
    """The parts of a game; "" for parts that it does not have.

    Attributes:
        name: the game's short name.
        rules: the `Rules` class of a shipped game; "" for a game of OpenSpiel.
        heuristic: makes the evaluator `heuristic` from the game.
        encoder: makes the encoder of positions for networks from the game.
        networks: the files of the networks shipped for the game; the one for its default parameters first.
        small_network: the file of a small network with which move filters choose the moves that the others
            value.
        ntuples: the file of the n-tuple network shipped for the game.
        numbers: the module with `parameters(rules)` and `numbers(position)`, which pass rules and positions
            to the native core's model of the game; the model's C++ name is the game's.
        board: the module that draws the game's states: `drawing(state, viewer)` and, if it has them, `text`,
            `places`, `steps`, `ways`, `HANDS` and `SIDES` (what players are called, and which way they go).
            `Rules` may draw themselves instead.
        moves: the module that names the moves of an OpenSpiel game: `written(state, player, action)` and, if
            moves have other names, `also(state, action)`.
    """

    name: str
    rules: str = ""
    heuristic: str = ""
    encoder: str = ""
    networks: tuple[str, ...] = ()
    small_network: str = ""
    ntuples: str = ""
    numbers: str = ""
    board: str = ""
    moves: str = ""


_GAMES, _BOARDS = "starspiel.envs.games", "starspiel.envs.boards"
_PLAYS = "starspiel.envs.plays"
_EVALUATORS, _ENCODERS = "starspiel.agents.evaluators", "starspiel.agents.encoders"


def _kit(name: str, prefix: str, parts: str, module: str = "") -> GameKit:
    """Returns the kit of a game whose parts are named by convention.

    Modules are named after `module` and classes after `prefix`. The part "network_scored" is the file
    NAME_scored.npz. If one of the parts is "rules", the game is shipped, and its parts except the networks
    and the board are in its folder.
    """
    module = module or name
    folder = f"{_GAMES}.{module}"
    heuristics, encoders = f"{folder}.heuristic", f"{folder}.encoder"
    if "rules" not in parts:
        heuristics, encoders = f"{_EVALUATORS}.heuristics.{module}", f"{_ENCODERS}.{module}"
    places = {
        "rules": f"{folder}.rules:{prefix}",
        "heuristic": f"{heuristics}:{prefix}Heuristic",
        "encoder": f"{encoders}:{prefix}Encoder",
        "small_network": f"{_EVALUATORS}.networks:{name}_small.npz",
        "ntuples": f"{_EVALUATORS}.ntuples:{name}.npz",
        "numbers": f"{folder}.rules",
        "board": f"{_BOARDS}.{module}",
        "moves": f"{_PLAYS}.{module}",
    }
    networks = [part for part in parts.split() if part.startswith("network")]
    files = (f"{_EVALUATORS}.networks:{part.replace('network', name)}.npz" for part in networks)
    others = {part: places[part] for part in parts.split() if part not in networks}
    return GameKit(name, networks=tuple(files), **others)


KITS: tuple[GameKit, ...] = (
    # Shipped games. OpenSpiel has its own `pig` and `2048`, so ours are `star_pig` and `star_2048`.
    _kit("cant_stop", "CantStop", "rules heuristic encoder network numbers board"),
    _kit("dice", "Dice", "rules heuristic encoder numbers board"),
    _kit("knucklebones", "Knucklebones", "rules heuristic encoder network numbers board"),
    _kit(
        "royal_game_of_ur",
        "RoyalGameOfUr",
        "rules heuristic encoder network network_masters network_blitz network_aseb numbers board",
    ),
    _kit("star_2048", "TwentyFortyEight", "rules heuristic ntuples numbers board", "twenty_forty_eight"),
    _kit("star_pig", "Pig", "rules heuristic encoder numbers board", "pig"),
    # Games of OpenSpiel.
    _kit("2048", "TwentyFortyEight", "heuristic board", "twenty_forty_eight"),
    _kit("backgammon", "Backgammon", "heuristic encoder network network_scored small_network board moves"),
    _kit("banqi", "Banqi", "heuristic encoder network"),
    _kit("breakthrough", "", "network board"),
    _kit("chess", "", "board"),
    _kit("connect_four", "ConnectFour", "heuristic network board moves"),
    _kit("einstein_wurfelt_nicht", "Einstein", "heuristic encoder network board moves"),
    _kit("go", "", "board"),
    _kit("maedn", "Maedn", "heuristic encoder network"),
    _kit("othello", "", "network"),
    _kit("pig", "Pig", "heuristic encoder board"),
    _kit("yacht", "Yacht", "heuristic encoder board moves"),
)

#: The kits, by the short names of their games.
BY_NAME: dict[str, GameKit] = {kit.name: kit for kit in KITS}


def kit_of_rules(kind: type) -> GameKit | None:
    """Returns the kit of a shipped `Rules` class; None for a subclass too, because its rules may differ."""
    return _by_rules().get(kind)


@cache
def _by_rules() -> dict[type, GameKit]:
    return {resolve(kit.rules): kit for kit in KITS if kit.rules}
