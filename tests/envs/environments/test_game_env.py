"""Seats, opponents, illegal actions, dice and arguments of starspiel's environments."""

import copy
import pickle
import re
from itertools import accumulate
from typing import Any

import gymnasium
import numpy as np
import pyspiel
import pytest
from gymnasium.spaces import Discrete
from gymnasium.utils import seeding
from support.three import Race, Walks
from support.trees import TreeGame, leaf

from starspiel.envs.environments.dice_game import DiceGameEnv
from starspiel.envs.environments.game_env import EpisodeOverError, IllegalActionError
from starspiel.envs.environments.legal_discrete import LegalDiscrete
from starspiel.envs.environments.openspiel_game import OpenSpielEnv
from starspiel.envs.errors import StarspielError, UnsupportedGameError
from starspiel.envs.games import GAMES, make_game
from starspiel.envs.games.pig import ROLL, STOP, Pig
from starspiel.envs.gymnasium.game import state_of
from starspiel.envs.load import load_game


def first_legal(state) -> int:
    return state.legal_actions()[0]


def last_legal(state) -> int:
    return state.legal_actions()[-1]


def play(env, seed=0, choose=None):
    """(rewards, infos) of one episode, by uniformly random legal actions unless `choose(env, mask)` says."""
    _, info = env.reset(seed=seed)
    env.action_space.seed(seed)
    rewards, infos, over = [], [info], False
    while not over:
        action = choose(env, info["action_mask"]) if choose else env.action_space.sample(info["action_mask"])
        _, reward, terminated, truncated, info = env.step(action)
        over = terminated or truncated
        rewards.append(reward)
        infos.append(info)
    return rewards, infos


def test_observations_are_from_the_agents_side() -> None:
    env = DiceGameEnv(Pig(goal=20), opponent=last_legal, seat=1)
    seen, _ = env.reset(seed=1)
    while env.state.position.scores[1] == 0:
        seen, *_ = env.step(STOP if env.state.position.turn_total else ROLL)
    assert seen[:2].tolist() == [np.float32(env.state.position.scores[1] / 20), 0]
    env = OpenSpielEnv("backgammon")
    seen, info = env.reset(seed=3)
    for _ in range(10):
        assert seen.tolist() == pytest.approx(env.state.observation_tensor(env.state.current_player()))
        seen, *_, info = env.step(info["action_mask"].argmax())


def plain_episode(rules, seed, choose):
    """What an episode of self-play shows, by the protocol of states and the plain sum of chances."""
    rng = seeding.np_random(seed)[0]
    state, shown = rules.new_initial_state(), []
    while True:
        while state.is_chance_node():
            outcomes, uniform = state.chance_outcomes(), rng.random()
            sums = accumulate(chance for _, chance in outcomes)
            outcome = next(drawn for (drawn, _), total in zip(outcomes, sums, strict=True) if uniform < total)
            state = state.child(outcome)
        player, legal = state.current_player(), state.legal_actions()
        seen = rules.observation(state.position, max(player, 0)).tolist()
        shown.append((state.position, player, list(legal), seen, state.returns()[0]))
        if state.is_terminal():
            return shown
        state = state.child(choose(legal, len(shown)))


