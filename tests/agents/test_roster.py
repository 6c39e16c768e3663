"""From a spec to a bot: the roster, bots of one's own, and what is said of specs that name nothing."""

import json
import sys

import numpy as np
import pyspiel
import pytest

from starspiel.agents.evaluators import make_evaluator, register_evaluator, register_heuristic
from starspiel.agents.registry import BOTS, EVALUATORS, HEURISTICS
from starspiel.agents.roster import make_bot, register_bot, registered_agents
from starspiel.agents.search import DEFAULT_DEPTH, search
from starspiel.cli.app import main
from starspiel.envs.errors import SpecError, StarspielError
from starspiel.envs.load import load_game
from starspiel.evaluation import tournament


class FirstBot(pyspiel.Bot):
    """Plays the first legal action, or the one that many places on."""

    def __init__(self, place: int = 0) -> None:
        super().__init__()
        self.place = place

    def step(self, state):
        return state.legal_actions()[self.place]


@pytest.fixture
def registered():
    made = []

    def add(name, factory):
        register_bot(name, factory)
        made.append(name)

    yield add
    for name in made:
        del BOTS[name]


def test_a_registered_bot_is_made_from_its_spec_with_what_it_asks_for(registered):
    asked = {}

    def factory(game, player, seed, place=0):
        asked.update(game=game, player=player, seed=seed)
        return FirstBot(place)

    registered("mine", factory)
    state = pyspiel.load_game("tic_tac_toe").new_initial_state().child(8)
    assert make_bot("mine(place=4)", "tic_tac_toe", player=1, seed=9).step(state) == 4
    assert isinstance(asked["game"], pyspiel.Game)
    assert (asked["player"], asked["seed"]) == (1, 9)
    assert "mine" in registered_agents()
    with pytest.raises(SpecError, match="the agent 'mine' already exists"):
        register_bot("mine", factory)
    with pytest.raises(SpecError, match=r"mine has no parameter 'plaec'\. Did you mean 'place'"):
        make_bot("mine(plaec=4)", "tic_tac_toe")


@pytest.mark.parametrize("name", ["star2", "my bot", "a:b", ""])
def test_names_that_cannot_be_registered(name):
    with pytest.raises(SpecError):
        register_bot(name, FirstBot)


def test_a_factory_in_a_module_of_ones_own(tmp_path, monkeypatch):
    (tmp_path / "lab_bots.py").write_text(
        "import pyspiel\n"
        "class Last(pyspiel.Bot):\n"
        "    def __init__(self, game, back=1):\n"
        "        super().__init__()\n"
        "        assert isinstance(game, pyspiel.Game)\n"
        "        self.back = back\n"
        "    def step(self, state):\n"
        "        return state.legal_actions()[-self.back]\n"
        "class NoBot:\n"
        "    pass\n"
        "def positional(g, p):\n"
        "    return Last(g)\n"
        "def broken(game):\n"
        "    raise OSError('no weights')\n"
        "number = 3\n"
    )
    (tmp_path / "lab_broken.py").write_text("1 / 0\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    state = pyspiel.load_game("tic_tac_toe").new_initial_state()
    assert make_bot("lab_bots:Last", "tic_tac_toe").step(state) == 8
    assert make_bot("lab_bots:Last(back=3)", "tic_tac_toe").step(state) == 6
    for spec, says in (
        ("lab_bots:Last(front=3)", "has no parameter 'front'"),
        ("lab_bots:Lats", "module lab_bots has no 'Lats'"),
        ("lab_botz:Last", "there is no module 'lab_botz'"),
        ("lab_bots:number", "not a function or class"),
        ("lab_bots:NoBot", "has no step(state)"),
        (
            "lab_bots:positional",
            "required argument: 'g'. It gets game, player, seed by name, and what the spec sets.",
        ),
        ("lab_bots:broken", "raised OSError: no weights"),
        ("lab_broken:Bot", "importing lab_broken raised ZeroDivisionError"),
    ):
        with pytest.raises(SpecError) as caught:
            make_bot(spec, "tic_tac_toe")
        assert says in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("star3", "unknown agent 'star3'. Did you mean 'star"),
        ("zzz", "Known: "),
        ("star2(dept=3)", "star2 has no parameter 'dept'. Did you mean 'depth'?"),
        ("star2(depth=0)", "depth must be a whole number of at least 1, got 0"),
        ("star2(ties=last)", "ties must be soonest, first or random, got 'last'"),
        ("star2(seed=3)", "has no parameter 'seed'"),
        ("star2(algorithm=star1)", "has no parameter 'algorithm'"),
        ("star2(evaluator=guess)", "unknown evaluator 'guess'"),
        ("star2(evaluator=rollout(n=0))", "n must be a whole number of at least 1"),
        ("star2(evaluator=rollout(m=3))", "rollout has no parameter 'm'"),
        ("mcts(simulations=0)", "simulations must be a whole number"),
        ("mcts(rollouts=none)", "rollouts must be a whole number"),
        ("star2(engine=nativ)", "Did you mean 'native'"),
        ("mcts(simulations=10000000000000)", "it has a number that cannot be read"),
        ("builtins:exit", "SystemExit"),
    ],
)
def test_specs_that_name_no_agent(spec, says, capfd):
    with pytest.raises(StarspielError) as caught:
        make_bot(spec, "pig")
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)
    assert capfd.readouterr() == ("", "")


