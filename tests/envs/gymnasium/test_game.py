"""Gymnasium environments as Games: the source of chances, tables, clones that cannot foresee the dice."""

import random
from collections import Counter
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.envs.toy_text.frozen_lake import FrozenLakeEnv

from starspiel.agents.env_agent import EnvAgent
from starspiel.agents.roster import make_bot
from starspiel.envs.base import CHANCE, Game, SampledState, conforms
from starspiel.envs.conformance import check_game
from starspiel.envs.errors import SpecError, StarspielError, UnsupportedGameError
from starspiel.envs.gymnasium.game import load_gymnasium, state_of
from starspiel.envs.gymnasium.sampled.game import SampledGame
from starspiel.envs.gymnasium.table import TableGame, TableState
from starspiel.envs.load import game_of, load_game

TABLES = ("FrozenLake-v1(success_rate=0.8,horizon=20)", "CliffWalkingSlippery-v1(discount=0.9,horizon=20)")


def table_game(spec: str) -> TableGame:
    game = load_game(spec)
    assert isinstance(game, TableGame)
    return game


def random_line(game: Game, rng: np.random.Generator, most: int = 300) -> list[Any]:
    """The states of one random game."""
    state = game.new_initial_state()
    line = [state]
    while not state.is_terminal() and len(line) < most:
        if conforms(state, SampledState):
            state = state.sample(rng)
        elif state.is_chance_node():
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            state = state.child(int(rng.choice(outcomes, p=chances)))
        else:
            state = state.child(int(rng.choice(state.legal_actions())))
        line.append(state)
    return line


@pytest.mark.parametrize("spec", TABLES)
def test_a_table_game_keeps_the_contract_and_follows_the_environment(spec: str) -> None:
    game = table_game(spec)
    assert load_game(game.name).name == game.name
    report = check_game(game, games=2, positions=15, seconds=30.0)
    assert report.ok, str(report)
    line = random_line(game, np.random.default_rng(3))
    assert all(game_of(state) is game for state in line)
    assert all(state.returns() == [game.frame(state)[0]] for state in line)


def test_a_state_is_the_environments_with_the_actions_it_has_taken() -> None:
    env: Any = gymnasium.make("FrozenLake-v1")
    game = load_gymnasium(env, horizon=20)
    env.reset(seed=1)
    state: Any = game.new_initial_state()
    for action in (2, 2, 1):
        observation, reward, terminated, *_ = env.step(action)
        outcomes = [state.child(action).child(o) for o, _ in state.child(action).chance_outcomes()]
        (state,) = (after for after in outcomes if after.at == observation)
        assert state.returns() == [reward]
        assert state.is_terminal() == terminated
        assert game.key(state_of(env, game)) == game.key(state)


def test_rows_with_equal_successors_are_merged_and_certain_actions_need_no_chance_node() -> None:
    state = table_game("FrozenLake-v1").new_initial_state()
    chances = {state.child(0).action_to_string(CHANCE, o): p for o, p in state.child(0).chance_outcomes()}
    assert chances == {"to 0, reward 0": pytest.approx(2 / 3), "to 4, reward 0": pytest.approx(1 / 3)}
    certain = table_game("CliffWalking-v1").new_initial_state().child(0)
    assert not certain.is_chance_node()
    assert certain.returns() == [-1.0]


def test_a_random_first_state_is_a_chance_node() -> None:
    game = table_game("Taxi-v4")
    start = game.new_initial_state()
    distribution = gymnasium.make("Taxi-v4").unwrapped.initial_state_distrib
    assert start.is_chance_node()
    assert {start.child(o).at: p for o, p in start.chance_outcomes()} == {
        s: p for s, p in enumerate(distribution) if p
    }


