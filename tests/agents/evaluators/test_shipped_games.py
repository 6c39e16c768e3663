"""The heuristics of the games that ship."""

import random

import pytest

from starspiel.agents import make_bot
from starspiel.agents.evaluators import make_evaluator
from starspiel.envs.base import CHANCE
from starspiel.envs.games import GAMES
from starspiel.envs.load import load_game
from starspiel.envs.rules import RulesState

PAIRED = [name for name, rules in GAMES.items() if rules.num_players == 2]


def mirrored(position):
    """The same position with the players' names exchanged."""
    turn = "turn_player" if hasattr(position, "turn_player") else "mover"
    changed = {turn: 1 - getattr(position, turn)}
    if getattr(position, "acting", CHANCE) >= 0:
        changed["acting"] = 1 - position.acting
    for pair in ("scores", "heights", "squares", "home", "grids", "stones"):
        if hasattr(position, pair):
            changed[pair] = getattr(position, pair)[::-1]
    return position._replace(**changed)


def random_game(game, rng, choose=None):
    state = game.new_initial_state()
    while not state.is_terminal():
        yield state
        player = state.current_player()
        if player == CHANCE:
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            state = state.child(rng.choices(outcomes, chances)[0])
        elif choose and choose[player]:
            state = state.child(choose[player].step(state))
        else:
            state = state.child(rng.choice(list(state.legal_actions())))
    yield state


@pytest.mark.parametrize(
    "name",
    [
        *PAIRED,
        "star_pig(goal=2,piglet=true)",
        "cant_stop(shortest=1,sides=2)",
        "royal_game_of_ur(pieces=1)",
        "knucklebones(columns=1,rows=1)",
        "dice(line=2,size=2)",
    ],
)
def test_values_are_in_range_and_change_sign_with_the_players(name) -> None:
    game = load_game(name)
    heuristic = make_evaluator("heuristic", game)
    low, high = heuristic.range
    seen = set()
    for seed in range(5):
        for state in list(random_game(game, random.Random(seed)))[:-1]:
            value = heuristic(state)
            assert low <= value <= high
            assert heuristic(RulesState(game, mirrored(state.position))) == pytest.approx(-value, abs=1e-12)
            seen.add(value)
    assert len(seen) > 10 or "(" in name


@pytest.mark.slow
@pytest.mark.parametrize("name", PAIRED)
def test_search_by_the_heuristic_beats_random_play(name) -> None:
    """Chosen so that an agent no better than random fails in about one of a thousand runs."""
    game = load_game(name)
    rng = random.Random(1)
    points = 0.0
    for number in range(40):
        seat = number % 2
        bots = [None, None]
        bots[seat] = make_bot("star2(depth=2)" if name == "star_pig" else "star2(depth=1)", game, seat, 1)
        *_, last = random_game(game, rng, bots)
        points += (1 + last.returns()[seat]) / 2
    assert points >= 30