@pytest.mark.parametrize("spec", [*GAMES, "dice(full=reroll)", "cant_stop(shortest=1,sides=2)"])
def test_self_play_is_that_of_the_states_one_by_one(spec) -> None:
    def choose(legal, step):
        return legal[(step * 7 + step // 9) % len(legal)]

    env = DiceGameEnv(spec)
    for seed in range(3):
        observation, info = env.reset(seed=seed)
        collected = 0.0
        for step, expected in enumerate(plain_episode(make_game(spec), seed, choose), start=1):
            legal, mover = np.flatnonzero(info["action_mask"]).tolist(), info["current_player"]
            assert (env.state.position, mover, legal, observation.tolist(), collected) == expected
            if legal:
                observation, reward, terminated, _, info = env.step(choose(legal, step))
                collected += reward
        assert terminated


def test_an_illegal_action_is_an_error_that_names_the_legal_ones_and_changes_nothing() -> None:
    env = DiceGameEnv(Pig(goal=2))
    env.reset(seed=0)
    while env.state.position.turn_total == 0:
        env.step(ROLL)
    before = env.state
    for action in (ROLL, 1.5, None, "roll", np.array([0, 1]), 99, -1):
        with pytest.raises(IllegalActionError, match=r"is illegal for player \d; legal: \{1: 'stop'\}"):
            env.step(action)
    assert env.state is before
    assert env.step(STOP)[2]


def test_or_it_costs_the_configured_reward() -> None:
    env = DiceGameEnv(Pig(), illegal_reward=-0.25, max_steps=2)
    env.reset(seed=0)
    before = env.state
    _, reward, terminated, truncated, info = env.step(7)
    assert (reward, terminated, truncated) == (-0.25, False, False)
    assert env.state is before
    assert info["action_mask"].tolist() == [1, 1]
    assert env.step(-1)[3]  # it counts as a step


def test_stepping_at_the_wrong_time_is_one_clear_error() -> None:
    env = DiceGameEnv("star_pig(goal=2)", max_steps=3)
    with pytest.raises(EpisodeOverError, match=r"before the first reset\(\)"):
        env.step(ROLL)
    rewards, infos = play(env, 0, lambda env, mask: STOP)
    assert rewards == [0, 0, 0]
    assert infos[-1]["action_mask"].any()
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"after the end of the episode\. Call reset"):
        env.step(ROLL)
    env.reset()
    env.step(ROLL)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"opponent": 3}, "opponent must be an agent spec"),
        ({"opponent": "star2(depth="}, "star2"),
        ({"opponent": "star3"}, "star3"),
        ({"opponent": "star2(dept=2)"}, "dept"),
        ({"seat": 1}, "needs an opponent"),
        *(
            ({"seat": wrong, "opponent": first_legal}, "seat must be in 0..1")
            for wrong in (2, True, 1.0, [0])
        ),
        *(({"max_steps": wrong}, "max_steps must be a whole number") for wrong in (0, True, 1.5, "x", [1])),
        *(
            ({"illegal_reward": wrong}, "illegal_reward must be a finite number")
            for wrong in ("x", True, float("nan"), -float("inf"), [0.0])
        ),
        *(({"render_mode": wrong}, "render_mode must be") for wrong in ("human", ["ansi"])),
        *(({"game": wrong}, "expected a game") for wrong in (5, None, ["star_pig"])),
        ({"game": "star_pgi"}, "star_pgi"),
    ],
)
@pytest.mark.parametrize(("kind", "game"), [(DiceGameEnv, "star_pig"), (OpenSpielEnv, "pig")])
def test_wrong_arguments_are_one_clear_error(kind, game, arguments, message) -> None:
    with pytest.raises(StarspielError, match=message):
        kind(**{"game": game, **arguments})


MAKE = r"is not one; gymnasium\.make\(\"starspiel:starspiel/OpenSpiel-v0\", game='backgammon'\)"


@pytest.mark.parametrize(
    ("kind", "game", "error", "message"),
    [
        (DiceGameEnv, "backgammon", StarspielError, MAKE),
        (OpenSpielEnv, "star_pig(goal=9)", StarspielError, r"one; DiceGameEnv\('star_pig\(goal=9\)'\) plays"),
        (DiceGameEnv, "FrozenLake-v1", StarspielError, "it is a Gymnasium environment already"),
        (OpenSpielEnv, "Blackjack-v1", StarspielError, "it is a Gymnasium environment already"),
        (DiceGameEnv, TreeGame(leaf(0.0)), StarspielError, "is not one; write it as Rules"),
        (OpenSpielEnv, "backgamon", StarspielError, "Did you mean 'backgammon'"),
        (OpenSpielEnv, "kuhn_poker", UnsupportedGameError, "imperfect information"),
        (OpenSpielEnv, "morpion_solitaire", UnsupportedGameError, "crashes the process"),
    ],
)
def test_a_game_of_another_kind_is_told_where_it_is_played(kind, game, error, message) -> None:
    with pytest.raises(error, match=message):
        kind(game)


def test_numpys_numbers_are_numbers() -> None:
    env = DiceGameEnv(
        "star_pig",
        opponent=first_legal,
        seat=np.int64(1),
        max_steps=np.int32(1),
        illegal_reward=np.float32(-2),
    )
    env.reset(seed=1)
    assert env.step(99)[1:4] == (-2.0, False, True)


@pytest.mark.parametrize("answer", [9, 0.7, None, True, "roll", (0, None)])
def test_an_opponent_that_cheats_is_named(answer) -> None:
    env = DiceGameEnv(Pig(), opponent=lambda state: answer)
    env.reset()
    message = rf"the opponent .* played {re.escape(repr(answer))}; expected a legal action of \[0, 1\]"
    with pytest.raises(IllegalActionError, match=message):
        env.step(STOP)


