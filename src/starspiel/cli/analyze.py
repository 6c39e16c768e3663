"""`starspiel analyze`: what an agent thinks of a position."""

from dataclasses import asdict
from math import isnan
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter
from rich.console import Console, Group
from rich.text import Text

from starspiel.agents.book import BookBot
from starspiel.agents.bots.auto import usual_search
from starspiel.agents.bots.search_bot import SearchBot
from starspiel.agents.rollouts.bot import RolloutBot
from starspiel.agents.roster import make_bot
from starspiel.agents.search.sampling import SAMPLING
from starspiel.agents.search.tree.recorder import MAX_RECORDED
from starspiel.agents.search.tree.tree import check_ending
from starspiel.cli.output import Board, show, show_json
from starspiel.envs.base import CHANCE, Game
from starspiel.envs.errors import StarspielError
from starspiel.envs.load import load_game
from starspiel.envs.modules import resolve
from starspiel.envs.plays import name_of
from starspiel.envs.spec import parse_spec
from starspiel.evaluation.outputs import check_output
from starspiel.evaluation.play.course import SEEDS, course


def analyze(
    game: str,
    /,
    *,
    history: str = "",
    agent: str | None = None,
    seed: int = 1,
    tree: Path | None = None,
    plot: Path | None = None,
    rollout: Annotated[bool, Parameter(negative="")] = False,
    as_json: Annotated[bool, Parameter(name="--json", negative="")] = False,
) -> None:
    """Search a position and show the value of every move.

    Values are player 0's expected return of the whole game, what has been collected so far included.

    For example:

        starspiel analyze pig --history 1,0,3 --agent "star2(depth=4)"
        starspiel analyze backgammon --history 14 --agent "star1(depth=1)" --json
        starspiel analyze "Blackjack-v1(hidden=seen)" --history 7
        starspiel analyze pig --agent "star2(depth=3)" --tree search.html
        starspiel analyze pig --agent "star2(depth=4)" --plot depths.svg
        starspiel analyze backgammon --history 14 --rollout
        starspiel analyze pig --history 0,3 --rollout --agent "star2(depth=3)"
        starspiel analyze pig --history 0,3 --agent "rollout(n=1296,depth=8)"

    Parameters
    ----------
    game
        An OpenSpiel game string, e.g. "pig(winscore=50)".
    history
        The actions from the start, chance outcomes included, e.g. 3,0,17. Where these can only be drawn: the
        seed that the game begins with, then the moves.
    agent
        A search agent with its limits; star2(depth=2) unless told, or star2ss(depth=2) where chances can only
        be drawn. Or a rollout with its own. With book= the book answers for a position that it holds.
    seed
        Of evaluators that use chance.
    tree
        Write the tree of the Python engine's search with the same depth and options: a page whose nodes open
        and close (.html), or a picture (.svg). The native engine visits more nodes or fewer. A tree too
        large to record is drawn to the deepest depth that is not.
    plot
        Write a chart (.svg) of value and nodes by depth, up to the agent's, for expectiminimax, Star1 and
        Star2.
    rollout
        Play games on from every move instead of searching, less the luck in them, until the best move is
        settled; an --agent that is no rollout then plays them. Ctrl-C shows what is known by then.
    as_json
        Print one JSON object and nothing else.
    """
    if tree is not None:
        check_ending(tree)
        check_output("the tree", tree, ())
    if plot is not None:
        if plot.suffix.lower() != ".svg":
            raise StarspielError(f"a plot is written to a .svg file, got {str(plot)!r}.")
        check_output("the plot", plot, [] if tree is None else [("the tree", tree)])
    played = load_game(game)
    actions = parse_history(history)
    state = replay(played, actions)
    if rollout:
        agent = rollout_spec(agent)
    elif agent is None:
        agent = usual_search(played)
    bot = make_bot(agent, played, max(state.current_player(), 0), seed)
    book, bot = (bot, bot.outside) if isinstance(bot, BookBot) else (None, bot)
    if not isinstance(bot, SearchBot | RolloutBot):
        raise StarspielError(
            f"analyze needs a search agent such as star2(depth=3), or a rollout, got {agent!r}."
        )
    _check_that_someone_moves(played, state, actions)
    if isinstance(bot, RolloutBot) and (tree is not None or plot is not None):
        raise StarspielError("a rollout has no tree and no depths: --tree and --plot draw searches.")
    if plot is not None and isinstance(bot, SearchBot) and bot.algorithm in SAMPLING:
        raise StarspielError(
            "--plot compares expectiminimax, Star1 and Star2, which list all outcomes of chance; "
            f"{bot.algorithm} draws some."
        )
    result = None if book is None else book.answer(state)
    if result is not None and (tree is not None or plot is not None):
        raise StarspielError(
            "the position is in the book, so nothing is searched: leave book= out for --tree and --plot."
        )
    if result is None and isinstance(bot, RolloutBot):
        _show_rollout(bot, played, state, actions, agent, as_json)
        return
    if result is None:
        result = bot.search(state, explain=True, exact_action_values=True)
    # The values first: they are not lost where a drawing fails.
    if as_json:
        show_json(
            {
                "game": played.name,
                "history": actions,
                "player": result.player,
                "agent": agent,
                "algorithm": result.algorithm,
                "evaluator": result.evaluator,
                "value": result.value,
                "value_to_go": result.value_to_go,
                "best_action": result.best_action,
                "best_actions": list(result.best_actions),
                "soonest_actions": list(result.soonest_actions),
                "action_values": {
                    str(action): value for action, value in sorted(result.action_values.items())
                },
                "unfinished": {str(action): value for action, value in sorted(result.unfinished.items())},
                "action_names": {str(action): name for action, name in sorted(result.names.items())},
                "principal_variation": [list(step) for step in result.principal_variation],
                "line": list(result.line),
                "depth": result.depth,
                "exact": result.exact,
                "nodes": result.nodes,
                "leaves": result.leaves,
                "decision_cutoffs": result.statistics.decision_cutoffs,
                "chance_cutoffs": result.statistics.chance_cutoffs,
                "probes": result.statistics.probes,
                "probes_won": result.statistics.probes_won,
                "unprobed": result.statistics.unprobed,
                "seconds": result.seconds,
                "engine": result.engine,
                "notes": list(result.notes),
            }
        )
    else:
        show(Group(Board(state, result.player), Text(f"{played.name}, player {result.player} to move\n")))
        show(result)
    if tree is not None:
        with Console(stderr=True).status("the Python engine searches again for the tree", spinner="line"):
            drawn = result.tree()
            drawn.save(tree)
        where = f"the tree is in {tree}"
        if drawn.depth < result.depth:
            where += (
                f", drawn to depth {drawn.depth} of {result.depth}, the deepest that can be recorded "
                f"(at most {MAX_RECORDED:,} nodes)"
            )
        if not as_json:
            show(Text(where))
        elif drawn.depth < result.depth:
            Console(stderr=True).print(Text(where))
    if plot is not None:
        _plot(bot, state, result.depth, plot)
        if not as_json:
            show(Text(f"the plot is in {plot}"))


