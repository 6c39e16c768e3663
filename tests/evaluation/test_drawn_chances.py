"""Tournaments of games whose chances are drawn, not listed: common starts, replays from the seed, stores."""

import functools
import json
import random
import threading
from dataclasses import replace
from typing import Any

import gymnasium
import numpy as np
import pytest

from starspiel.agents.solve import solve
from starspiel.cli.app import main
from starspiel.envs.errors import StarspielError
from starspiel.envs.load import load_game
from starspiel.evaluation import tournament
from starspiel.evaluation.contents import identity_of_game, of_held
from starspiel.evaluation.play.course import Course
from starspiel.evaluation.report import write_report
from starspiel.evaluation.store.replay import events
from starspiel.evaluation.store.store import Store
from starspiel.evaluation.store.verify import verify

MODULE = """
import gymnasium, random
class Jar(gymnasium.Env):
    action_space = gymnasium.spaces.Discrete(2)
    observation_space = gymnasium.spaces.Discrete(100)
    def __init__(self, throws=3):
        self.most = throws
        self.own = random.Random(7)  # which reset does not seed
    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.throws, self.kept = 0, int(self.np_random.integers(1, 7))
        return self.kept, {}
    def step(self, action):
        self.throws += 1
        eyes = int(self.np_random.integers(6)) + self.own.randrange(6) + random.randrange(6)
        return self.kept, float(eyes * action), self.throws == self.most, False, {}
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A module with an environment that throws dice of three kinds."""
    (tmp_path / "jars_of_mine.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return "jars_of_mine:Jar(throws=4)"


class Always:
    """Plays one action."""

    def __init__(self, action: int) -> None:
        self.action = action

    def step(self, state: Any) -> int:
        return self.action


def always(action: int) -> Any:
    return lambda game, seat, seed: Always(action)


def test_everybody_meets_the_same_starts_and_the_environments_own_dice() -> None:
    """Each game is what plain Gymnasium plays from the seed with which its record begins."""
    result = tournament("Blackjack-v1", ["random", "uct(simulations=4)", "star2ss(depth=1,width=2)"], pairs=6)
    assert result.common_starts
    seeds: dict[int, set[int]] = {}
    for pair in result.pairs:
        [game] = pair.games
        seeds.setdefault(pair.pair.number, set()).add(game.actions[0])
        env = gymnasium.make("Blackjack-v1")
        env.reset(seed=game.actions[0])
        rewards = [float(env.step(action)[1]) for action in game.actions[1:]]
        assert game.returns == (sum(rewards),)
    assert all(len(own) == 1 for own in seeds.values())
    assert len(set.union(*seeds.values())) == 6


def test_dice_of_every_kind_follow_from_the_seed(module: str) -> None:
    """The generator that reset forgets and the global ones, too: they differ by pair, and not by agent."""
    one, other = (tournament(module, {name: always(1) for name in "ab"}, pairs=8) for _ in range(2))
    returns = [[pair.games[0].returns for pair in result.pairs] for result in (one, other)]
    assert returns[0] == returns[1]
    assert returns[0][::2] == returns[0][1::2]
    assert len(set(returns[0])) > 4


def test_searches_leave_the_dice_alone(module: str) -> None:
    """Who plays the moves of a search without searching throws the same; and so do worker processes."""
    here, there = (tournament(module, ["uct(simulations=12)"], pairs=4, workers=n) for n in (1, 2))
    games = [pair.games[0] for pair in here.pairs]
    assert [(game.actions, game.returns) for game in games] == [
        (pair.games[0].actions, pair.games[0].returns) for pair in there.pairs
    ]
    played = load_game(module)
    for game in games:
        under_way = Course(played, game.actions[0])
        for action in game.actions[1:]:
            under_way.move(action)
        assert tuple(under_way.state.returns()) == game.returns


BOT = """
class Knows:
    def __init__(self, game, player):
        self.game = game
    def step(self, state):
        assert state.get_game() is self.game
        return 1
"""


@pytest.mark.slow
def test_a_seat_is_sent_positions_without_their_game(module: str, tmp_path: Any) -> None:
    # Loading an environment tries it out for a second: not at every move.
    (tmp_path / "knows_of_mine.py").write_text(BOT, encoding="utf-8")
    result = tournament(module, ["random", "knows_of_mine:Knows"], pairs=1)
    assert not result.to_dict()["faults"]


def test_a_store_resumes_and_replays(module: str, tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.db"
    agents = ["random", "uct(simulations=5)"]
    first = tournament(module, agents, pairs=2, store=path)
    resumed = tournament(module, agents, pairs=4, store=path)
    assert (first.tally.pairs, resumed.tally.pairs) == (4, 8)
    whole = tournament(module, agents, pairs=4)
    assert [line.mean for line in resumed.standings] == [line.mean for line in whole.standings]
    with Store(path, read_only=True) as store:
        games = list(store.games())[::3]
    for game in games:
        walked = list(events(game, trust=True))
        assert walked[0].name == f"seed {game.record.actions[0]}"
        assert walked[-1].after.returns() == list(game.record.returns)
    with pytest.raises(SystemExit) as left:
        main(["replay", str(path), games[0].id, "--trust", "--json"])
    assert left.value.code == 0
    assert json.loads(capsys.readouterr().out)["actions"] == list(games[0].record.actions)
    changed = replace(games[0], record=replace(games[0].record, returns=(-99.0,)))
    with pytest.raises(StarspielError, match="its dice do not follow from the seed alone"):
        list(events(changed, trust=True))
    illegal = replace(games[0], record=replace(games[0].record, actions=(*games[0].record.actions[:2], 9)))
    with pytest.raises(StarspielError, match="action 9, number 2, is not legal"):
        list(events(illegal, trust=True))


def test_what_is_shared_is_said_everywhere(module: str, tmp_path: Any) -> None:
    result = tournament(module, ["random", "uct(simulations=3)"], pairs=2)
    assert "Common starts, not common dice" in str(result)
    assert "from common starts" in str(result)
    assert result.to_dict()["common"] == "starts"
    write_report(result, tmp_path / "a.html")
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "Common starts, not common dice" in page
    assert "on common dice." not in page
    listed = tournament("2048(max_tile=8)", ["random"], pairs=1)
    assert "Common starts" not in str(listed)
    assert listed.to_dict()["common"] == "dice"


def test_what_needs_listed_outcomes_is_refused(module: str) -> None:
    for setting in ({"luck": "zero"}, {"starts": [[1]]}):
        with pytest.raises(StarspielError, match="whose chance outcomes are sampled, not listed"):
            tournament(module, ["random"], pairs=1, **setting)  # type: ignore[arg-type]


class Breaks(gymnasium.Env[int, int]):
    """Raises at the second step."""

    action_space = gymnasium.spaces.Discrete(2)
    observation_space = gymnasium.spaces.Discrete(2)

    def __init__(self, at: int = 2) -> None:
        self.at = at

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[int, dict[str, Any]]:
        super().reset(seed=seed)
        self.steps = 0
        return 0, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        self.steps += 1
        if self.steps == self.at:
            raise ValueError("out of cards")
        return 0, float(np.float32(1.0)), False, False, {}


def test_an_environment_that_raises_is_nobodys_fault() -> None:
    with pytest.raises(StarspielError, match=r"Breaks: step\(.\) raised ValueError: out of cards"):
        tournament(Breaks(), ["random"], pairs=1)


@pytest.fixture
def few_events(monkeypatch: pytest.MonkeyPatch) -> None:
    """A game may have two thousand."""
    monkeypatch.setattr("starspiel.evaluation.play.match.MOST_EVENTS", 2000)


@pytest.mark.usefixtures("few_events")
def test_an_environment_without_an_end_is_told_so() -> None:
    with pytest.raises(StarspielError, match=r"has not ended after 2,000 events.*horizon=200"):
        tournament("FrozenLake-v1(is_slippery=False,horizon=false)", {"left": always(0)}, pairs=1)


@pytest.mark.usefixtures("few_events")
def test_tables_end_at_the_time_limit_of_their_environment(tmp_path: Any) -> None:
    """Who walks into the wall for ever is stopped as by `env.step`; agents are not told, nor solutions."""
    lake = "FrozenLake-v1(is_slippery=False)"
    path = tmp_path / "a.db"
    for limit, game in ((100, lake), (7, "FrozenLake-v1(is_slippery=False,max_episode_steps=7)")):
        [pair] = tournament(game, {"left": always(0)}, pairs=1).pairs
        assert pair.games[0].actions == (0,) * limit
        assert pair.games[0].returns == (0.0,)
        tournament(game, {"left": always(0)}, pairs=1, store=path)
    with Store(path, read_only=True) as store:
        assert sorted(len(list(events(game))) for game in store.games()) == [7, 100]
    assert load_game(lake).new_initial_state().left is None
    file = solve(load_game(lake)).save(tmp_path / "lake.npz")
    assert tournament(lake, [f"optimal(solution={file})"], pairs=1).standings[0].mean == 1.0
    with pytest.raises(StarspielError, match="has not ended"):
        tournament(f"{lake[:-1]},horizon=false)", {"left": always(0)}, pairs=1, store=path)


@pytest.mark.parametrize("without", ["max_episode_steps=2,horizon=false", "max_episode_steps=-1"])
def test_games_without_their_time_limit_are_verified(without: str, tmp_path: Any) -> None:
    """Three steps down lead into a hole."""
    game = f"FrozenLake-v1(is_slippery=False,{without})"
    tournament(game, {"down": always(1)}, pairs=1, store=tmp_path / "a.db")
    with Store(tmp_path / "a.db", read_only=True) as store:
        [stored] = store.games()
    assert stored.record.actions == (1, 1, 1)
    assert verify(tmp_path / "a.db").ok


def test_objects_with_other_parameters_are_other_games_in_a_store(tmp_path: Any, module: str) -> None:
    from jars_of_mine import Jar

    path = tmp_path / "a.db"
    short, long = (tournament(Jar(throws), ["random"], pairs=2, store=path) for throws in (2, 5))
    again = tournament(Jar(5), ["random"], pairs=2, store=path)
    assert short.tally.actions == 6
    assert long.tally.actions == again.tally.actions == 12


class Throws(Breaks):
    """An environment whose parameters are no plain attributes."""

    def __init__(self, **held: Any) -> None:
        super().__init__()
        vars(self).update(held)


def times(factor: int) -> Any:
    return gymnasium.wrappers.TransformReward(gymnasium.make("CartPole-v1"), lambda reward: factor * reward)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (lambda: (Throws(sizes=[3, 2]), {}), lambda: (Throws(sizes=[4, 2]), {})),
        (lambda: (Throws(weights=np.zeros(2)), {}), lambda: (Throws(weights=np.ones(2)), {})),
        (lambda: (Throws(), {"horizon": 2}), lambda: (Throws(), {"horizon": 3})),
        (lambda: (Throws(), {"mask": lambda env: [1, 1]}), lambda: (Throws(), {"mask": lambda env: [1, 0]})),
        (lambda: (times(2), {}), lambda: (times(3), {})),
    ],
    ids=["list", "array", "option", "mask", "wrapper"],
)
def test_an_environment_is_known_by_all_that_it_holds_and_its_options(one: Any, other: Any) -> None:
    def identity(made: Any) -> str:
        env, options = made()
        return identity_of_game(load_game(env, **options))

    assert identity(one) == identity(one)
    assert identity(one) != identity(other)