def test_a_bot_object_is_restarted_for_each_game_and_told_of_all_but_its_own_moves() -> None:
    class Bot:
        games = 0
        told: list[tuple[int, int]] = []  # noqa: RUF012

        def restart(self) -> None:
            self.games += 1
            self.told.clear()

        def step(self, state) -> int:
            return first_legal(state)

        def inform_action(self, state, player, action) -> None:
            assert action in state.legal_actions()
            self.told.append((player, action))

    bot = Bot()
    env = DiceGameEnv(Pig(goal=50), opponent=bot, seat=1)
    made = bot.games
    env.reset(seed=1)
    env.reset(seed=2)
    env.step(env.action_space.sample())
    env.action_space.seed(1)  # begins no game behind its back
    assert bot.games == made + 2
    assert {player for player, _ in bot.told} == {1, -1}


@pytest.mark.parametrize("seat", [0, 1, 2])
@pytest.mark.parametrize(
    "make",
    [
        lambda **seats: OpenSpielEnv("pig(winscore=15)", **(seats | {"seat": seats["seat"] % 2})),
        lambda **seats: DiceGameEnv(Race(), **seats),
        lambda **seats: OpenSpielEnv("pig(players=3,winscore=15)", **seats),
        lambda **seats: (
            gymnasium.make(
                "starspiel/OpenSpiel-v0", game="pig(players=3,winscore=15)", disable_env_checker=True, **seats
            ).unwrapped
        ),
    ],
)
def test_the_agent_has_one_seat_and_is_paid_its_own_return(make, seat) -> None:
    movers: list[int] = []

    def noted(state) -> int:
        movers.append(state.current_player())
        return state.legal_actions()[len(movers) % len(state.legal_actions())]

    env = make(opponent=noted, seat=seat)
    others = set(range(env.game.num_players)) - {env.seat}
    for seed in range(4):
        movers.clear()
        rewards, infos = play(env, seed)
        assert {info["current_player"] for info in infos} <= {env.seat, -4}
        assert set(movers) <= others
        assert sum(rewards) == rewards[-1] == env.state.returns()[env.seat]
    assert set(movers) == others


def test_every_other_seat_has_a_bot_of_its_own_which_is_told_of_all_others() -> None:
    class Bot:
        def __init__(self) -> None:
            self.told: set[int] = set()

        def step(self, state) -> int:
            return first_legal(state)

        def inform_action(self, state, player, action) -> None:
            self.told.add(player)

    bots = [Bot(), Bot()]
    env = DiceGameEnv(Race(), opponent=bots, seat=1)
    play(env, 1, lambda env, mask: 1)
    assert [bot.told for bot in bots] == [{1, 2, -1}, {0, 1, -1}]
    mixed = DiceGameEnv(Race(), opponent=["random", "star1(depth=1)"], seat=1)
    assert play(mixed, 3)[0] == play(mixed, 3)[0]
    with pytest.raises(StarspielError, match=r"plays one seat, and race_of_three.* has 2 others"):
        DiceGameEnv(Race(), opponent=Bot())
    with pytest.raises(StarspielError, match=r"one opponent for each of the other 2 seats .*, got 3"):
        DiceGameEnv(Race(), opponent=["random"] * 3)


GOOFSPIEL = "goofspiel(imp_info=False,num_cards=4)"


@pytest.mark.parametrize("seat", [0, 1])
def test_opponents_choose_at_the_same_state_and_learn_afterwards(seat) -> None:
    seen: list[Any] = []

    class Bot:
        def step(self, state) -> int:
            seen.append((state.current_player(), state.history()))
            return int(state.legal_actions(1 - seat)[0])

        def inform_actions(self, state, actions) -> None:
            seen.append(list(actions))

    env = OpenSpielEnv(GOOFSPIEL, opponent=Bot(), seat=seat)
    _, info = env.reset(seed=3)
    assert (info["current_player"], info["action_mask"].tolist()) == (seat, [1, 1, 1, 1])
    before = env.state.history()
    _, _, _, _, info = env.step(2)
    both = [2, 0] if seat == 0 else [0, 2]
    assert seen == [(-2, before), both]
    assert env.state.history()[: len(before) + 2] == [*before, *both]
    assert info["action_mask"].tolist() == [1, 1, 0, 1]
    with pytest.raises(IllegalActionError, match=r"legal: \{0: "):
        env.step(2)


