"""One declaration for each game that starspiel knows more of than its rules.

Everything is named, as `module:object` or `package:file`, and loaded when it is asked for. A dice game that
ships takes its folder in `envs/games/` and one entry here; the entry of an OpenSpiel game says what agents
know of it.
"""

from dataclasses import dataclass
from functools import cache

from starspiel.envs.resolve import resolve


@dataclass(frozen=True, slots=True)
class GameKit:
    """What belongs to a game; "" stands for what it does without.

    Attributes:
        name: the game's short name.
        rules: the class of `Rules` of a game that ships; "" for one of OpenSpiel's.
        heuristic: makes the evaluator `heuristic` from the game.
        encoder: makes what a network sees of a position from the game.
        network, ntuples: the files of the networks that come for the game.
        numbers: the module with `parameters(rules)` and `numbers(position)`, by which the native core's model
            of the game is told of them; its C++ name is the game's.
        board: the module that draws the states of an OpenSpiel game: `drawing(state, viewer)` and, if it has
            them, `text`, `places`, `steps` and `SIDES` (what players are called, and where they go). Rules
            draw themselves.
    """

    name: str
    rules: str = ""
    heuristic: str = ""
    encoder: str = ""
    network: str = ""
    ntuples: str = ""
    numbers: str = ""
    board: str = ""


_GAMES = "starspiel.envs.games"
_BOARDS = "starspiel.envs.boards"
_HEURISTICS, _ENCODERS = "starspiel.agents.evaluators.heuristics", "starspiel.agents.encoders"
_NETWORKS, _NTUPLES = "starspiel.agents.evaluators.networks", "starspiel.agents.evaluators.ntuples"

KITS: tuple[GameKit, ...] = (
    # Those that ship. OpenSpiel has a `pig` and a `2048` of its own, so ours are `star_pig` and `star_2048`.
    GameKit(
        "cant_stop",
        rules=f"{_GAMES}.cant_stop.rules:CantStop",
        heuristic=f"{_GAMES}.cant_stop.heuristic:CantStopHeuristic",
        encoder=f"{_GAMES}.cant_stop.encoder:CantStopEncoder",
        network=f"{_NETWORKS}:cant_stop.npz",
        numbers=f"{_GAMES}.cant_stop.numbers",
    ),
    GameKit(
        "dice",
        rules=f"{_GAMES}.dice.rules:Dice",
        heuristic=f"{_GAMES}.dice.heuristic:DiceHeuristic",
        encoder=f"{_GAMES}.dice.encoder:DiceEncoder",
        numbers=f"{_GAMES}.dice.numbers",
    ),
    GameKit(
        "knucklebones",
        rules=f"{_GAMES}.knucklebones.rules:Knucklebones",
        heuristic=f"{_GAMES}.knucklebones.heuristic:KnucklebonesHeuristic",
        encoder=f"{_GAMES}.knucklebones.encoder:KnucklebonesEncoder",
        network=f"{_NETWORKS}:knucklebones.npz",
        numbers=f"{_GAMES}.knucklebones.numbers",
    ),
    GameKit(
        "royal_game_of_ur",
        rules=f"{_GAMES}.royal_game_of_ur.rules:RoyalGameOfUr",
        heuristic=f"{_GAMES}.royal_game_of_ur.heuristic:RoyalGameOfUrHeuristic",
        encoder=f"{_GAMES}.royal_game_of_ur.encoder:RoyalGameOfUrEncoder",
        network=f"{_NETWORKS}:royal_game_of_ur.npz",
        numbers=f"{_GAMES}.royal_game_of_ur.numbers",
    ),
    GameKit(
        "star_2048",
        rules=f"{_GAMES}.twenty_forty_eight.rules:TwentyFortyEight",
        heuristic=f"{_GAMES}.twenty_forty_eight.heuristic:Star2048Heuristic",
        ntuples=f"{_NTUPLES}:star_2048.npz",
        numbers=f"{_GAMES}.twenty_forty_eight.numbers",
    ),
    GameKit(
        "star_pig",
        rules=f"{_GAMES}.pig.rules:Pig",
        heuristic=f"{_GAMES}.pig.heuristic:StarPigHeuristic",
        encoder=f"{_GAMES}.pig.encoder:StarPigEncoder",
        numbers=f"{_GAMES}.pig.numbers",
    ),
    # OpenSpiel's.
    GameKit(
        "2048",
        heuristic=f"{_HEURISTICS}.twenty_forty_eight:TwentyFortyEightHeuristic",
        board=f"{_BOARDS}.twenty_forty_eight",
    ),
    GameKit(
        "backgammon",
        heuristic=f"{_HEURISTICS}.backgammon:BackgammonHeuristic",
        encoder=f"{_ENCODERS}.backgammon:BackgammonEncoder",
        network=f"{_NETWORKS}:backgammon.npz",
        board=f"{_BOARDS}.backgammon",
    ),
    GameKit(
        "banqi",
        heuristic=f"{_HEURISTICS}.banqi:BanqiHeuristic",
        encoder=f"{_ENCODERS}.banqi:BanqiEncoder",
        network=f"{_NETWORKS}:banqi.npz",
    ),
    GameKit("breakthrough", network=f"{_NETWORKS}:breakthrough.npz", board=f"{_BOARDS}.breakthrough"),
    GameKit(
        "connect_four",
        heuristic=f"{_HEURISTICS}.connect_four:ConnectFourHeuristic",
        network=f"{_NETWORKS}:connect_four.npz",
        board=f"{_BOARDS}.connect_four",
    ),
    GameKit(
        "einstein_wurfelt_nicht",
        heuristic=f"{_HEURISTICS}.einstein_wurfelt_nicht:EinsteinHeuristic",
        encoder=f"{_ENCODERS}.einstein_wurfelt_nicht:EinsteinEncoder",
        network=f"{_NETWORKS}:einstein_wurfelt_nicht.npz",
        board=f"{_BOARDS}.einstein_wurfelt_nicht",
    ),
    GameKit(
        "maedn",
        heuristic=f"{_HEURISTICS}.maedn:MaednHeuristic",
        encoder=f"{_ENCODERS}.maedn:MaednEncoder",
        network=f"{_NETWORKS}:maedn.npz",
    ),
    GameKit("othello", network=f"{_NETWORKS}:othello.npz"),
    GameKit(
        "pig",
        heuristic=f"{_HEURISTICS}.pig:PigHeuristic",
        encoder=f"{_ENCODERS}.pig:PigEncoder",
        board=f"{_BOARDS}.pig",
    ),
    GameKit(
        "yacht",
        heuristic=f"{_HEURISTICS}.yacht:YachtHeuristic",
        encoder=f"{_ENCODERS}.yacht:YachtEncoder",
    ),
)

#: The kits by the short names of their games.
BY_NAME: dict[str, GameKit] = {kit.name: kit for kit in KITS}


def kit_of_rules(kind: type) -> GameKit | None:
    """The kit of a class of rules that ships; a subclass may play by other rules and has none."""
    return _by_rules().get(kind)


@cache
def _by_rules() -> dict[type, GameKit]:
    return {resolve(kit.rules): kit for kit in KITS if kit.rules}
