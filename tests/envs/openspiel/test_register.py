"""Games registered with OpenSpiel: found by name, sound by OpenSpiel's own test, played by its algorithms."""

import copy
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pyspiel
import pytest

import starspiel
from starspiel.agents.search import Limits, search
from starspiel.envs.errors import SpecError, StarspielError, UnsupportedGameError
from starspiel.envs.games import GAMES
from starspiel.envs.games.pig import Pig
from starspiel.envs.load import game_of, load_game
from starspiel.envs.openspiel.game import REGISTERED_HERE
from starspiel.envs.openspiel.register import register_openspiel
from starspiel.envs.openspiel.registered import RegisteredGame

SPECS = (
    *GAMES,
    "cant_stop(columns_to_win=1,shortest=2,sides=3)",
    "knucklebones(columns=2,rows=2,sides=3)",
    "royal_game_of_ur(dice=3,pieces=2)",
    "star_pig(goal=7,piglet=True)",
    "star_pig(goal=20,sides=3)",
)


def play_randomly(game: Any, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(rng.choice(outcomes, p=chances)))
        else:
            state.apply_action(int(rng.choice(state.legal_actions())))
    return state


@pytest.mark.parametrize("spec", SPECS)
def test_openspiels_random_simulation_test_passes(spec: str) -> None:
    game = pyspiel.load_game(spec)
    assert str(game).removesuffix("()") == spec
    pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)


@pytest.mark.parametrize(
    "spec", ["CliffWalkingSlippery-v1(horizon=30)", "FrozenLake-v1", "Taxi-v4(horizon=20)"]
)
def test_so_do_games_with_step_rewards_made_from_gymnasium(spec: str) -> None:
    name = register_openspiel(load_game(spec), spec.partition("-")[0].lower())
    game = pyspiel.load_game(name)
    assert (game.num_players(), game.get_type().utility) == (1, pyspiel.GameType.Utility.GENERAL_SUM)
    pyspiel.random_sim_test(game, num_sims=3, serialize=True, verbose=False)
    state = play_randomly(game, 1)
    decision = game.new_initial_state()
    for action in state.history()[:2]:
        decision.apply_action(action)
    while decision.is_chance_node():
        decision.apply_action(decision.chance_outcomes()[0][0])
    expected = search(decision.state, "expectiminimax", Limits(depth=2)).action_values
    assert search(decision, "expectiminimax", Limits(depth=2)).action_values == expected


@pytest.mark.parametrize("spec", SPECS)
def test_a_state_is_that_of_the_rules(spec: str) -> None:
    rules: Any = load_game(spec)
    game = pyspiel.load_game(spec)
    final = play_randomly(game, 1)
    state, ours = game.new_initial_state(), rules.new_initial_state()
    for action in final.history():
        assert state.current_player() == ours.current_player()
        assert state.legal_actions() == list(ours.legal_actions())
        assert str(ours) in str(state)
        for player in range(rules.num_players):
            assert state.observation_tensor(player) == pytest.approx(rules.observation(ours.position, player))
        assert 0 <= max(state.legal_actions()) < max(game.num_distinct_actions(), game.max_chance_outcomes())
        if state.is_chance_node():
            assert state.chance_outcomes() == list(ours.chance_outcomes())
            assert max(outcome for outcome, _ in state.chance_outcomes()) < game.max_chance_outcomes()
        mover = state.current_player()
        assert state.action_to_string(mover, action) == ours.action_to_string(mover, action)
        state.apply_action(action)
        ours = ours.child(action)
    assert state.returns() == ours.returns() == final.returns()
    assert state.information_state_string(0) == state.history_str()


@pytest.mark.parametrize("spec", ["star_pig(goal=20,piglet=True)", "dice"])
def test_games_and_states_are_copied_pickled_and_serialised(spec: str) -> None:
    game: Any = pyspiel.load_game(spec)
    state = game.new_initial_state()
    for _ in range(4):
        state.apply_action(state.legal_actions()[0])
    for again in (pickle.loads(pickle.dumps(game)), copy.copy(game), copy.deepcopy(game)):
        assert str(again) == str(game)
        assert again.starspiel_game.name == game.starspiel_game.name
        assert str(play_randomly(again, 1)) == str(play_randomly(game, 1))
    before, history = str(state), state.history()
    for duplicate in (
        state.clone(),
        copy.copy(state),
        copy.deepcopy(state),
        pickle.loads(pickle.dumps((game, state)))[1],
        game.deserialize_state(state.serialize()),
    ):
        assert (str(duplicate), duplicate.history()) == (before, history)
        action = duplicate.legal_actions()[-1]
        duplicate.apply_action(action)
        assert duplicate.history() == [*history, action]
        assert str(state) == before


def test_a_pickled_game_that_nobody_has_registered_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    pickled = pickle.dumps(pyspiel.load_game("star_pig(goal=5)"))
    monkeypatch.delitem(REGISTERED_HERE, "star_pig")
    with pytest.raises(StarspielError, match=r"'star_pig\(goal=5\)' is not registered in this process"):
        pickle.loads(pickled)