def test_an_agent_needs_a_seat_and_a_game_it_knows():
    with pytest.raises(SpecError, match=r"player must be in 0\.\.1 for pig, got 2"):
        make_bot("random", "pig", player=2)
    with pytest.raises(SpecError, match=r"player must be in 0\.\.0 for catch, got 1"):
        make_bot("random", "catch", player=1)
    with pytest.raises(StarspielError, match="no heuristic for tic_tac_toe"):
        make_bot("greedy(evaluator=heuristic)", "tic_tac_toe")
    with pytest.raises(StarspielError, match="imperfect information"):
        make_bot("star2", "kuhn_poker")


def test_engine_table_merging_and_ordering_are_parameters_of_a_spec():
    state = load_game("pig").new_initial_state()
    plain = make_bot("star1(depth=3,engine=python,table_mb=none,merge=false,order=false)", "pig")
    assert plain.step(state) == make_bot("star1 (depth = 3)", "pig").step(state)
    assert plain.last_result.engine == "python"
    assert plain.last_result.statistics.table_hits == plain.last_result.statistics.merged_outcomes == 0


@pytest.fixture
def lab(tmp_path, monkeypatch):
    """The name of a module with factories that show what they were given."""
    name = f"lab_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(
        "import pyspiel\n"
        "given = []\n"
        "class Bot(pyspiel.Bot):\n"
        "    def step(self, state):\n"
        "        return state.legal_actions()[0]\n"
        "def bot(game):\n"
        "    given.append(game)\n"
        "    return Bot()\n"
        "def value(game):\n"
        "    given.append(game)\n"
        "    return lambda state: 0.25\n"
        "def openspiels(player_id, rng, seed):\n"
        "    given.append((player_id, rng, seed))\n"
        "    return Bot()\n"
        "def anything(**given_by_name):\n"
        "    given.append(given_by_name)\n"
        "    return Bot()\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return name


@pytest.mark.parametrize(
    ("game", "kind"), [("tic_tac_toe", pyspiel.Game), ("star_pig(goal=20)", type(load_game("star_pig")))]
)
def test_a_factory_is_given_the_same_game_whichever_door_it_came_in_by(game, kind, lab, registered):
    make_bot(f"{lab}:bot", game)
    module = sys.modules[lab]
    registered("mine", module.bot)
    register_evaluator("my_value", module.value)
    shipped = dict(HEURISTICS)
    register_heuristic(game.partition("(")[0], module.value)
    try:
        make_bot("mine", game)
        for evaluator in (f"{lab}:value", "my_value", "heuristic", "auto"):
            made = make_evaluator(evaluator, game)
            assert made(None) == 0.25
        tournament(
            game,
            {"mine": lambda given, seat, seed: module.bot(given), "random": "random"},
            pairs=1,
        )
    finally:
        del EVALUATORS["my_value"]
        del HEURISTICS[game.partition("(")[0]]
        HEURISTICS.update(shipped)
    assert len(module.given) >= 7
    assert {type(given) for given in module.given if isinstance(given, kind)} == {
        type(given) for given in module.given
    }