def test_in_self_play_nothing_is_seen_of_a_choice_until_all_have_chosen() -> None:
    env = OpenSpielEnv(GOOFSPIEL)
    _, info = env.reset(seed=1)
    before = env.state.history()
    assert info["current_player"] == 0
    after, reward, over, _, info = env.step(3)
    assert (info["current_player"], reward, over) == (1, 0.0, False)
    assert env.state.history() == before
    other = OpenSpielEnv(GOOFSPIEL)
    other.reset(seed=1)
    assert other.step(0)[0].tolist() == after.tolist(), "whatever player 0 has chosen"
    env.step(1)
    assert env.state.history()[: len(before) + 2] == [*before, 3, 1]
    env.step(0)
    assert env.reset(seed=1)[1]["current_player"] == 0, "a choice of the last episode is forgotten"


@pytest.mark.parametrize("settings", [{}, {"opponent": "random"}, {"opponent": "uct", "seat": 1}])
def test_episodes_of_joint_moves_repeat_by_their_seed(settings) -> None:
    env = OpenSpielEnv("markov_soccer(horizon=4)", **settings)
    played = []
    for seed in (4, 4, 5):
        env.reset(seed=seed)
        env.action_space.seed(seed)
        over = False
        while not over:
            _, _, over, _, _ = env.step(env.action_space.sample(env.action_masks().astype("int8")))
        played.append(env.state.history())
    assert played[0] == played[1] != played[2]


def test_a_compiled_bot_of_openspiel_is_refused_in_words() -> None:
    with pytest.raises(StarspielError, match="bots take states of OpenSpiel only, and star_pig"):
        DiceGameEnv(Pig(goal=5), opponent=pyspiel.make_uniform_random_bot(1, 1))


def test_a_game_over_before_the_agents_first_decision_is_no_episode() -> None:
    # The opponent wins at once in two games of three.
    env = DiceGameEnv(Pig(goal=2, sides=3), opponent=first_legal, seat=1)
    for seed in range(30):
        _, info = env.reset(seed=seed)
        assert info["action_mask"].any()
        assert info["current_player"] == 1
    stuck = DiceGameEnv("star_pig(goal=1,sides=1000)", opponent=first_legal, seat=1)
    stuck.game._chances = ((1, 1.0),)
    with pytest.raises(StarspielError, match="over before the agent's first decision"):
        stuck.reset()


def test_a_rules_object_and_a_game_of_openspiel_are_found_in_their_environments() -> None:
    rules = make_game("star_pig(goal=12)")
    env: Any = DiceGameEnv(rules)
    env.reset(seed=0)
    assert env.unwrapped.game is rules
    assert env.state.position == rules.initial()
    env = gymnasium.make("starspiel/OpenSpiel-v0", game="backgammon")
    env.reset(seed=1)
    game = load_game(env)
    assert game.name == "backgammon"
    assert state_of(env, game) is env.unwrapped.state
    assert load_game("starspiel/OpenSpiel-v0(game=pig(winscore=20))").name == "pig(winscore=20)"


@pytest.mark.parametrize(
    "renewed", [lambda space: space, copy.deepcopy, lambda space: pickle.loads(pickle.dumps(space))]
)
def test_masked_draws_are_those_of_discrete(renewed: Any) -> None:
    ours, theirs = LegalDiscrete(7, None), Discrete(7)
    ours.seed(3)
    theirs.seed(3)
    ours = renewed(ours)
    rng, mask = np.random.default_rng(0), np.zeros(7, np.int8)
    for _ in range(300):
        mask[:] = rng.random(7) < 0.3  # at times of no action; changed in place
        drawn, expected = ours.sample(mask), theirs.sample(mask)
        assert (drawn, type(drawn)) == (expected, type(expected))
    chances = np.array([0, 0.5, 0, 0, 0.25, 0.25, 0])
    drawn = [ours.sample(probability=chances) for _ in range(50)]
    assert drawn == [theirs.sample(probability=chances) for _ in range(50)]
    for wrong in (np.full(7, 2, np.int8), np.ones(6, np.int8), np.ones(7, np.int64), [1] * 7):
        for space in (theirs, ours):
            with pytest.raises(AssertionError):
                space.sample(wrong)


class Tolls(Walks):
    """Every step is paid to the player after its walker."""

    def collected(self, position):
        return tuple(map(float, np.roll(position.steps, 1)))

    utility = collected


@pytest.mark.parametrize(("seat", "before"), [(0, 0.0), (1, 2.0), (2, 2.0)])
def test_what_is_paid_before_the_first_decision_is_part_of_the_first_reward(seat, before) -> None:
    env = DiceGameEnv(Tolls(), opponent=first_legal, seat=seat)
    for seed in range(2):  # the second game does not pay for the first
        env.reset(seed=seed)
        assert env.state.returns()[seat] == before
        rewards, _ = play(env, seed)
        assert sum(rewards) == env.state.returns()[seat]