def rollout_spec(agent: str | None) -> str:
    """The agent, where it is a rollout; otherwise the rollout in which it plays."""
    if agent is None:
        return "rollout"
    return agent if parse_spec(agent).name == "rollout" else f"rollout(agent={agent})"


def _show_rollout(
    bot: RolloutBot, game: Game, state: Any, history: list[int], agent: str, as_json: bool
) -> None:
    with Console(stderr=True).status("game 1", spinner="line") as status:

        def tell(done: int, most: int) -> None:
            status.update(f"game {done:,} of at most {most:,} from every move")

        result = bot.roll_out(state, tell=tell, interruptible=True)
    if not as_json:
        show(Group(Board(state, result.player), Text(f"{game.name}, player {result.player} to move\n")))
        show(result)
        return
    show_json(
        {
            "game": game.name,
            "history": history,
            "player": result.player,
            "agent": agent,
            "players": result.agent,
            "evaluator": result.evaluator,
            "value": result.value,
            "best_action": result.best_action,
            "settled": result.settled,
            "ended": result.ended,
            "confidence": result.confidence,
            "depth": result.depth,
            "moves": [
                {name: number_or_none(value) for name, value in asdict(move).items()} for move in result.moves
            ],
            "games": result.games,
            "decisions": result.decisions,
            "seconds": result.seconds,
            "notes": list(result.notes),
        }
    )


