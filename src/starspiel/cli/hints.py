"""Gives hints in a game that a person plays: search results by the numbers of the moves on offer."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from starspiel.agents.book import Searcher
from starspiel.agents.bots.auto import usual_search
from starspiel.agents.bots.mcts import MCTSBot
from starspiel.agents.bots.uct import UCTBot
from starspiel.agents.roster import make_bot
from starspiel.agents.search import SearchResult
from starspiel.envs.base import Game
from starspiel.envs.errors import StarspielError
from starspiel.envs.plays import Play
from starspiel.evaluation.play.dice import derived_seed
from starspiel.evaluation.starting import starts


def numbered(result: SearchResult, plays: Sequence[Play], seat: int) -> SearchResult:
    """Returns the result with actions replaced by their numbers in `plays`, from 1.

    Of mixed strategies, only that of `seat` is kept. A play of several actions has the sum of their
    simulations and the mean of their values, weighted by simulations.
    """
    names = {i: play.name for i, play in enumerate(plays, start=1)}
    number = {action: i for i, play in enumerate(plays, start=1) for action in play.actions}
    if result.strategies:
        own = result.strategies[seat].renamed(number, names)
        return replace(result, player=seat, best_action=own.most_likely, strategies=(own,), names=names)
    tried = {i: [a for a in play.actions if a in result.action_values] for i, play in enumerate(plays, 1)}

    def means(values: Mapping[int, Any]) -> dict[int, Any]:
        """Returns the mean value of each play."""
        return {
            i: np.average(
                [values[action] for action in actions],
                axis=0,
                weights=[result.visits.get(action, 1) for action in actions],
            ).tolist()
            for i, actions in tried.items()
            if actions
        }

    vectors = result.action_returns
    return replace(
        result,
        best_action=number[result.best_action],
        action_values=means(result.action_values),
        action_returns=None if vectors is None else {i: tuple(of) for i, of in means(vectors).items()},
        best_actions=tuple(sorted({number[action] for action in result.best_actions})),
        soonest_actions=tuple(sorted({number[action] for action in result.soonest_actions})),
        names=names,
        visits={i: sum(result.visits[a] for a in of) for i, of in tried.items() if of and result.visits},
    )


def whose_values(result: SearchResult, viewer: int | None) -> str:
    """Returns what the figures on the moves mean, in words; `viewer` is None if only one person plays."""
    word = "value" if result.outlook is None else result.outlook.word
    chances = "how often to make it, and " if result.strategies else ""
    if result.outlook is None:
        return f"{chances}the {word} of player {result.perspective}"
    return f"{chances}your {word}" if viewer is None else f"{chances}the {word} of player {viewer}"


def on_moves(result: SearchResult) -> dict[int, str]:
    """Returns the label of each move in a `numbered` result: its value, and its share of a mixed strategy."""
    if not result.strategies:
        return {
            number: f"{result.told(value)}{' best' if number in result.best_actions else ''}"
            for number, value in result.action_values.items()
        }
    [own] = result.strategies
    told = (lambda value, _: f"{value:+.4f}") if result.outlook is None else result.outlook.text
    values = {number: f", {told(value, own.player)}" for number, value in own.action_values.items()}
    return {
        number: f"{100 * chance:.1f} %{values.get(number, '')}{' best' if chance > 0 else ''}"
        for number, chance in own.policy.items()
    }


def hinter(spec: str, game: Game, seat: int, seed: int) -> Any:
    """Returns the agent that gives hints, with a seed derived from the game's; None for an empty spec.

    Raises StarspielError if the spec is not that of a search agent.
    """
    if not spec:
        return None
    starts(spec, spec)
    made = make_bot(spec, game, seat, derived_seed("play", seed, "hint"))
    if not isinstance(made, Searcher | UCTBot | MCTSBot):
        usual = usual_search(game)
        raise StarspielError(f"--hint must be a search agent such as {usual}, or mcts, got {spec!r}.")
    return made
