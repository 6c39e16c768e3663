"""GNU Backgammon as agent and evaluator; without the program only that it is missed."""

import random
import shutil

import pytest

from starspiel.agents.evaluators import make_evaluator
from starspiel.agents.reference import process
from starspiel.agents.roster import make_bot
from starspiel.envs.errors import SpecError, StarspielError
from starspiel.envs.load import load_game
from starspiel.evaluation.tournament import tournament

installed = pytest.mark.skipif(
    shutil.which("gnubg") is None and shutil.which("gnubg", path="/usr/games") is None,
    reason="the program gnubg is not installed",
)
FULL = "backgammon(scoring_type=full_scoring)"


def thrown(name, draw, moves):
    """The decisions of a random game, up to so many moves."""
    state = load_game(name).new_initial_state()
    for _ in range(moves):
        while state.is_chance_node():
            state = state.child(draw.choice([outcome for outcome, _ in state.chance_outcomes()]))
        if state.is_terminal():
            return
        yield state
        state = state.child(draw.choice(state.legal_actions()))


def test_without_the_program_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(process.shutil, "which", lambda *given, **named: None)
    monkeypatch.setattr(process, "_running", {})
    for make in (make_bot, make_evaluator):
        with pytest.raises(SpecError, match="apt install gnubg"):
            make("gnubg", "backgammon")


def test_a_program_that_ends_at_once_is_said_not_to_start(monkeypatch, tmp_path):
    program = tmp_path / "gnubg"
    program.write_text("#!/bin/sh\nexec <&-\nexit 3\n")
    program.chmod(0o700)
    monkeypatch.setattr(process.shutil, "which", lambda *given, **named: str(program))
    monkeypatch.setattr(process, "_running", {})
    for _ in range(5):  # with and without somebody who reads what it is told
        with pytest.raises(StarspielError, match="does not start"):
            make_bot("gnubg", "backgammon")


@installed
def test_its_own_choice_is_the_best_by_its_values():
    """At no plies it plays what its values like best, halves of doubles included; ties may go either way."""
    draw = random.Random(3)
    bot = make_bot("gnubg", FULL)
    compared = 0
    for _ in range(4):
        for state in thrown(FULL, draw, 40):
            values = bot.move_values(state)
            own = 1 if state.current_player() == 0 else -1
            best = max(own * value for value in values.values())
            assert own * values[bot.step(state)] == pytest.approx(best, abs=2e-3)
            compared += 1
    assert compared > 100


@installed
def test_values_are_of_the_scoring():
    """3 and 1, the best opening throw; either side may have it."""
    for name, low, high in (("backgammon", 0.05, 0.2), (FULL, 0.05, 0.3)):
        evaluator = make_evaluator("gnubg", name)
        state = load_game(name).new_initial_state()
        assert evaluator(state) == pytest.approx(0.0, abs=1e-9)
        thrown = [
            state.child(each)
            for each, _ in state.chance_outcomes()
            if state.action_to_string(each)[-3:] in ("13)", "31)")
        ]
        assert (
            sorted(low < (-1) ** each.current_player() * evaluator(each) < high for each in thrown)
            == [True] * 2
        )
        assert evaluator.range == ((-1.0, 1.0) if name == "backgammon" else (-3.0, 3.0))


@installed
def test_plies_change_plays_and_values():
    state = next(thrown(FULL, random.Random(1), 1))
    values = [
        make_evaluator(f"gnubg(plies={plies})", FULL)(state.child(state.legal_actions()[0]))
        for plies in (0, 1)
    ]
    assert values[0] != values[1]
    assert values[0] == pytest.approx(values[1], abs=0.3)
    decisions = [each for seed in (1, 2, 3) for each in thrown(FULL, random.Random(seed), 12)]
    none, one = (
        [make_bot(f"gnubg(plies={plies})", FULL).step(each) for each in decisions] for plies in (0, 1)
    )
    assert none != one


@installed
def test_a_program_that_has_ended_is_started_again():
    bot, state = make_bot("gnubg", FULL), next(thrown(FULL, random.Random(1), 1))
    action = bot.step(state)
    process.gnubg_of(0).close()
    assert bot.step(state) == action


@pytest.mark.slow
@installed
def test_it_beats_pubeval():
    assert tournament("backgammon", ["gnubg", "pubeval"], pairs=6, seed=1).matrix[0][1] > 0.5


def test_it_plays_backgammon_only():
    with pytest.raises(SpecError, match="gnubg plays backgammon, not pig"):
        make_bot("gnubg", load_game("pig"))
