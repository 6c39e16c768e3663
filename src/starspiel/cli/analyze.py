"""`starspiel analyze`: what an agent thinks of a position."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console, Group
from rich.text import Text

from starspiel.agents.book import BookBot
from starspiel.agents.bots.auto import usual_search
from starspiel.agents.bots.search_bot import SearchBot
from starspiel.agents.rollouts.bot import RolloutBot
from starspiel.agents.roster import make_bot
from starspiel.agents.search import SearchResult
from starspiel.agents.search.sampling import SAMPLING
from starspiel.agents.search.tree.recorder import MAX_RECORDED
from starspiel.agents.search.tree.tree import check_ending
from starspiel.cli.flags import Json
from starspiel.cli.output import Board, counting, picked, show, show_json
from starspiel.cli.position import parse_history, position
from starspiel.envs.base import SIMULTANEOUS, is_simultaneous
from starspiel.envs.errors import StarspielError
from starspiel.envs.load import load_game
from starspiel.envs.modules import resolve
from starspiel.envs.spec import parse_spec
from starspiel.evaluation.outputs import check_output

#: What JSON says of a search and of a rollout, in two parts.
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
    game: str,
    /,
    *,
    history: str = "",
    agent: str | None = None,
    seed: int = 1,
    tree: Path | None = None,
    plot: Path | None = None,
    rollout: bool = False,
    as_json: Json = False,
) -> None:
    """Search a position and show the value of every move.

    Values are player 0's expected return of the whole game, what has been collected so far included. In games
    of more than two players, or that are not zero-sum, they are those of the player to move, whom the answer
    names; JSON has every player's as well.

    For example:

        starspiel analyze pig --history 1,0,3 --agent "star2(depth=4)"
        starspiel analyze backgammon --history 14 --agent "star1(depth=1)" --json
        starspiel analyze "Blackjack-v1(hidden=seen)" --history 7
        starspiel analyze "pig(players=3)" --agent "star1(depth=2,opponents=paranoid)"
        starspiel analyze pig --agent "star2(depth=3)" --tree search.html
        starspiel analyze pig --agent "star2(depth=4)" --plot depths.svg
        starspiel analyze backgammon --history 14 --rollout
        starspiel analyze pig --history 0,3 --rollout --agent "star2(depth=3)"
        starspiel analyze pig --history 0,3 --agent "rollout(n=1296,depth=8)"

    Args:
        game: An OpenSpiel game string, e.g. "pig(winscore=50)".
        history: The actions from the start, chance outcomes included, e.g. 3,0,17; if all players move at
            once, one of each. If chances can only be drawn: the seed that the game begins with, then the
            moves.
        agent: A search agent or a rollout, with its limits. Defaults to star2(depth=2), or star2ss(depth=2)
            if chances can only be drawn. With book=, the book answers for a position that it holds.
        seed: Seed of evaluators that use chance.
        tree: Write the tree of the Python engine's search with the same depth and options: a page whose nodes
            open and close (.html), or a picture (.svg). The native engine visits more nodes or fewer. A tree
            too large to record is drawn to the deepest depth that is not.
        plot: Write a chart (.svg) of value and nodes by depth, up to the agent's, for expectiminimax, Star1
            and Star2.
        rollout: Play games on from every move instead of searching, less the luck in them, until the best
            move is settled; an --agent that is no rollout then plays them. Ctrl-C shows what is known so
            far.
    """
    if tree is not None:
        check_ending(tree)
        check_output("the tree", tree, ())
    if plot is not None:
        if plot.suffix.lower() != ".svg":
            raise StarspielError(f"a plot is written to a .svg file, got {str(plot)!r}.")
        check_output("the plot", plot, [] if tree is None else [("the tree", tree)])
    played, actions = load_game(game), parse_history(history)
    state = position(played, actions)
    if not rollout:
        agent = agent or usual_search(played)
    elif agent is None or parse_spec(agent).name != "rollout":
        agent = "rollout" if agent is None else f"rollout(agent={agent})"
    bot = make_bot(agent, played, max(0, state.current_player()), seed)
    book, bot = (bot, bot.outside) if isinstance(bot, BookBot) else (None, bot)
    if not isinstance(bot, SearchBot | RolloutBot):
        raise StarspielError(
            f"analyze needs a search agent such as star2(depth=3), or a rollout, got {agent!r}."
        )
    result = None if book is None else book.answer(state)
    if tree is not None or plot is not None:
        _check_drawable(bot, result is not None, plot is not None)
    about = {"game": played.name, "history": actions, "player": state.current_player(), "agent": agent}
    if result is None and isinstance(bot, RolloutBot):
        with counting("game", "of at most", " from every move") as tell:
            rolled = bot.roll_out(state, tell=tell)
        moves = {"moves": [asdict(move) for move in rolled.moves]}
        first, last = (picked(rolled, names) for names in _ROLLOUT)
        _answer(rolled, state, about | {"players": rolled.agent} | first | moves | last, as_json)
        return
    if result is None:
        result = bot.search(state, explain=True, exact_action_values=True)
    # The values first: they are not lost if a drawing fails.
    _answer(result, state, about | _searched(result), as_json)
    if tree is not None:
        _draw_tree(result, tree, as_json)
    if plot is not None:
        by_depth, chart, save = (
            resolve(f"starspiel.evaluation.report.{name}")
            for name in ("depths:by_depth", "depths:depth_chart", "chart:save_chart")
        )
        save(chart(by_depth(bot, state, result.depth), bot.game.name), plot)
        if not as_json:
            show(Text(f"the plot is in {plot}"))


def _check_drawable(bot: SearchBot | RolloutBot, in_book: bool, plotted: bool) -> None:
    if isinstance(bot, RolloutBot):
        raise StarspielError("a rollout has no tree and no depths: --tree and --plot draw searches.")
    if is_simultaneous(bot.game):
        raise StarspielError(f"{bot.game.name} has simultaneous moves, whose searches are not drawn.")
    if plotted and bot.algorithm in SAMPLING:
        raise StarspielError(
            "--plot compares expectiminimax, Star1 and Star2, which list all outcomes of chance; "
            f"{bot.algorithm} draws some."
        )
    if in_book:
        raise StarspielError(
            "the position is in the book, so nothing is searched: leave book= out for --tree and --plot."
        )


def _searched(result: SearchResult) -> dict[str, Any]:
    """What JSON says of a search."""
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
    if result.strategies:
        moves["strategies"] = [asdict(strategy) for strategy in result.strategies]
    return picked(result, answer) | moves | picked(result, line) | picked(result.statistics, cuts) | ends


def _answer(result: Any, state: Any, answer: dict[str, Any], as_json: bool) -> None:
    if as_json:
        show_json(answer)
        return
    player = answer["player"]
    whose = "all players move at once" if player == SIMULTANEOUS else f"player {player} to move"
    show(Group(Board(state, max(0, player)), Text(f"{answer['game']}, {whose}\n")))
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
