"""Networks in the core: the values of the Python engine, whatever was valued before, and their training."""

from itertools import cycle, pairwise

import numpy as np
import pyspiel
import pytest
from support.native import core_options, decisions, walk

import starspiel
from starspiel.agents.encoders import encoder_of
from starspiel.agents.evaluators.network import of_game
from starspiel.agents.evaluators.network_file import NetworkFile
from starspiel.agents.native_positions import for_core
from starspiel.envs.load import load_game
from starspiel.envs.scoring import returns_of


def random_network(name, hidden, seed=1):
    """The evaluator of a network of random weights for a game."""
    game = load_game(name)
    encoder, returns = encoder_of(game), returns_of(game)
    draw = np.random.default_rng(seed)
    sizes = [len(encoder.units), *hidden, len(returns) - 1]
    layers = tuple(
        (
            draw.normal(0, (inputs if number else 16) ** -0.5, (inputs, outputs)).astype(np.float32),
            draw.normal(0, 0.1, outputs).astype(np.float32),
        )
        for number, (inputs, outputs) in enumerate(pairwise(sizes))
    )
    return of_game(game, NetworkFile(game.name, (encoder.name, encoder.version), returns, layers), "net")


SEARCHED = [
    ("backgammon", [9], 9),
    ("backgammon(scoring_type=full_scoring)", [16, 5, 3], 30),
    ("banqi", [33, 8], 15),
    ("cant_stop(shortest=2,sides=3)", [9, 4], 9),
    ("breakthrough(rows=6,columns=6)", [7], 5),
    ("connect_four", [5, 17], 4),
    ("einstein_wurfelt_nicht", [40, 24], 4),
    ("dice", [8, 2], 4),
    ("knucklebones", [10], 4),
    ("maedn(players=2)", [11, 1], 25),
    ("royal_game_of_ur", [13, 3], 25),
    ("star_pig(goal=20)", [6, 2], 4),
    ("pig(winscore=20)", [6, 2], 4),
]


