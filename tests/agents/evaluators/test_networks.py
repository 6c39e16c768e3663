"""The networks that come with the package."""

from pathlib import Path

import pytest

from starspiel.agents.evaluators import make_evaluator, networks
from starspiel.agents.evaluators.heuristic import has_heuristic, register_heuristic
from starspiel.agents.evaluators.network_file import read_network
from starspiel.agents.evaluators.shipped import shipped_network
from starspiel.agents.evaluators.zero import ZeroEvaluator
from starspiel.agents.registry import HEURISTICS
from starspiel.envs.errors import SpecError
from starspiel.envs.load import load_game
from starspiel.evaluation.tournament import tournament

FOLDER = Path(networks.__file__).parent
#: What the networks are for that stand by themselves.
GAMES = sorted(read_network(file).game for file in FOLDER.glob("*.npz") if not file.stem.endswith("_small"))


def test_they_are_small() -> None:
    sizes = [file.stat().st_size for file in FOLDER.glob("*.npz")]
    assert sizes
    assert max(sizes) <= 2**20
    assert sum(sizes) <= 5 * 2**20


@pytest.mark.parametrize("name", GAMES)
def test_each_says_how_it_was_made_and_is_what_auto_takes(name: str) -> None:
    game = load_game(name)
    network = shipped_network(game)
    assert network is not None
    made = network.made
    assert made["command"].startswith("starspiel train")
    assert made.get("state", made)["games"] > 10_000
    assert network.game == name
    assert make_evaluator("net", game).name == "net"
    taken = make_evaluator("auto", game).name
    assert taken == ("bearoff(evaluator=net)" if name.startswith("backgammon") else "net")


def test_other_parameters_are_another_game() -> None:
    other = "backgammon(max_player_turns=100)"
    assert shipped_network(load_game(other)) is None
    assert make_evaluator("auto", other).name == "bearoff(evaluator=heuristic(backgammon))"


@pytest.mark.parametrize("scoring", ["enable_gammons", "full_scoring"])
def test_backgammon_that_counts_gammons_has_a_network_of_its_own(scoring: str) -> None:
    game = load_game(f"backgammon(scoring_type={scoring})")
    network = shipped_network(game)
    assert network is not None
    assert network.made["games"] > 10_000
    evaluator = make_evaluator("auto", game)
    assert (evaluator.name, evaluator.range) == ("bearoff(evaluator=net)", game.utility_range)
    rivals = ["star2(depth=1,evaluator=net)", "star2(depth=1,evaluator=heuristic)"]
    assert tournament(game, rivals, pairs=5).matrix[0][1] > 0.5


@pytest.mark.parametrize("scoring", ["enable_gammons", "full_scoring"])
def test_the_chances_of_gammons_add_up_to_the_value(scoring: str) -> None:
    game = load_game(f"backgammon(scoring_type={scoring})")
    net, tables = make_evaluator("net", game), make_evaluator("bearoff", game)
    thrown = game.new_initial_state().child(0)
    double = thrown.child(thrown.legal_actions()[0]).child(35)  # two sixes
    half = double.child(double.legal_actions()[0])
    assert half.current_player() == double.current_player()
    for state in (*(thrown.child(action) for action in thrown.legal_actions()[:5]), thrown, double, half):
        chances = net.chances(state)  # type: ignore[attr-defined]
        assert chances == tables.chances(state)  # type: ignore[attr-defined]
        assert sum(chances.values()) == pytest.approx(1.0)
        assert min(chances.values()) >= 0.0
        assert sum(value * chance for value, chance in chances.items()) == pytest.approx(net(state), abs=1e-5)
    assert net.chances(game.new_initial_state()) is None  # type: ignore[attr-defined]
    plain = make_evaluator("net", "backgammon")
    assert plain.chances(load_game("backgammon").new_initial_state()) is None  # type: ignore[attr-defined]


def test_without_one_the_refusal_lists_those_that_come() -> None:
    with pytest.raises(SpecError, match=r"no network comes with starspiel for pig; .* backgammon.*file="):
        make_evaluator("net", "pig")


def test_a_heuristic_of_the_users_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(HEURISTICS, "backgammon", HEURISTICS["backgammon"])  # put back afterwards
    register_heuristic("backgammon", lambda game: ZeroEvaluator(load_game(game)))
    assert make_evaluator("auto", "backgammon").name == "zero"


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_each_beats_the_heuristic_or_mcts_at_the_depth_that_is_played(name: str) -> None:
    rival = "star2(depth=1,evaluator=heuristic)" if has_heuristic(load_game(name)) else "mcts(simulations=30)"
    result = tournament(name, ["star2(depth=1,evaluator=net)", rival], pairs=5)
    assert result.matrix[0][1] > 0.5  # of banqi's games three in five are drawn
