"""`starspiel analyze`: searches a position and shows the value of each move."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from rich.console import Console, Group
from rich.text import Text

from starspiel.agents.book import BookBot
from starspiel.agents.bots.auto import unknown, usual_search
from starspiel.agents.bots.mcts import MCTSBot
from starspiel.agents.bots.search_bot import SearchBot
from starspiel.agents.bots.uct import UCTBot
from starspiel.agents.rollouts.bot import RolloutBot
from starspiel.agents.roster import make_bot
from starspiel.agents.search import SearchResult
from starspiel.agents.search.deepening import Tell
from starspiel.agents.search.tree.recorder import MAX_RECORDED
from starspiel.agents.search.tree.tree import check_ending
from starspiel.cli.flags import AnyText, Json
from starspiel.cli.names import AgentName, GameName
from starspiel.cli.output import Board, counting, picked, show, show_json
from starspiel.cli.position import notations, parse_history, position_after, typed_position
from starspiel.envs.base import SIMULTANEOUS, Game, has_vector_values, is_simultaneous
from starspiel.envs.errors import StarspielError
from starspiel.envs.load import load_game
from starspiel.envs.named import names_module
from starspiel.envs.scoring import told_chances
from starspiel.envs.spec import Spec, parse_spec
from starspiel.evaluation.console import PlainConsole
from starspiel.evaluation.default_field import warn_of_endless
from starspiel.evaluation.outputs import check_output

#: The fields that --json gives of a search (in three parts) and of a rollout (in two), in this order.
_SEARCH = (
    "algorithm evaluator value value_to_go best_action best_actions soonest_actions",
    "principal_variation line depth exact nodes leaves perspective returns",
    "decision_cutoffs chance_cutoffs probes probes_won unprobed",
)
_ROLLOUT = (
    "evaluator value best_action settled ended confidence depth",
    "games decisions seconds notes perspective",
)


def analyze(
    game: GameName,
    /,
    *,
    history: str = "",
    position: AnyText = None,
    agent: AgentName | None = None,
    depth: int | None = None,
    seed: int = 1,
    tree: Path | None = None,
    rollout: bool = False,
    raw: bool = False,
    as_json: Json = False,
) -> None:
    """Search a position and show what each move is worth.

    The board is shown first, then one line for each search depth, then the values of the moves. Ctrl-C ends
    the search and shows the best result so far.

    Values are those of the player to move. They are the chance to win (a draw counts half) if returns say
    only who won, the equity in other two-player zero-sum games, the expected score in one-player games whose
    points are known (yacht, 2048), and the expected return in all other games. --raw, --json and rollouts
    show player 0's expected return of the whole game, including rewards already collected; in general-sum
    and multi-player games, that of the player to move.

    For example:

        starspiel analyze pig --history "roll,rolled 4" --depth 4
        starspiel analyze backgammon --history 14 --agent "star1(depth=1)" --json
        starspiel analyze chess --position "7k/8/8/8/8/8/6Q1/6RK w - - 0 1"
        starspiel analyze backgammon --position 4HPwATDgc/ABMA:cIkFAAAAAAAE
        starspiel analyze "Blackjack-v1(hidden=seen)" --history 7
        starspiel analyze "pig(players=3)" --agent "star1(depth=2,opponents=paranoid)"
        starspiel analyze pig --agent "star2(depth=3)" --tree search.html
        starspiel analyze backgammon --history 14 --rollout
        starspiel analyze pig --history 0,3 --agent "rollout(n=1296,depth=8)"

    Args:
        game: A game string, e.g. "pig(winscore=50)", the id of a Gymnasium environment, or module:Rules.
        history: The moves from the start, including chance outcomes, by number or by name, e.g. 3,0,17 or
            "roll,rolled 4". Separate names that contain commas with ";". If all players move at once, give
            one move for each player. If chance outcomes are sampled, give the game's seed, then the moves.
        position: The position to search, instead of --history: an XGID or GNU Backgammon's Position ID and
            Match ID in backgammon, a FEN in chess, OpenSpiel's own notation in other games.
        agent: A search agent, MCTS or a rollout, with its limits. Defaults to star2(depth=2), to
            star2ss(depth=2) if chance outcomes are sampled, and to MCTS if the game has no heuristic or
            network; in small games with simultaneous moves, to star2(nodes=20000). With book=, positions
            that are in the book are looked up instead of searched.
        depth: The depth of the search agent, short for depth= in its spec. If the game has no heuristic or
            network, Star2 then values positions by random games.
        seed: Seed of evaluators that draw random numbers.
        tree: Write the search tree to this file: a page whose nodes open and close (.html), or a picture
            (.svg). It is the tree of the Python engine with the same depth and options; the native engine may
            visit more or fewer nodes. If the tree is too large to record, a shallower one is drawn.
        rollout: Roll out each move instead of searching: play games after it, adjusted for luck, until the
            best move is clear. An --agent that is not a rollout plays these games.
        raw: Show returns instead of chances to win or scores.
    """
    if tree is not None:
        check_ending(tree)
        check_output("the tree", tree, ())
    if position is not None and history:
        raise StarspielError("give --history or --position, and not both.")
    played = load_game(game)
    actions = parse_history(played, history)
    state = position_after(played, actions) if position is None else typed_position(played, position)
    spec = _agent(played, agent, depth, rollout)
    bot = make_bot(spec, played, max(0, state.current_player()), seed)
    book, bot = (bot, bot.outside) if isinstance(bot, BookBot) else (None, bot)
    if not isinstance(bot, SearchBot | RolloutBot | UCTBot | MCTSBot):
        raise StarspielError(
            f"analyze needs a search agent such as star2(depth=3), mcts, or a rollout, got {spec!r}."
        )
    result = None if book is None else book.answer(state)
    if tree is not None:
        _check_drawable(bot, result is not None)
    about = {"game": played.name, "history": actions, "player": state.current_player(), "agent": spec}
    if position is not None:
        about["position"] = position
    about |= notations(state)
    if not as_json:
        _show_position(state, about)
    if names_module(played.name):
        warn_of_endless(played)
    if result is None and isinstance(bot, RolloutBot):
        with counting("game", "of at most", " from every move") as tell:
            rolled = bot.roll_out(state, tell=tell)
        moves = {"moves": [asdict(move) for move in rolled.moves]}
        first, last = (picked(rolled, names) for names in _ROLLOUT)
        _answer(rolled, about | {"players": rolled.agent} | first | moves | last, as_json)
        return
    if result is None:
        result = _found(bot, state, None if as_json else _Depths(raw))
    if agent is None and (note := unknown(played)):
        result = replace(result, notes=(*result.notes, note))
    chances = bot.chances_after(state, result.best_action) if isinstance(bot, SearchBot) else None
    told = {} if chances is None else {"chances": {f"{value:g}": each for value, each in chances.items()}}
    # Show the values before drawing, so that they are not lost if drawing fails.
    _answer(replace(result, outlook=None) if raw else result, about | _searched(result) | told, as_json)
    if chances is not None and not as_json:
        whose = f"after {result.names[result.best_action]}, by the network without search: "
        show(Text(whose + told_chances(played.name, chances, result.player)))
    if tree is not None:
        _draw_tree(result, tree, as_json)


def _found(bot: SearchBot | UCTBot | MCTSBot, state: Any, tell: Tell | None) -> SearchResult:
    if isinstance(bot, UCTBot | MCTSBot):
        return bot.analysis(state)
    return bot.search(state, tell=tell, explain=True, exact_action_values=True)


def _agent(game: Game, given: str | None, depth: int | None, rollout: bool) -> str:
    """Returns the spec of the agent that analyzes. Raises StarspielError if it cannot take that depth."""
    if rollout:
        if depth is not None:
            raise StarspielError("--depth is for searches; set a rollout's in its spec: rollout(depth=8).")
        if given is None:
            return "rollout"
        return given if parse_spec(given).name == "rollout" else f"rollout(agent={given})"
    if depth is None:
        return given or usual_search(game)
    star = "star1" if has_vector_values(game) else "star2"
    blind = f"{star}(evaluator=rollout(n=10))"  # without it, all positions before the end look equal
    spec = parse_spec(given or (blind if unknown(game) else usual_search(game)))
    if "depth" in spec.params and given is not None:
        raise StarspielError(f"the depth is given twice: in {given} and as --depth {depth}.")
    return str(Spec(spec.name, {**spec.params, "depth": depth}))


class _Depths:
    """Prints one line for each completed search depth."""

    def __init__(self, raw: bool) -> None:
        self._raw, self._is_first = raw, True

    def __call__(self, found: SearchResult) -> None:
        shown = replace(found, outlook=None) if self._raw else found
        if self._is_first:
            word = "value" if shown.outlook is None else shown.outlook.word
            self._say(f"{'depth':>5}  {word:>23}  {'nodes':>13}  {'seconds':>8}  best line")
            self._is_first = False
        nodes, line = f"{found.nodes:,}", "  ".join(found.line)
        self._say(
            f"{found.depth:>5}  {shown.told(found.value):>23}  {nodes:>13}  {found.seconds:>8.2f}  {line}"
        )

    def _say(self, line: str) -> None:
        PlainConsole().print(Text(line), soft_wrap=True)


def _show_position(state: Any, about: dict[str, Any]) -> None:
    player = about["player"]
    whose = "all players move at once" if player == SIMULTANEOUS else f"player {player} to move"
    called = "".join(f"{text}\n" for text in notations(state).values())
    show(Group(Board(state, max(0, player)), Text(f"{about['game']}, {whose}\n{called}")))


def _check_drawable(bot: Any, in_book: bool) -> None:
    if not isinstance(bot, SearchBot):
        what = "a rollout" if isinstance(bot, RolloutBot) else "Monte-Carlo tree search"
        raise StarspielError(f"{what} has no tree: --tree draws searches.")
    if is_simultaneous(bot.game):
        raise StarspielError(f"{bot.game.name} has simultaneous moves; --tree supports only moves in turn.")
    if in_book:
        raise StarspielError(
            "the position is in the book, so it is not searched: leave out book= to draw a --tree."
        )


def _searched(result: SearchResult) -> dict[str, Any]:
    """Returns the fields that --json gives of a search."""
    moves: dict[str, Any] = {
        key: {str(action): value for action, value in sorted(of.items())}
        for key, of in (
            ("action_values", result.action_values),
            ("unfinished", result.unfinished),
            ("action_names", result.names),
        )
    }
    answer, line, cuts = _SEARCH
    ends = picked(result, "seconds engine notes")
    if result.visits:
        moves["visits"] = {str(action): count for action, count in sorted(result.visits.items())}
    if result.strategies:
        moves["strategies"] = [asdict(strategy) for strategy in result.strategies]
    return picked(result, answer) | moves | picked(result, line) | picked(result.statistics, cuts) | ends


def _answer(result: Any, answer: dict[str, Any], as_json: bool) -> None:
    if as_json:
        show_json(answer)
    else:
        show(result)


def _draw_tree(result: SearchResult, file: Path, as_json: bool) -> None:
    console = Console(stderr=True)
    with console.status("the Python engine searches again for the tree", spinner="line"):
        drawn = result.tree()
        drawn.save(file)
    told = f"the tree is in {file}"
    if drawn.depth < result.depth:
        told += (
            f", drawn to depth {drawn.depth} of {result.depth}, the deepest that can be recorded "
            f"(at most {MAX_RECORDED:,} nodes)"
        )
        if as_json:
            console.print(Text(told))
    if not as_json:
        show(Text(told))