@pytest.mark.parametrize(
    ("name", "hidden", "every", "depth"),
    [
        *((*row, 1) for row in SEARCHED),
        *(
            (name, [12, 4], 6, 2)
            for name in ("einstein_wurfelt_nicht", "pig(winscore=20)", "connect_four", "knucklebones")
        ),
    ],
)
def test_searches_equal_those_in_python(core, name, hidden, every, depth):
    evaluator = random_network(name, hidden)
    for algorithm in ("expectiminimax", "star1", "star2") if depth == 1 else ("star2",):
        for state in decisions(name, 2, every, most=4 // depth):
            native, python = (
                starspiel.search(state, algorithm, starspiel.Limits(depth=depth), evaluator, engine=engine)
                for engine in ("native", "python")
            )
            assert native.engine == "native"
            assert native.action_values == pytest.approx(python.action_values, abs=1e-5)
            assert native.best_action == python.best_action


@pytest.mark.parametrize("name", ["backgammon", "banqi", "einstein_wurfelt_nicht", "connect_four"])
def test_pruning_table_merging_and_order_leave_the_value_alone(core, name):
    evaluator = random_network(name, [12, 4])
    for state in decisions(name, 2, 20, most=2):
        values = [
            starspiel.search(
                state,
                algorithm,
                starspiel.Limits(depth=2),
                evaluator,
                engine="native",
                table_mb=table,
                merge=reuse,
                order=reuse,
            ).value
            for algorithm in ("expectiminimax", "star1", "star2")
            for table, reuse in ((None, False), (16, False), (None, True), (16, True))
        ]
        assert values == pytest.approx([values[0]] * len(values), abs=1e-9)


@pytest.mark.parametrize("name", ["backgammon", "einstein_wurfelt_nicht", "connect_four"])
def test_a_value_does_not_depend_on_what_was_valued_before(core, name):
    """Sums brought from position to position are those of a fresh start, to the last bit."""
    evaluator = random_network(name, [10, 3])
    encoder = evaluator.encoder
    network = core.Network(evaluator.network.layers, encoder.units, evaluator.network.returns)
    options = core_options(core, evaluator.range)
    states = [state for state in walk(name, 3) if not state.is_terminal() and encoder.sees(state)]
    one_after_another = core.Engine(states[0], True, network, options)
    forwards = [one_after_another.evaluate(state) for state in states]
    backwards = [one_after_another.evaluate(state) for state in reversed(states)]
    fresh = [core.Engine(state, True, network, options).evaluate(state) for state in states]
    assert forwards == backwards[::-1] == fresh
    assert len(set(fresh)) > 5


def by_hand(evaluator, state):
    """What the network says in double precision, by the formula of its page."""
    encoder, returns = evaluator.encoder, np.array(evaluator.network.returns)
    row = np.zeros(len(encoder.units))
    for at, count in encoder.encode(state):
        row[at] = count * float(encoder.units[at])
    for number, (weights, bias) in enumerate(evaluator.network.layers):
        row = np.maximum(row, 0.01 * row) if number else row
        row = row @ weights.astype(np.float64) + bias.astype(np.float64)
    own = returns[0] + np.diff(returns) @ (1 / (1 + np.exp(-row)))
    return own if encoder.turn(state) == 0 else -own


@pytest.mark.parametrize(
    ("name", "hidden", "size"),
    [(name, hidden, (200.0, 900.0)[number % 2]) for number, (name, hidden, _) in enumerate(SEARCHED)],
)
def test_sums_of_large_weights_do_not_overflow(core, name, hidden, size):
    """The sums of the first layer go beyond 32 bits: 8192 of its units."""
    small = random_network(name, hidden)
    (first, bias), (second, shift), *rest = small.network.layers
    draw = np.random.default_rng(3)
    greatest = (
        size
        * draw.uniform(0.5, 1.0, first.shape).astype(np.float32)
        * draw.choice([1, 1, 1, -1], first.shape)
    )
    layers = ((greatest.astype(np.float32), bias), (second / np.float32(40 * size), shift), *rest)
    file = NetworkFile(small.network.game, small.network.encoder, small.network.returns, layers)
    evaluator = of_game(load_game(name), file, "net")
    states = [s for s in walk(name, 3) if not s.is_terminal() and evaluator.encoder.sees(s)]
    options = core_options(core, evaluator.range)
    network = core.Network(layers, evaluator.encoder.units, evaluator.network.returns)
    engine = core.Engine(for_core(core, states[0]), True, network, options)
    for state in states[::2]:
        expected = pytest.approx(by_hand(evaluator, state), abs=2e-4 * evaluator.range[1])
        assert evaluator(state) == expected
        assert engine.evaluate(for_core(core, state)) == expected


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda layers: layers[:1], "hidden layer"),
        (lambda layers: [*layers[:1], (layers[1][0][:-1], layers[1][1])], "as many weights"),
        (lambda layers: [(layers[0][0] * np.nan, layers[0][1]), layers[1]], "finite"),
        (lambda layers: [(layers[0][0] * np.float32(1e9), layers[0][1]), layers[1]], "within 1,000"),
    ],
)
def test_weights_that_do_not_fit_are_refused(core, change, words):
    evaluator = random_network("connect_four", [5])
    with pytest.raises(ValueError, match=words):
        core.Network(change(list(evaluator.network.layers)), evaluator.encoder.units, (-1.0, 1.0))


@pytest.mark.parametrize("scale", [(-1.0, 3.0), (1.0, 1.0), (-np.inf, np.inf), (1.0, -1.0)])
def test_a_range_that_is_not_of_a_zero_sum_game_is_refused(core, scale):
    evaluator = random_network("connect_four", [5])
    with pytest.raises(ValueError, match="expected 2 to 9 returns"):
        core.Network(evaluator.network.layers, evaluator.encoder.units, scale)
    with pytest.raises(ValueError, match="expected 2 to 9 returns"):
        core.Trainer(pyspiel.load_game("connect_four").new_initial_state(), [5], scale, 1)


@pytest.fixture
def use_lanes(core):
    widest = core.lanes()
    yield core.use_lanes
    core.use_lanes(widest)


@pytest.mark.parametrize("hidden", [(3,), (40, 21), (256, 96, 32), (130, 50)])
def test_no_value_depends_on_how_many_are_computed_at_once(core, use_lanes, hidden):
    """Nor do weights: units that fill the registers and units that are left over, of one row and of many."""

    def numbers(lanes):
        use_lanes(lanes)
        state = load_game("backgammon").new_initial_state().child(3)
        network = random_network("backgammon", hidden)
        how = {"evaluator": network, "engine": "native"}
        result = starspiel.search(state, "expectiminimax", starspiel.Limits(depth=2), **how)
        trainer = trainer_of(core, "backgammon", hidden)
        trainer.train(seed=1, rate=0.05, lambda_=0.5, games=4)
        trainer.train(seed=2, rate=0.05, lambda_=0.5, games=1, exact=True)
        return result.action_values, trainer.layers

    widths = [lanes for lanes in (4, 8, 16) if lanes <= core.lanes()]
    plain, *others = [numbers(lanes) for lanes in widths]
    for values, layers in others:
        assert values == plain[0]
        assert same(layers, plain[1])
    for none in (0, 5, 32):
        with pytest.raises(ValueError, match="lanes"):
            use_lanes(none)