def test_nothing_is_read_past_the_end() -> None:
    """CliffWalking's and Taxi's tables go on after `terminated`."""
    game = table_game("CliffWalking-v1")
    state = game.state_at(35).child(2)
    assert state.at == 47
    assert state.is_terminal()
    assert state.legal_actions() == []
    assert game.key(state) == "end"
    assert [s for s in range(48) if game.state_at(s).is_terminal()] == [47]
    # In Taxi the passenger is at the destination: only ever the end, though the table goes on.
    taxi = table_game("Taxi-v4")
    over = [s for s in range(500) if taxi.state_at(s).is_terminal()]
    places = {(0, 0): 0, (0, 4): 1, (4, 0): 2, (4, 3): 3}
    assert over == sorted(((r * 5 + c) * 5 + i) * 4 + i for (r, c), i in places.items())


def test_discount_and_horizon_are_in_the_values() -> None:
    game = table_game("CliffWalking-v1(discount=0.5,horizon=3)")
    line = [game.new_initial_state()]
    for _ in range(3):
        line.append(line[-1].child(0))
    assert [game.frame(s) for s in line] == [(0.0, 1.0), (-1.0, 0.5), (-1.5, 0.25), (-1.75, 0.125)]
    assert line[-1].is_terminal()
    assert game.frame(game.reroot(line[1])) == (0.0, 1.0)
    assert game.key(game.reroot(line[1])) == game.key(line[1])
    assert game.key(line[0]) != game.key(line[1])
    assert game.utility_range == (-175.0, 0.0)  # into the cliff three times running


@pytest.mark.parametrize("seed", range(25))
def test_bounds_are_those_of_the_best_and_the_worst_play(seed: int) -> None:
    """Against every play of random tables, played out one by one."""
    rng = random.Random(seed)
    states, horizon = rng.randint(1, 3), rng.randint(1, 4)
    discount = rng.choice([1.0, 0.8])
    table: Any = {
        s: {
            a: [(0.5, rng.randrange(states), rng.randint(-4, 4), rng.random() < 0.3) for _ in range(2)]
            for a in range(2)
        }
        for s in range(states)
    }

    def returns(s: int, steps: int) -> set[float]:
        found = {0.0}
        for rows in table[s].values() if steps else ():
            for _, s2, reward, done in rows:
                found |= {reward + discount * later for later in ({0.0} if done else returns(s2, steps - 1))}
        return found

    every = [value for s in range(states) for value in returns(s, horizon)]
    game = TableGame(table, [1.0] + [0.0] * (states - 1), name="random", discount=discount, horizon=horizon)
    assert game.utility_range == (pytest.approx(min(every)), pytest.approx(max(every)))
    if discount < 1.0:
        endless = TableGame(table, [1.0] + [0.0] * (states - 1), name="random", discount=discount)
        assert endless.utility_range is not None
        assert endless.utility_range[0] <= min(every) + 1e-12
        assert endless.utility_range[1] >= max(every) - 1e-12


class Table(gymnasium.Env[int, int]):
    """Two states; whatever table it is given."""

    observation_space = spaces.Discrete(2)
    action_space = spaces.Discrete(1)

    def __init__(
        self, rows: list[tuple[float, int, float, bool]], start: tuple[float, ...] = (1.0, 0.0)
    ) -> None:
        self.P = {0: {0: rows}, 1: {0: [(1.0, 1, 0.0, True)]}}
        self.initial_state_distrib = start

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[int, dict[str, Any]]:
        super().reset(seed=seed)
        return 0, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        return 1, 0.0, True, False, {}


def listed(table: Any, starts: Any) -> Table:
    env = Table([])
    env.P, env.initial_state_distrib = table, starts
    return env