def number_or_none(value: Any) -> Any:
    """The value; None for NaN, which JSON does not have."""
    return None if isinstance(value, float) and isnan(value) else value


def _plot(bot: SearchBot, state: Any, depth: int, path: Path) -> None:
    found = resolve("starspiel.evaluation.report.depths:by_depth")(bot, state, depth)
    resolve("starspiel.evaluation.report.chart:save_chart")(
        resolve("starspiel.evaluation.report.depths:depth_chart")(found, bot.game.name), path
    )


def _check_that_someone_moves(game: Game, state: Any, history: list[int]) -> None:
    """Raises StarspielError where there is no move to search, with what to type instead."""
    if state.is_terminal():
        raise StarspielError(f"history: {game.name} is over by then; give fewer actions.")
    if state.current_player() != CHANCE:
        return
    where = f"history: chance moves {'next' if history else 'first'} in {game.name}; add an outcome"
    outcomes = [outcome for outcome, _ in state.chance_outcomes()]
    known = ", ".join(f"{o} ({name_of(state, CHANCE, o)})" for o in outcomes[:6])
    example = ",".join(map(str, [*history, outcomes[0]]))
    more = ", …" if len(outcomes) > 6 else ""
    raise StarspielError(f"{where}, e.g. --history {example}. The outcomes are {known}{more}.")


def parse_history(text: str) -> list[int]:
    """The actions of `3,0,17`; none of an empty string. Raises StarspielError where it is no such list."""
    try:
        return [int(action) for action in text.split(",")] if text.strip() else []
    except ValueError:
        raise StarspielError(f"history must be actions such as 3,0,17, got {text!r}.") from None


def replay(game: Game, history: list[int]) -> Any:
    """The state after the actions; raises StarspielError at the first that is not legal."""
    if not game.explicit_chance:
        return _from_seed(game, history)
    state = game.new_initial_state()
    for i, action in enumerate(history):
        where = f"history: action {i + 1} of {len(history)}, {action}, is not legal"
        if state.is_terminal():
            raise StarspielError(f"{where}: {game.name} is over by then.")
        player = state.current_player()
        legal = [o for o, _ in state.chance_outcomes()] if player == CHANCE else list(state.legal_actions())
        if action not in legal:
            raise StarspielError(f"{where}; {_possible(state, legal)}.")
        state = state.child(action)
    return state


def _from_seed(game: Game, history: list[int]) -> Any:
    """The same of a game whose chances are drawn, as the record of a tournament's game has it."""
    if not history or not 0 <= history[0] < SEEDS:
        raise StarspielError(
            f"history: the chances of {game.name} are drawn, from a seed; expected one first, from 0 to "
            f"{SEEDS - 1}, e.g. --history {','.join(map(str, [1, *history[1:]]))}."
        )
    under_way = course(game, history[0])
    for i, action in enumerate(history[1:], 2):
        where = f"history: action {i} of {len(history)}, {action}, is not legal"
        if under_way.state.is_terminal():
            raise StarspielError(f"{where}: {game.name} is over by then.")
        legal = list(under_way.state.legal_actions())
        if action not in legal:
            raise StarspielError(f"{where}; {_possible(under_way.state, legal)}.")
        under_way.move(action)
    return under_way.state


def _possible(state: Any, legal: list[int]) -> str:
    player = state.current_player()
    what = "outcomes" if player == CHANCE else f"moves of player {player}"
    known = ", ".join(f"{a} ({name_of(state, player, a)})" for a in legal[:6])
    return f"the {what} are {known}{', …' if len(legal) > 6 else ''}"