# Training.


def trainer_of(core, name, hidden=(16,), seed=1):
    game = load_game(name)
    return core.Trainer(for_core(core, game.new_initial_state()), hidden, returns_of(game), seed)


def same(one, other):
    return all(
        np.array_equal(a, b) for pair in zip(one, other, strict=True) for a, b in zip(*pair, strict=True)
    )


TRAINED = [
    "backgammon",
    "backgammon(scoring_type=full_scoring)",
    "banqi",
    "cant_stop(sides=3)",
    "dice",
    "einstein_wurfelt_nicht",
    "knucklebones",
    "pig(winscore=20)",
    "royal_game_of_ur",
    "star_pig(goal=20)",
]


@pytest.mark.parametrize(("name", "exact"), zip(TRAINED, cycle((False, True))))
def test_one_thread_and_one_seed_repeat(core, name, exact):
    def trained(seed):
        trainer = trainer_of(core, name, (8, 4))
        done = trainer.train(seed=seed, rate=0.05, lambda_=0.5, explore=0.1, exact=exact, games=3)
        return done, trainer.layers

    (done, layers), (again, repeated), (_, other) = trained(5), trained(5), trained(6)
    assert done == again
    assert done[0] == 3
    assert done[1] > 0
    assert same(layers, repeated)
    assert not same(layers, other)


def test_positions_after_a_throw_are_trained_on(core):
    """A random game of pig has as many throws as holds; what follows either is seen."""
    training = {"seed": 1, "rate": 0.01, "lambda_": 0.5, "explore": 1.0, "games": 200}
    games, positions, _ = trainer_of(core, "pig(winscore=20)").train(exact=True, **training)
    assert games == 200
    assert positions > 200 * 15  # after holds alone there are 10 a game


def test_what_came_before_a_random_move_does_not_learn_from_it(core):
    """Unless its target is exact, or the heuristic's; if every move is random nothing else is left."""
    trainer = trainer_of(core, "einstein_wurfelt_nicht")
    before = trainer.layers
    training = {"seed": 1, "rate": 0.01, "lambda_": 0.5, "explore": 1.0, "games": 20}
    assert trainer.train(**training)[1] == 0
    assert same(before, trainer.layers)
    assert trainer.train(exact=True, **training)[1] > 0
    assert trainer.train(heuristic=0.5, **training)[1] > 0


def test_the_heuristic_is_learnt_where_it_alone_counts(core):
    def missed(weight):
        trainer = trainer_of(core, "einstein_wurfelt_nicht", (16, 8))
        training = {"rate": 0.05, "lambda_": 0.5, "heuristic": weight}
        trainer.train(seed=1, games=1500, **training)
        _, positions, errors = trainer.train(seed=2, games=100, **training)
        return errors / positions

    assert missed(1.0) < 0.5 * missed(0.0)


def test_a_drawn_game_counts_as_what_the_heuristic_says_of_its_end(core):
    """All targets are outcomes, and games that end after two quiet moves are mostly drawn."""

    def missed(draws):
        trainer = trainer_of(core, "banqi(max_no_progress=2)", (8,))
        training = {"seed": 1, "rate": 1e-6, "lambda_": 1.0, "games": 100, "draws": draws}
        _, positions, errors = trainer.train(**training)
        return errors / positions

    without, half, whole = missed(0.0), missed(0.5), missed(1.0)
    assert 0 < 2 * (half - without) < whole - without