@pytest.mark.parametrize(
    ("env", "message"),
    [
        (Table([(0.5, 1, 0.0, True)]), r"P\[0\]\[0\] sum to 0.5, not 1"),
        (Table([(1.5, 1, 0.0, True), (-0.5, 1, 0.0, True)]), "probability -0.5"),
        (Table([(1.0, 1, float("nan"), True)]), "reward nan"),
        (Table([(1.0, 7, 0.0, False)]), "leads to state 7, for which it lists no action"),
        (Table([(1.0, 1, 0.0, True)], (0.5, 0.0)), "initial_state_distrib sums to 0.5"),
        (Table([(1.0, 1, 0.0, True)], (1.0, -0.5)), r"initial_state_distrib\[1\] is -0.5"),
        (Table([(1.0, 1, 0.0, True)], (1.0, float("nan"))), r"initial_state_distrib\[1\] is nan"),
        (listed([0.5, 0.5], [1.0, 0.0]), r"expected P\[state\]\[action\] = .* reading it raised TypeError"),
        (listed([[0.5, 0.5]], [1.0, 0.0]), r"expected P\[state\]\[action\] = "),
        (listed([[[(1.0, 0, 0.0, True)]]], 1.0), r"expected initial_state_distrib\[state\] to be the chance"),
        (listed([[[(1.0, 0, 0.0, True)]]], ["all"]), r"expected initial_state_distrib\[state\] to be the"),
        (listed([[]], [1.0]), "leads to state 0, for which it lists no action"),
        (Table([(1.0, 1, 0.0)]), r"expected P\[state\]\[action\] = .*not enough values to unpack"),  # type: ignore[list-item]
    ],
)
def test_a_wrong_table_is_refused(env: Table, message: str) -> None:
    with pytest.raises(StarspielError, match=message):
        load_game(env)


def as_lists(env: gymnasium.Env[Any, Any]) -> gymnasium.Env[Any, Any]:
    """The same environment, its table and its distribution plain lists."""
    inside: Any = env.unwrapped
    inside.P = [[inside.P[s][a] for a in sorted(inside.P[s])] for s in range(len(inside.P))]
    inside.initial_state_distrib = list(inside.initial_state_distrib)
    return env


def test_a_table_of_lists_is_the_same_table() -> None:
    env = as_lists(gymnasium.make("FrozenLake-v1"))
    game, dicts = load_game(env), load_game("FrozenLake-v1")
    assert game.source.startswith("table: env.unwrapped.P (")  # type: ignore[attr-defined]
    assert game._table == dicts._table  # type: ignore[attr-defined]
    assert game.starts == dicts.starts  # type: ignore[attr-defined]
    assert game.utility_range == dicts.utility_range
    env.reset(seed=1)
    assert 0 <= EnvAgent("expectiminimax(depth=3)", env).act({}) < env.action_space.n  # type: ignore[attr-defined]


def test_a_list_leaves_out_what_cannot_be_done_and_a_dict_may_name_the_starts() -> None:
    env = Table([(1.0, 1, 0.0, True)])
    env.P = [[[], [(1.0, 1, 2.0, True)], None], []]  # type: ignore[assignment]
    env.initial_state_distrib = {0: 1.0}  # type: ignore[assignment]
    state = load_game(env).new_initial_state()
    assert state.legal_actions() == [1]
    assert state.child(1).returns() == [2.0]


