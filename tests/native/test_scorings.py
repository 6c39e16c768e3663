"""Backgammon by all its scorings: what a finished game counts, and what one network says of it."""

import math
import random
from itertools import pairwise

import numpy as np
import pytest
from support.native import core_options

from starspiel.agents.encoders import encoder_of
from starspiel.agents.evaluators import make_evaluator
from starspiel.agents.evaluators.network import of_game
from starspiel.agents.evaluators.network_file import NetworkFile
from starspiel.envs.errors import SpecError
from starspiel.envs.load import load_game
from starspiel.envs.scoring import returns_of

SCORINGS = ("winloss_scoring", "enable_gammons", "full_scoring")
FULL = "backgammon(scoring_type=full_scoring)"


def random_network(returns=(-3.0, -2.0, -1.0, 1.0, 2.0, 3.0), game=FULL):
    encoder = encoder_of(load_game(game))
    draw = np.random.default_rng(1)
    sizes = [len(encoder.units), 12, len(returns) - 1]
    layers = tuple(
        (draw.normal(0, 0.5, each).astype(np.float32), draw.normal(0, 1, each[1]).astype(np.float32))
        for each in pairwise(sizes)
    )
    return NetworkFile(game, (encoder.name, encoder.version), returns, layers)


def placed(core, game, player, sides):
    """A decision with a one and a two thrown; each side's checkers by points, the others borne off."""
    first = game.new_initial_state()
    states = (first.child(outcome) for outcome, _ in first.chance_outcomes())
    state = next(after for after in states if after.current_player() == player)
    board = [[0] * 24, [0] * 24]
    for seat, side in enumerate(sides):
        for point, men in side.items():
            board[seat][24 - point if seat == 0 else point - 1] = men
    off = [15 - sum(side) for side in board]
    core.set_backgammon(state, player=player, dice=[1, 2], bar=[0, 0], off=off, board=board)
    return state


def random_ending(core, game, draw):
    """A decision near the end, the loser's checkers anywhere, often none borne off."""
    winner = draw.randrange(2)
    losing: dict[int, int] = {}
    for _ in range(draw.choice([15, 15, 14, 12])):
        point = draw.choice([*range(1, 23), *range(1, 7)])
        losing[point] = losing.get(point, 0) + 1
    ahead = {draw.choice([1, 2]): draw.choice([1, 2])}
    return placed(core, game, winner, (ahead, losing) if winner == 0 else (losing, ahead))


@pytest.mark.parametrize("scoring", SCORINGS)
def test_finished_games_count_what_openspiel_says(core, scoring):
    """Gammons and backgammons: the value that the core gives a move is the return after it."""
    game = load_game(f"backgammon(scoring_type={scoring})")
    draw, counted = random.Random(4), set()
    for _ in range(1200):
        state = random_ending(core, game, draw)
        engine = core.Engine(state, True, core.Zero(), core_options(core))
        for action, value in engine.root(state, 1, math.inf, None, None)[1]:
            after = state.child(action)
            if after.is_terminal():
                assert value == after.returns()[0]
                counted.add(after.returns()[0])
    most = SCORINGS.index(scoring) + 1
    assert counted == {sign * count for sign in (-1, 1) for count in range(1, most + 1)}


def test_one_network_values_all_scorings(core):
    """By its chances, in Python and in the core; never beyond what a scoring counts."""
    network = random_network()
    games = [load_game(f"backgammon(scoring_type={scoring})") for scoring in SCORINGS]
    evaluators = [of_game(game, network, "net") for game in games]
    full = evaluators[-1]
    draw = random.Random(2)
    for _ in range(200):
        state = random_ending(core, games[0], draw)
        state = state.child(draw.choice(state.legal_actions()))
        if not full.encoder.sees(state):
            continue
        shares = full.shares([full.encoder.encode(state)])[0].astype(float)
        lost_more, lost_gammon, win, gammon, backgammon = shares
        own = [2 * win - 1]
        own.append(own[0] + gammon - (1 - lost_gammon))
        own.append(own[1] + backgammon - (1 - lost_more))
        sign = 1 if full.encoder.turn(state) == 0 else -1
        for game, evaluator, value in zip(games, evaluators, own, strict=True):
            assert evaluator(state) == pytest.approx(sign * value, abs=1e-6)
            low, high = game.utility_range
            assert (low, high) == evaluator.range
            assert low <= evaluator(state) <= high
            engine = core.Engine(state, True, evaluator.for_core(core, state, game), core_options(core))
            assert engine.evaluate(state) == pytest.approx(sign * value, abs=1e-5)


def test_a_network_that_knows_no_gammons_is_not_for_games_that_count_them(tmp_path):
    network = random_network((-1.0, 1.0), "backgammon")
    assert network.is_for(load_game("backgammon"))
    assert not network.is_for(load_game(FULL))
    assert random_network().is_for(load_game("backgammon"))
    assert not random_network().is_for(load_game("backgammon(max_player_turns=100)"))
    network.save(tmp_path / "net.npz")
    with pytest.raises(SpecError, match="is a network for 'backgammon', not for"):
        make_evaluator(f"net(file={tmp_path / 'net.npz'})", FULL)


def test_training_learns_gammons(core):
    """Who has two men left against fifteen wins a gammon, and only a game if one is borne off."""
    game = load_game(FULL)
    trainer = core.Trainer(game.new_initial_state(), [24], returns_of(game), 1)
    for seed in range(20):
        trainer.train(seed=seed, rate=0.003, lambda_=0.9, games=200)
    encoder = encoder_of(game)
    network = NetworkFile(FULL, (encoder.name, encoder.version), returns_of(game), tuple(trainer.layers))
    evaluator = of_game(game, network, "net")
    for player in (0, 1):
        sign = 1 - 2 * player
        values = []
        for others in ({5: 5, 7: 5, 12: 5}, {1: 3, 3: 5, 5: 1}):
            sides = ({5: 2, 6: 1}, others)
            state = placed(core, game, player, sides if player == 0 else sides[::-1])
            values.append(sign * evaluator(state.child(state.legal_actions()[0])))
        assert values[0] > 1.6 > 1.1 > values[1] > 0.6