@pytest.mark.parametrize("wrapped", [lambda env: env, gymnasium.wrappers.RecordEpisodeStatistics])
def test_earlier_episodes_make_no_other_game(wrapped: Any) -> None:
    class Throws(gymnasium.Env[Any, Any]):
        action_space = observation_space = gymnasium.spaces.Discrete(20)

        def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
            super().reset(seed=seed)
            self.total = 0
            return self.total, {}

        def step(self, action: int) -> Any:
            self.total += int(self.np_random.integers(1, 7))
            return self.total, 1.0, self.total > 9, False, {}

    env = wrapped(Throws())
    fresh = identity_of_game(load_game(env))
    env.reset()
    env.step(1)
    assert identity_of_game(load_game(env)) == fresh


def test_what_an_environment_holds_is_the_same_in_every_process() -> None:
    def made(words: str, most: int = 3) -> Throws:
        env: Any = Throws(words=set(words), lock=threading.Lock(), dice=random.Random(7))
        env.around = [env, {env}, print, env.step, functools.partial(max, most), np.random.default_rng(1)]
        env.later = lambda: (env, unknown)
        if most < 0:
            unknown = 0
        return env

    assert of_held(made("abc")) == of_held(made("cba"))
    assert of_held(made("abc")) != of_held(made("abc", 4))


def test_a_made_environment_is_what_its_name_makes() -> None:
    played = gymnasium.make("Blackjack-v1")
    played.reset(seed=4)
    names = {identity_of_game(load_game(env, hidden="seen")) for env in ("Blackjack-v1", played)}
    assert len(names) == 1