@pytest.mark.parametrize(
    ("spec", "error", "message"),
    [
        ("FrozenLak-v1", StarspielError, "Did you mean: `FrozenLake`"),
        ("FrozenLake-v1(map=8x8)", StarspielError, "unexpected keyword argument 'map'"),
        ("FrozenLake-v1(", SpecError, "does not parse"),
        ("FrozenLake-v1(horizon=0)", StarspielError, "horizon must be"),
        ("FrozenLake-v1(discount=1.5)", StarspielError, "discount must be"),
        ("CliffWalkingSlippery-v1(horizon=true)", StarspielError, "TimeLimit"),
        ("Pendulum-v1", UnsupportedGameError, "action space Box.*Discrete"),
    ],
)
def test_wrong_environment_names(spec: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        load_game(spec)


def test_the_source_of_chances_is_chosen_and_reported() -> None:
    lake = gymnasium.make("FrozenLake-v1")
    assert "table" in load_gymnasium(lake).source
    blackjack = load_gymnasium(gymnasium.make("Blackjack-v1"))
    assert isinstance(blackjack, SampledGame)
    assert "no declared rules, no table" in blackjack.source
    changed = load_gymnasium(gymnasium.wrappers.StickyAction(lake, 0.5))
    assert isinstance(changed, SampledGame)
    assert "StickyAction may change" in changed.source
    half = Table([(1.0, 1, 0.0, True)])
    del half.initial_state_distrib
    assert "no initial_state_distrib" in load_game(half).source  # type: ignore[attr-defined]


def test_declared_rules_come_first() -> None:
    class Declares(Table):
        def __init__(self) -> None:
            super().__init__([(1.0, 1, 0.0, True)])
            self.game = load_game("pig(winscore=20)")
            self.state = self.game.new_initial_state()

    env = Declares()
    assert load_game(env) is env.game
    assert state_of(env, env.game) is env.state
    with pytest.raises(StarspielError, match="declares its own rules"):
        load_gymnasium(env, horizon=10)


def test_a_state_needs_a_reset() -> None:
    for name in ("FrozenLake-v1", "Blackjack-v1"):
        env = gymnasium.make(name)
        with pytest.raises(StarspielError, match=r"env\.reset"):
            state_of(env, load_gymnasium(env))


# Sampled games.


def test_samples_have_the_chances_of_the_environment() -> None:
    env: Any = gymnasium.make("FrozenLake-v1")
    game = SampledGame(env, name="lake")
    env.reset(seed=1)
    chance = game.state_of(env, {}).child(2)
    rng = np.random.default_rng(0)
    counts = Counter(chance.sample(rng).env.unwrapped.s for _ in range(900))
    assert set(counts) == {0, 1, 4}
    assert all(abs(count - 300) < 5 * 14.2 for count in counts.values())


def test_sampled_games_end_and_discount() -> None:
    game = load_gymnasium(gymnasium.make("CartPole-v1"), horizon=7, discount=0.5)
    rng = np.random.default_rng(2)
    line = random_line(game, rng)
    assert line[-1].is_terminal()
    assert line[-1].returns() == [pytest.approx(sum(0.5**t for t in range(7)))]
    middle = line[3]
    assert game.frame(middle)[0] == middle.returns()[0] > 0
    assert game.frame(game.reroot(middle)) == (0.0, 1.0)
    assert game.key(middle) is None
    limited = load_game("CartPole-v1(max_episode_steps=5)")
    assert random_line(limited, rng)[-1].returns() == [5.0]
    assert load_game(limited.name).name == limited.name == "CartPole-v1(max_episode_steps=5)"


def test_a_sampled_horizon_goes_on_from_the_environment() -> None:
    env: Any = gymnasium.make("CartPole-v1")
    game = load_gymnasium(env, horizon=True)
    env.reset(seed=1)
    for _ in range(3):
        env.step(0)
    assert state_of(env, game).left == 497  # type: ignore[attr-defined]
    with pytest.raises(StarspielError, match="TimeLimit"):
        state_of(env.unwrapped, game)


@pytest.mark.parametrize("has_spec", [True, False])
def test_the_first_of_its_time_limits_ends_a_table(has_spec: bool) -> None:
    """A spec tells the outermost only, and an environment of one's own has none."""
    made: Any = (
        gymnasium.make("FrozenLake-v1", is_slippery=False) if has_spec else FrozenLakeEnv(map_name="4x4")
    )
    env: Any = gymnasium.wrappers.TimeLimit(gymnasium.wrappers.TimeLimit(made, 5), 9)
    game: Any = load_gymnasium(env)
    assert game.time_limit == 5
    assert not has_spec or game.name == "FrozenLake-v1(is_slippery=False,max_episode_steps=5)"
    agent = EnvAgent(env, seed=1)
    assert agent.spec == "optimal"
    assert f"{game.num_states} states and 5 steps" in agent.why
    env.reset(seed=1)
    for _ in range(5):
        env.unwrapped.s = 0
        state_of(env, game)
        env.step(0)
    with pytest.raises(StarspielError, match="its TimeLimit is 5 steps"):
        state_of(env, game)


def test_chances_that_cannot_be_listed_say_so() -> None:
    chance = load_game("Blackjack-v1").new_initial_state()
    for ask in (chance.chance_outcomes, chance.legal_actions, lambda: chance.child(0)):
        with pytest.raises(UnsupportedGameError, match=r"known by samples only.*star2ss"):
            ask()


@pytest.mark.parametrize("wrong", [(1, 0), (0,), 3, (0, float("inf")), ("a", "b"), "5:1", "a:b"])
def test_a_promise_that_is_none_is_refused(wrong: Any) -> None:
    with pytest.raises(StarspielError, match="utility_range must be"):
        load_gymnasium("CartPole-v1", utility_range=wrong)
    with pytest.raises(StarspielError, match="utility_range follows"):
        load_gymnasium("FrozenLake-v1", utility_range=(0.0, 1.0))


def test_a_promised_range_is_checked() -> None:
    game = load_gymnasium("CartPole-v1", utility_range=(-0.1, 5.0))
    assert game.name == "CartPole-v1(utility_range=-0.1:5)"
    assert load_game(game.name).utility_range == (-0.1, 5.0)
    game = load_gymnasium(gymnasium.make("CartPole-v1"), utility_range=(0.0, 5.0))
    assert game.utility_range == (0.0, 5.0)
    with pytest.raises(StarspielError, match="outside the utility_range"):
        random_line(game, np.random.default_rng(2))


def test_clones_are_not_watched() -> None:
    """Recorders and checkers of the environment take no notice of what a search tries."""
    env: Any = gymnasium.make("CartPole-v1")
    env = gymnasium.wrappers.RecordEpisodeStatistics(gymnasium.wrappers.TimeLimit(env, 30))
    game = load_gymnasium(env)
    env.reset(seed=1)
    before = dict(vars(env))
    state: Any = state_of(env, game)
    rng = np.random.default_rng(1)
    while not state.is_terminal():
        state = state.child(0).sample(rng)
        layers = []
        layer = state.env
        while isinstance(layer, gymnasium.Wrapper):
            layers.append(type(layer).__name__)
            layer = layer.env
        assert layers == ["TimeLimit", "TimeLimit", "OrderEnforcing"]
    assert dict(vars(env)) == before


def doubled(**settings: Any) -> Any:
    env = gymnasium.make("starspiel/Pig-v0", game="star_pig(goal=20)", **settings)
    return gymnasium.wrappers.TransformReward(env, lambda reward: 2 * float(reward))


def test_a_wrapped_dice_game_is_sampled_from_the_agents_seat() -> None:
    # An opponent that only ever stops never scores: whoever plays on wins.
    env = doubled(opponent=lambda state: state.legal_actions()[-1], seat=1)
    game = load_gymnasium(env)
    assert game.num_players == 1
    _, info = env.reset(seed=1)
    line = random_line(game, np.random.default_rng(1), most=3_000)
    assert line[-1].returns()[0] == 2.0
    assert state_of(env, game, info).legal_actions() == [0, 1]


@pytest.mark.filterwarnings("ignore:.*while copying the environment spec")
@pytest.mark.parametrize("as_object", [False, True])
def test_a_wrapped_bot_says_what_to_do_instead(as_object: bool) -> None:
    spec = "star2(depth=1)"
    env = doubled(opponent=make_bot(spec, "star_pig(goal=20)", 1) if as_object else spec)
    with pytest.raises(UnsupportedGameError, match=r"TransformReward.*a bot.*cloned\. Give .*env\.unwrapped"):
        load_gymnasium(env)
    assert load_gymnasium(env.unwrapped) is env.unwrapped.game


def test_the_states_print() -> None:
    state: TableState = table_game("FrozenLake-v1(horizon=9)").new_initial_state()
    assert str(state).splitlines()[-1] == "state 0, 9 actions left, return 0"
    assert str(state.child(1)).splitlines()[-1] == "state 0, after Move down, 9 actions left, return 0"