def test_search_plays_the_registered_game_as_it_plays_the_rules() -> None:
    game = pyspiel.load_game("star_pig(goal=8)")
    state = game.new_initial_state()
    for action in (0, 3):
        state.apply_action(action)
    rules = load_game("star_pig(goal=8)")
    ours = rules.new_initial_state().child(0).child(3)
    found, expected = (search(s, "star2", Limits(depth=4)) for s in (state, ours))
    assert found.action_values == expected.action_values
    assert game_of(state).name == rules.name
    assert game_of(state).key(state) == rules.key(ours)
    assert game_of(state).frame(state) == (0.0, 1.0)
    assert load_game(game) is game.starspiel_game
    assert isinstance(load_game("star_pig(goal=8)"), Pig)
    for spec in ("star2(depth=2)", "star1(depth=2,evaluator=heuristic)", "mcts(simulations=20)", "random"):
        bots = [starspiel.make_bot(spec, game, seed=3) for _ in range(2)]
        assert bots[0].step(state) == bots[1].step(ours)


class Coin(Pig):
    """A game of one's own, with every kind of parameter."""

    def __init__(
        self, goal: int = 3, label: str = "x", odd: bool = False, share: float = 0.5, extra: int | None = None
    ):
        super().__init__(goal=goal, sides=2)
        self.given = (goal, label, odd, share, extra)


def test_parameters_of_ones_own_game_reach_it() -> None:
    assert register_openspiel(Coin, "coin_race") == "coin_race"
    assert register_openspiel(Coin, "coin_race") == "coin_race"

    def given(spec: str) -> Any:
        game = pyspiel.load_game(spec)
        assert isinstance(game, RegisteredGame)
        return game.starspiel_game.given  # type: ignore[attr-defined]

    assert given("coin_race") == (3, "x", False, 0.5, None)
    assert given("coin_race(goal=4,label=y,odd=true,share=0.25,extra=7)") == (4, "y", True, 0.25, 7)
    assert isinstance(load_game("coin_race(goal=5)"), Coin)
    register_openspiel(lambda goal=9: Pig(goal=goal), "pig_function")
    assert pyspiel.load_game("pig_function(goal=5)").starspiel_game.goal == 5
    with pytest.raises(pyspiel.SpielError, match="Unknown parameter 'gaol'"):
        pyspiel.load_game("coin_race(gaol=3)")
    with pytest.raises(SpecError, match="goal must be a whole number"):
        pyspiel.load_game("coin_race(goal=0)")


@pytest.mark.parametrize(
    ("game", "name", "error", "message"),
    [
        (Pig, "chess", StarspielError, "has a game 'chess' already"),
        (Pig, "star_pig", None, ""),
        (Coin, "star_pig", StarspielError, "has a game 'star_pig' already"),
        (Pig, "my pig", StarspielError, "letters, digits and _"),
        (Pig, "2pig", StarspielError, "begins with no digit"),
        ("star_pig", "mine", StarspielError, "expected a Game, or a class or function"),
        (pyspiel.load_game("pig"), "mine", StarspielError, "games of OpenSpiel are registered already"),
        (Pig, None, StarspielError, "needs a name"),
        (lambda size: Pig(), "needy", StarspielError, "parameter 'size' needs a default"),
        (lambda size=(1, 2): Pig(), "tuple", StarspielError, "parameter 'size' needs a default"),
    ],
)
def test_registration_says_what_is_wrong(game: Any, name: Any, error: Any, message: str) -> None:
    if error is None:
        register_openspiel(game, name)
        return
    with pytest.raises(error, match=message):
        register_openspiel(game, name)


def test_what_openspiel_cannot_say_is_refused() -> None:
    with pytest.raises(UnsupportedGameError, match="discounts"):
        register_openspiel(load_game("FrozenLake-v1(discount=0.9)"), "discounted")
    with pytest.raises(UnsupportedGameError, match="does not list its chance outcomes"):
        register_openspiel(load_game("Blackjack-v1"), "blackjack_samples")


class OneName(Pig):
    """Its name does not tell its parameters."""

    def __init__(self, sides: int = 2) -> None:
        super().__init__(goal=5, sides=sides)
        self.name = "one_name"
        del self.max_chance_outcomes


def test_games_of_one_name_have_their_own_numbers_of_outcomes() -> None:
    register_openspiel(OneName, "one_name")
    for sides in (2, 8, 6):
        game = pyspiel.load_game(f"one_name(sides={sides})")
        assert game.max_chance_outcomes() == sides
        pyspiel.random_sim_test(game, num_sims=3, serialize=False, verbose=False)


class Surprise(Pig):
    """An outcome that comes up only past 5,000 points, which random games do not reach."""

    def chances(self, position: Any) -> Any:
        return super().chances(position) if max(position.scores) < 5_000 else ((99, 1.0),)


def test_an_outcome_that_openspiel_was_not_told_of_is_an_error() -> None:
    register_openspiel(Surprise(goal=10_000), "surprise")
    state = pyspiel.load_game("surprise").new_initial_state()
    while state.state.position.scores[0] < 5_000:
        if state.is_chance_node():
            state.apply_action(5)
        else:
            state.apply_action(0 if state.state.position.turn_total < 5_000 else 1)
    state.apply_action(0)
    with pytest.raises(StarspielError, match="max_chance_outcomes"):
        state.chance_outcomes()


def test_python_ends_cleanly_with_registered_games() -> None:
    """OpenSpiel's registry outlives Python; what it holds must survive that."""
    program = 'import starspiel, pyspiel; print(pyspiel.load_game("star_pig(goal=50)"))'
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "star_pig(goal=50)\n", "")
