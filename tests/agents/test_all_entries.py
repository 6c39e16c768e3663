"""What every agent of the roster and every evaluator must pass, on every kind of game."""

from pathlib import Path
from typing import Any

import pyspiel
import pytest
from support.cases import (
    AGENTS,
    EVALUATORS,
    REFUSED,
    UNSOLVED,
    case,
    evaluator_case,
    without_case,
    without_row,
)

from starspiel.agents.bot import Bot
from starspiel.agents.conformance import check_bot, check_evaluator
from starspiel.agents.evaluators import evaluator_names, make_evaluator
from starspiel.agents.roster import make_bot, registered_agents
from starspiel.envs.base import TERMINAL
from starspiel.envs.errors import StarspielError
from starspiel.envs.load import load_game

PAGE = Path(__file__).parents[2] / "docs" / "agents.md"
#: One of each: chance or none, OpenSpiel's or own rules, pays at the end or on the way.
KINDS = ("pig(winscore=15)", "catch", "star_2048(columns=2,rows=2)", "star_pig(goal=15)")
#: More of these kinds.
OTHERS = ("einstein_wurfelt_nicht", "tic_tac_toe", "2048(max_tile=16)")
CHECKS = {
    "every call is answered",
    "moves are legal",
    "the state is left alone",
    "the same seed plays the same",
    "policies are over legal moves",
}


def played(
    names: dict[str, str], games: tuple[str, ...], others: tuple[str, ...] = ()
) -> pytest.MarkDecorator:
    """Every pair of a name and a game that it plays, and one of the other games for each name in turn."""
    wanted = [(name, game) for name in sorted(names) for game in games]
    wanted += [(name, others[number % len(others)]) for number, name in enumerate(sorted(names)) if others]
    pairs = [pair for pair in wanted if pair not in REFUSED | UNSOLVED]
    return pytest.mark.parametrize(("name", "game"), pairs)


@pytest.mark.parametrize(("name", "game"), sorted(REFUSED))
def test_what_cannot_be_played_is_refused(name: str, game: str) -> None:
    for names, make, spec in ((AGENTS, make_bot, case), (EVALUATORS, make_evaluator, evaluator_case)):
        if name in names:
            with pytest.raises(StarspielError):
                make(spec(name, game), game)


@played(AGENTS, KINDS, OTHERS)
def test_an_agent_passes_every_check_that_ships(name: str, game: str) -> None:
    report = check_bot(case(name, game), game, games=2, seed=3)
    assert report.ok, str(report)
    assert {check.name for check in report.checks} == CHECKS


@played(AGENTS, KINDS)
class TestCalls:
    def test_it_answers_every_call_of_openspiels_interface(self, name: str, game: str) -> None:
        played = load_game(game)
        bot = make_bot(case(name, game), played, seed=7)
        assert isinstance(bot, Bot)
        assert isinstance(bot, pyspiel.Bot)
        assert bot.provides_policy() is True
        assert repr(bot).endswith(f"for {played.name}>")
        state: Any = played.new_initial_state()
        for _ in range(6):
            while state.is_chance_node():
                state = state.child(state.chance_outcomes()[0][0])
            if state.is_terminal():
                break
            legal = list(state.legal_actions())
            policy, action = bot.step_with_policy(state)
            assert [each for each, _ in policy] == [each for each, _ in bot.get_policy(state)] == legal
            assert dict(policy)[action] > 0
            bot.inform_action(state, state.current_player(), legal[0])
            bot.restart_at(state)
            state = state.child(legal[-1])
        bot.inform_actions(state, [0])
        bot.restart()

    def test_it_moves_at_no_state_but_a_decision_of_its_game(self, name: str, game: str) -> None:
        bot = make_bot(case(name, game), game, seed=1)
        state = load_game(game).new_initial_state()
        while (player := state.current_player()) != TERMINAL:
            if player < 0:
                for call in (bot.step, bot.step_with_policy, bot.get_policy):
                    with pytest.raises(StarspielError, match="chance node"):
                        call(state)
            state = state.child(
                state.chance_outcomes()[-1][0] if player < 0 else state.legal_actions()[-1 if player else 0]
            )
        with pytest.raises(StarspielError, match="the game is over"):
            bot.step(state)
        for other in ("nim", "pig(winscore=3)", "star_pig(goal=3)"):
            with pytest.raises(StarspielError, match=r"this bot was made for .*, but the state is of"):
                bot.step(load_game(other).new_initial_state())
        with pytest.raises(StarspielError, match="expected a state of a game"):
            bot.step(load_game(game))


@played(EVALUATORS, KINDS, OTHERS)
def test_an_evaluator_passes_every_check_that_ships(name: str, game: str) -> None:
    report = check_evaluator(evaluator_case(name, game), game, positions=100)
    assert report.ok, str(report)


@played(EVALUATORS, ("pig(winscore=15)", "star_2048(columns=2,rows=2)"))
def test_one_seed_gives_the_same_values(name: str, game: str) -> None:
    state = load_game(game).new_initial_state()
    one, other = (make_evaluator(evaluator_case(name, game), game, seed=5) for _ in range(2))
    assert one.name == other.name
    assert [one(state) for _ in range(3)] == [other(state) for _ in range(3)]


def test_every_agent_is_tested_and_on_the_page() -> None:
    names = set(registered_agents())
    assert not (words := without_case(names, AGENTS, "agent")), words
    assert not (words := without_row(names, PAGE, "agent")), words


def test_every_evaluator_is_tested_and_on_the_page() -> None:
    names = set(evaluator_names())
    assert not (words := without_case(names, EVALUATORS, "evaluator")), words
    assert not (words := without_row(names, PAGE, "evaluator")), words


def test_what_has_no_case_or_page_is_told_what_to_add() -> None:
    words = without_case({*AGENTS, "newcomer"}, AGENTS, "agent")
    assert words.startswith("the agent 'newcomer' is not tested: add a line with its spec to AGENTS of")
    assert "take it out" in without_case(set(AGENTS) - {"star2"}, AGENTS, "agent")
    assert "add the row `| `newcomer` | … |` to docs/agents.md" in without_row({"newcomer"}, PAGE, "agent")


@pytest.mark.parametrize("name", sorted(registered_agents()))
def test_the_page_names_every_parameter(name: str) -> None:
    text = PAGE.read_text(encoding="utf-8")
    row = next(line for line in text.splitlines() if f"| `{name}` |" in line)
    for parameter in registered_agents()[name].parameters:
        where = text if "(#search-parameters)" in row else row
        assert f"`{parameter}`" in where, f"{PAGE.name}: {name} takes {parameter}"