def test_what_openspiel_calls_the_seat_and_the_random_numbers_is_filled_in(lab):
    for _ in range(2):
        make_bot(f"{lab}:openspiels", "pig", player=1, seed=7)
    (seat, rng, seed), (_, again, _) = sys.modules[lab].given
    assert (seat, seed) == (1, 7)
    assert isinstance(rng, np.random.RandomState)
    assert rng.randint(2**31) == again.randint(2**31)
    make_bot(f"{lab}:anything(level=3)", "pig", player=1, seed=7)
    assert set(sys.modules[lab].given[-1]) == {"game", "player", "seed", "level"}
    with pytest.raises(SpecError, match="has no parameter 'rng'"):
        make_bot(f"{lab}:openspiels(rng=3)", "pig")


OPENSPIELS = [
    "open_spiel.python.bots.uniform_random:UniformRandomBot",
    "pyspiel:make_uniform_random_bot",
    "pyspiel:make_stateful_random_bot",
]


@pytest.mark.parametrize("spec", OPENSPIELS[1:])
def test_compiled_bots_refuse_to_move_where_nobody_does(spec):
    """Asked at a chance node or after the end, the bots themselves end the process."""
    game = pyspiel.load_game("pig(winscore=10)")
    bot = make_bot(spec, game, player=0, seed=1)
    state = game.new_initial_state()
    policy, action = bot.step_with_policy(state)
    assert action in state.legal_actions()
    assert sum(probability for _, probability in policy) == pytest.approx(1)
    rolling = state.child(0)
    assert rolling.is_chance_node()
    ended = state
    while not ended.is_terminal():
        ended = ended.child(5 if ended.is_chance_node() else ended.legal_actions()[0])
    for nobodys in (rolling, ended):
        for ask in (bot.step, bot.step_with_policy, bot.get_policy):
            with pytest.raises(StarspielError, match="expected a decision node"):
                ask(nobodys)


def test_openspiels_own_bots_play_in_a_tournament_as_they_are(capfd):
    agents = ["random", *OPENSPIELS]
    results = [tournament("pig(winscore=15)", agents, pairs=1, seed=5, format="gauntlet") for _ in range(2)]
    first, again = ([[game.actions for game in pair.games] for pair in each.pairs] for each in results)
    assert first == again
    for pair in results[0].pairs:
        assert not pair.faults
        assert not pair.voided
    with pytest.raises(SystemExit) as ended:
        main(["tournament", "pig(winscore=15)", "--agents", *OPENSPIELS[:2], "--pairs", "1", "--json"])
    answer = capfd.readouterr()
    assert ended.value.code == 0, answer.err
    assert all(bot in answer.out for bot in OPENSPIELS[:2])
    assert json.loads(answer.out)


def test_a_compiled_function_that_does_not_tell_what_it_takes_is_refused():
    with pytest.raises(SpecError, match="write a function around it that names game, player or seed"):
        make_bot("pyspiel:make_policy_bot", "pig")


@pytest.mark.parametrize("game", ["pig", "tic_tac_toe", "star_pig", "2048"])
@pytest.mark.parametrize("algorithm", ["expectiminimax", "star1", "star2"])
def test_a_search_and_its_agent_have_one_default(algorithm, game):
    state = load_game(game).new_initial_state()
    while state.is_chance_node():
        state = state.child(state.chance_outcomes()[0][0])
    bot = make_bot(algorithm, game)
    bot.step(state)
    result = search(state, algorithm)
    assert result.depth == DEFAULT_DEPTH or result.exact
    assert (result.value, result.best_actions) == (bot.last_result.value, bot.last_result.best_actions)
    assert (result.depth, result.evaluator) == (bot.last_result.depth, bot.last_result.evaluator)
    assert search(state, algorithm, evaluator=None).evaluator == "zero"