def test_a_game_without_a_heuristic_is_not_taught_by_one(core):
    for how in ({"heuristic": 0.5}, {"draws": 0.5}):
        with pytest.raises(ValueError, match="no heuristic for this game"):
            trainer_of(core, "tic_tac_toe").train(seed=1, rate=0.05, lambda_=0.5, games=1, **how)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_training_that_is_stopped_ends_in_the_midst_of_its_games(core, threads):
    """A game of chinese_checkers takes seconds, and is not counted."""
    asked = []
    trainer = trainer_of(core, "chinese_checkers", (2,))
    training = {"seed": 1, "rate": 0.01, "lambda_": 0.5, "games": 10**6, "threads": threads}
    games, _, _ = trainer.train(stop=lambda: asked.append(1) or len(asked) == 3, **training)
    assert (games, len(asked)) == (0, 3)
    with pytest.raises(ZeroDivisionError):
        trainer.train(stop=lambda: 1 / 0, **training)


def test_weights_set_are_the_weights_got(core):
    one, other = (
        trainer_of(core, "einstein_wurfelt_nicht", seed=1),
        trainer_of(core, "einstein_wurfelt_nicht", seed=2),
    )
    assert not same(one.layers, other.layers)
    one.layers = other.layers
    assert same(one.layers, other.layers)
    with pytest.raises(ValueError, match="of other sizes"):
        one.layers = trainer_of(core, "einstein_wurfelt_nicht", (8,)).layers
    one.train(seed=1, rate=0.05, lambda_=0.5, games=1)
    assert not same(one.layers, other.layers)


@pytest.mark.parametrize(
    ("name", "games", "untrained", "trained"),
    [
        ("einstein_wurfelt_nicht", 8000, 135, 150),
        ("royal_game_of_ur(pieces=3)", 1500, 140, 150),
    ],
)
def test_a_short_training_beats_random(core, name, games, untrained, trained):
    """200 games against the random agent; one ply of looking ahead wins some without any training."""
    trainer = trainer_of(core, name)
    before = won(core, trainer, load_game(name))
    for seed in range(20):
        trainer.train(seed=seed, rate=0.003, lambda_=0.9, explore=0.1, games=games // 20)
    after = won(core, trainer, load_game(name))
    assert before < untrained
    assert after >= trained


def won(core, trainer, game):
    """Games of 200 that the trainer's moves win against random ones, beginning half of them."""
    wins = 0
    for number in range(200):
        own, draw = number % 2, np.random.default_rng(number)
        rival = starspiel.make_bot("random", game, 1 - own, seed=number)
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state = state.child(int(draw.choice(outcomes, p=chances)))
            elif state.current_player() == own:
                state = state.child(trainer.best(for_core(core, state)))
            else:
                state = state.child(rival.step(state))
        wins += state.returns()[own] > 0
    return wins


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("2048", "expected two players"),
        ("kuhn_poker", "expected two players"),
        ("goofspiel", "expected two players"),
        ("maedn(players=4)", "expected two players"),
        ("python_tic_tac_toe", "written in Python"),
        ("mnk(m=200,n=200,k=5)", "at most 65,535 entries, got 120000"),
    ],
)
def test_games_that_networks_do_not_value_are_refused(core, name, words):
    from open_spiel.python.games import tic_tac_toe  # noqa: F401

    state = pyspiel.load_game(name).new_initial_state()
    with pytest.raises(ValueError, match=words):
        core.Trainer(state, [4], (-1.0, 1.0), 1)
    if "entries" in words:
        with pytest.raises(ValueError, match=words):
            core.features(state)


@pytest.mark.parametrize("hidden", [[], [0], [4, -1], [100_000_000]])
def test_hidden_layers_of_no_size_are_refused(core, hidden):
    with pytest.raises(ValueError, match="hidden layer"):
        trainer_of(core, "pig", hidden)


def test_settings_without_a_meaning_are_refused(core):
    settings = {"seed": 1, "rate": 0.05, "lambda_": 0.5, "games": 1}
    for name, wrong in (
        ("games", 0),
        ("games", -1),
        ("seconds", float("inf")),
        ("rate", float("nan")),
        ("lambda_", 1.5),
        ("explore", -0.1),
        ("threads", 0),
        ("heuristic", 1.5),
        ("draws", -0.5),
    ):
        with pytest.raises(ValueError, match="expected"):
            trainer_of(core, "pig").train(**settings | {name: wrong})


def test_only_decisions_of_the_same_game_are_answered(core):
    trainer = trainer_of(core, "connect_four")
    *_, last = walk("connect_four", 1)
    with pytest.raises(ValueError, match="somebody decides"):
        trainer.best(last)
    with pytest.raises(ValueError, match="expected a state of connect_four"):
        trainer.best(next(walk("tic_tac_toe", 1)))
