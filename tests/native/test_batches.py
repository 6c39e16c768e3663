"""Values asked for together: what a search finds does not depend on it; the counters say what was done."""

import numpy as np
import pytest
from support.native import core_options, decisions, walk

from starspiel.agents.encoders import encoder_of
from starspiel.agents.evaluators import BatchEvaluator
from starspiel.agents.evaluators.network import network_from_file
from starspiel.envs.load import load_game

GAMES = [
    ("backgammon", 15),
    ("banqi", 20),
    ("connect_four", 6),
    ("einstein_wurfelt_nicht", 5),
    ("maedn(players=2)", 40),
]


def arrays(core, name):
    """A function over rows that tells positions apart, as the core takes it."""
    encoder = encoder_of(load_game(name))
    weights = np.random.default_rng(1).normal(0, 0.2, len(encoder.units))
    evaluator = BatchEvaluator(lambda rows: np.tanh([float(np.dot(row, weights)) for row in rows]), encoder)
    return core.Arrays(evaluator.own_values, len(encoder.units))


def run(core, state, evaluator, depth, *, batch, prune, probes, reuse, table=0):
    how = {"prune": prune, "probes": probes, "merge": reuse, "order": reuse}
    options = core_options(core, (-1.0, 1.0), table_bytes=table, batch=batch, **how)
    engine = core.Engine(state, True, evaluator, options)
    finished, values = engine.root(state, depth, 0.0, None, None)
    assert finished
    return dict(values), engine.counters()


#: (prune, probes)
PRUNING = [(False, 0), (True, 0), (True, 1), (True, 2)]


@pytest.mark.parametrize(
    ("name", "every", "prune", "probes", "reuse"),
    [
        (*game, *pruning, (number + ways) % 2 == 0)
        for number, game in enumerate(GAMES)
        for ways, pruning in enumerate(PRUNING)
    ],
)
def test_batches_leave_the_values_alone(core, name, every, prune, probes, reuse):
    states = decisions(name, 2, every, most=2)
    evaluator = arrays(core, name)
    for state in states:
        alone, together = (
            run(core, state, evaluator, 2, batch=batch, prune=prune, probes=probes, reuse=reuse)
            for batch in (False, True)
        )
        best = max if state.current_player() == 0 else min
        assert best(together[0].values()) == pytest.approx(best(alone[0].values()), abs=1e-12)
        assert alone[1]["batches"] == 0
        assert 0 < together[1]["batches"] < together[1]["computed"]
        if not prune:
            assert together[0] == pytest.approx(alone[0], abs=1e-12)
            assert [together[1][name] for name in ("nodes", "leaves")] == [
                alone[1][name] for name in ("nodes", "leaves")
            ]


def test_a_table_leaves_them_alone_too(core):
    states = decisions("backgammon", 2)[8::20][:2]
    evaluator = arrays(core, "backgammon")
    how = {"prune": True, "probes": 1, "reuse": True, "table": 2**24}
    for state in states:
        best = max if state.current_player() == 0 else min
        values = [
            best(run(core, state, evaluator, 2, batch=batch, **how)[0].values()) for batch in (False, True)
        ]
        assert values[0] == pytest.approx(values[1], abs=1e-12)


def ends(state, player):
    """What the moves of a player lead to until somebody else decides, or chance; each once."""
    found = {}
    for action in state.legal_actions():
        child = state.child(action)
        if not child.is_terminal() and child.current_player() == player:
            found |= ends(child, player)
        else:
            found[str(child)] = child
    return found


def doubles(most):
    """Backgammon positions in which somebody has both halves of a double to play."""
    found = []
    for seed in range(30):
        for state in walk("backgammon", seed):
            player = state.current_player()
            if player < 0 or len(state.legal_actions()) < 20:
                continue
            if all(state.child(action).current_player() == player for action in state.legal_actions()):
                found.append(state)
    return found[:: len(found) // most][:most]


@pytest.mark.parametrize("prune", [False, True])
def test_equal_positions_of_a_batch_are_computed_once(core, prune):
    net = network_from_file(load_game("backgammon"))
    network = core.Network(net.network.layers, net.encoder.units, net.network.returns)
    for state in doubles(3):
        options = core_options(core, (-1, 1), prune=prune, merge=True, order=True)
        engine = core.Engine(state, True, network, options)
        engine.root(state, 1, 0.0, None, None)
        player = state.current_player()
        assert engine.counters()["computed"] == len(ends(state, player))


def test_both_halves_of_a_double_are_searched_as_one_move(core):
    """In the reply, if merging and ordering are on; the values stay those of the plain search."""
    net = network_from_file(load_game("backgammon"))
    network = core.Network(net.network.layers, net.encoder.units, net.network.returns)
    states = decisions("backgammon", 5)[10::14][:4]
    computed = []
    for state in states:
        plain, star1, star2 = (
            run(core, state, network, 2, batch=batch, prune=prune, probes=probes, reuse=reuse)
            for batch, prune, probes, reuse in (
                (False, False, 0, False),
                (True, True, 0, True),
                (True, True, 1, True),
            )
        )
        best = max if state.current_player() == 0 else min
        for found in (star1, star2):
            assert best(found[0].values()) == pytest.approx(best(plain[0].values()), abs=1e-9)
        computed.append([found[1]["computed"] for found in (plain, star1, star2)])
    plain, star1, star2 = np.sum(computed, axis=0)
    assert star2 < star1 < plain / 2


def test_a_node_limit_holds_with_batches(core):
    state = decisions("backgammon", 2)[12]
    options = core_options(core, (-1, 1), prune=True, probes=1, merge=True, order=True)
    engine = core.Engine(state, True, arrays(core, "backgammon"), options)
    finished, _ = engine.root(state, 2, 0.0, 100, None)
    assert not finished
    assert engine.counters()["nodes"] <= 100
