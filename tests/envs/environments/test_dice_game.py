import copy
import pickle
import re
import warnings
from itertools import accumulate

import gymnasium
import numpy as np
import pyspiel
import pytest
from gymnasium.utils import seeding
from gymnasium.utils.env_checker import check_env
from support.trees import TreeGame, leaf

from starspiel.envs.environments.dice_game import DiceGameEnv
from starspiel.envs.environments.game_env import EpisodeOverError, IllegalActionError
from starspiel.envs.environments.openspiel_game import OpenSpielEnv
from starspiel.envs.environments.register import ENVIRONMENTS
from starspiel.envs.errors import StarspielError
from starspiel.envs.games import GAMES, make_game
from starspiel.envs.games.pig import ROLL, STOP, Pig

DICE_GAMES = [env_id for env_id, (_, arguments) in ENVIRONMENTS.items() if "game" in arguments]


SOLO = "starspiel/TwentyFortyEight-v0"


def first_legal(state) -> int:
    return state.legal_actions()[0]


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


@pytest.mark.parametrize("env_id", DICE_GAMES)
@pytest.mark.parametrize("arguments", [{}, {"opponent": first_legal, "seat": 1}], ids=["self-play", "seat 1"])
def test_gymnasiums_checker_passes_with_rendering(env_id, arguments) -> None:
    if arguments and env_id == SOLO:
        arguments = {"max_steps": 50}  # there is no other seat
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make(env_id, render_mode="rgb_array", **arguments)
        for _ in range(5):  # its unmasked actions are random
            check_env(env.unwrapped)


@pytest.mark.parametrize("env_id", DICE_GAMES)
def test_episodes_pay_the_games_return_and_repeat_from_their_seed(env_id) -> None:
    env = gymnasium.make(env_id)
    for seed in range(3):
        rewards, infos = play(env, seed)
        again, infos_again = play(env, seed)
        assert rewards == again
        assert [i["action_mask"].tolist() for i in infos] == [i["action_mask"].tolist() for i in infos_again]
        assert sum(rewards) == env.unwrapped.state.returns()[0]
        assert not infos[-1]["action_mask"].any()
        assert {info["current_player"] for info in infos} == ({0, -4} if env_id == SOLO else {0, 1, -4})
        for info in infos[:-1]:
            assert info["action_mask"].dtype == np.int8
            assert info["action_mask"].any()


@pytest.mark.parametrize("seat", [0, 1])
def test_the_agent_decides_for_its_seat_alone_and_is_paid_its_own_return(seat) -> None:
    env = DiceGameEnv(Pig(goal=15), opponent=lambda state: state.legal_actions()[-1], seat=seat)
    for seed in range(10):  # the opponent never scores, so the agent wins whatever its seat
        rewards, infos = play(env, seed, lambda env, mask: STOP if env.state.position.turn_total else ROLL)
        assert {info["current_player"] for info in infos} <= {seat, -4}
        assert rewards[-1] == 1.0
        assert sum(rewards) == 1.0


def test_seat_one_sees_its_own_score_first() -> None:
    env = DiceGameEnv(Pig(goal=20), opponent=lambda state: state.legal_actions()[-1], seat=1)
    seen, _ = env.reset(seed=1)
    while env.state.position.scores[1] == 0:
        seen, *_ = env.step(STOP if env.state.position.turn_total else ROLL)
    assert seen[0] == np.float32(env.state.position.scores[1] / 20)
    assert seen[1] == 0


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
    for seed in range(5):
        observation, info = env.reset(seed=seed)
        collected = 0.0
        for step, expected in enumerate(plain_episode(make_game(spec), seed, choose), start=1):
            legal = np.flatnonzero(info["action_mask"]).tolist()
            mover = info["current_player"]
            assert (env.state.position, mover, legal, observation.tolist(), collected) == expected
            if legal:
                observation, reward, terminated, _, info = env.step(choose(legal, step))
                collected += reward
        assert terminated


def test_dice_fall_as_the_rules_say() -> None:
    env = DiceGameEnv(Pig(goal=10_000, sides=4))
    env.reset(seed=5)
    turn_totals = []
    for _ in range(4000):
        env.step(ROLL)
        turn_totals.append(env.state.position.turn_total)
        if turn_totals[-1]:
            env.step(STOP)
    counts = [turn_totals.count(total) for total in (0, 2, 3, 4)]
    assert sum(counts) == 4000
    assert np.allclose(counts, 1000, atol=4.5 * np.sqrt(4000 * 0.25 * 0.75))


def test_an_illegal_action_is_an_error_that_names_the_legal_ones() -> None:
    env = DiceGameEnv(Pig(goal=2))
    env.reset(seed=0)
    while env.state.position.turn_total == 0:
        env.step(ROLL)
    before = env.state
    with pytest.raises(IllegalActionError, match=r"action 0 is illegal .* legal: \{1: 'stop'\}"):
        env.step(ROLL)
    assert env.state is before
    assert env.step(STOP)[2]


@pytest.mark.parametrize("action", [1.5, None, "roll", np.array([0, 1]), 99, -1])
def test_what_is_no_action_at_all_is_illegal_too(action) -> None:
    env = DiceGameEnv(Pig())
    env.reset(seed=0)
    with pytest.raises(IllegalActionError, match="is illegal for player 0; legal"):
        env.step(action)


def test_or_it_costs_the_configured_reward_and_changes_nothing() -> None:
    env = DiceGameEnv(Pig(), illegal_reward=-0.25, max_steps=2)
    env.reset(seed=0)
    before = env.state
    _, reward, terminated, truncated, info = env.step(7)
    assert (reward, terminated, truncated) == (-0.25, False, False)
    assert env.state is before
    assert info["action_mask"].tolist() == [1, 1]
    assert env.step(-1)[3]  # it counts as a step


def test_truncation_ends_the_episode() -> None:
    env = DiceGameEnv(Pig(), max_steps=3)
    rewards, infos = play(env, 0, lambda env, mask: STOP)
    assert len(rewards) == 3
    assert rewards == [0, 0, 0]
    assert infos[-1]["action_mask"].any()
    with pytest.raises(EpisodeOverError, match=r"after the end of the episode\. Call reset"):
        env.step(STOP)


def test_stepping_at_the_wrong_time_is_one_clear_error() -> None:
    env = DiceGameEnv("star_pig(goal=2)")
    with pytest.raises(EpisodeOverError, match=r"before the first reset\(\)"):
        env.step(ROLL)
    play(env)
    with pytest.raises(gymnasium.error.ResetNeeded, match="after the end"):
        env.step(ROLL)
    env.reset()
    env.step(ROLL)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"game": "star_pgi"}, "star_pgi"),
        ({"opponent": 3}, "opponent must be an agent spec"),
        ({"seat": 1}, "needs an opponent"),
        *(
            ({"seat": wrong, "opponent": first_legal}, "seat must be in 0..1")
            for wrong in (2, True, 1.0, "x", [0])
        ),
        *(
            ({"max_steps": wrong}, "max_steps must be a whole number")
            for wrong in (0, -1, True, 1.5, "x", [1])
        ),
        *(
            ({"illegal_reward": wrong}, "illegal_reward must be a finite number")
            for wrong in ("x", True, float("nan"), -float("inf"), [0.0])
        ),
        *(({"render_mode": wrong}, "render_mode must be") for wrong in ("human", ["ansi"])),
        *(({"game": wrong}, "expected a game") for wrong in (5, None, ["star_pig"])),
    ],
)
@pytest.mark.parametrize("kind", [DiceGameEnv, OpenSpielEnv])
def test_wrong_arguments_are_one_clear_error(kind, arguments, message) -> None:
    game = "star_pig" if kind is DiceGameEnv else "pig"
    with pytest.raises(StarspielError, match=message):
        kind(**{"game": game, **arguments})


@pytest.mark.parametrize(
    ("kind", "game", "message"),
    [
        (
            DiceGameEnv,
            "backgammon",
            r"is not one; gymnasium\.make\(\"starspiel:starspiel/OpenSpiel-v0\", game='backgammon'\)",
        ),
        (OpenSpielEnv, "star_pig(goal=9)", r"is not one; DiceGameEnv\('star_pig\(goal=9\)'\) plays it"),
        *(
            (kind, name, "is not one; it is a Gymnasium environment already")
            for kind in (DiceGameEnv, OpenSpielEnv)
            for name in ("FrozenLake-v1", "Blackjack-v1")
        ),
        (DiceGameEnv, TreeGame(leaf(0.0)), "is not one; write it as Rules"),
    ],
)
def test_another_kind_of_game_is_told_where_it_is_played(kind, game, message) -> None:
    with pytest.raises(StarspielError, match=message):
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


@pytest.mark.parametrize("answer", [1, np.int64(1), np.array(1)])
def test_an_opponent_may_answer_with_any_whole_number(answer) -> None:
    env = DiceGameEnv(Pig(), opponent=lambda state: answer)
    env.reset()
    assert env.step(STOP)[4]["current_player"] == 0


def test_a_bot_object_is_restarted_for_each_game() -> None:
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
    assert bot.games == made + 2
    env.step(env.action_space.sample())
    env.action_space.seed(1)  # begins no game behind its back
    assert bot.games == made + 2
    assert {player for player, _ in bot.told} == {1, -1}  # not of its own moves


def test_a_game_over_before_the_agents_first_decision_is_no_episode() -> None:
    def rolls(state) -> int:
        return state.legal_actions()[0]

    env = DiceGameEnv(Pig(goal=2, sides=3), opponent=rolls, seat=1)  # it wins at once in two games of three
    for seed in range(30):
        _, info = env.reset(seed=seed)
        assert info["action_mask"].any()
        assert info["current_player"] == 1
    stuck = DiceGameEnv("star_pig(goal=1,sides=1000)", opponent=rolls, seat=1)
    stuck.game._chances = ((1, 1.0),)
    with pytest.raises(StarspielError, match="over before the agent's first decision"):
        stuck.reset()


def test_unmasked_samples_are_legal() -> None:
    env = DiceGameEnv(Pig(goal=6))
    for seed in range(5):
        env.reset(seed=seed)
        over = False
        while not over:
            over = env.step(env.action_space.sample())[2]


def test_the_environment_shows_its_rules_and_state() -> None:
    env = gymnasium.make("starspiel/Pig-v0", game="star_pig(goal=30)", render_mode="ansi")
    env.reset(seed=1)
    assert env.unwrapped.game.name == "star_pig(goal=30)"
    assert env.unwrapped.state.get_game() is env.unwrapped.game
    assert env.render() == str(env.unwrapped.state)
    assert "0 of 30" in env.render()


def test_copies_go_on_alike_and_apart() -> None:
    env = DiceGameEnv(Pig(), opponent=first_legal)
    env.reset(seed=3)
    other = copy.deepcopy(env)
    assert env.step(ROLL)[0].tolist() == other.step(ROLL)[0].tolist()
    assert other.action_space is not env.action_space
    assert pickle.loads(pickle.dumps(env.action_space)) == env.action_space


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_make_vec(mode) -> None:
    envs = gymnasium.make_vec(
        "starspiel/Pig-v0", num_envs=2, vectorization_mode=mode, game="star_pig(goal=20)"
    )
    _, info = envs.reset(seed=1)
    finished = 0
    for _ in range(60):
        actions = np.array([mask.argmax() for mask in info["action_mask"]])
        _, _, terminated, _, info = envs.step(actions)
        finished += terminated.sum()
    envs.close()
    assert finished


def test_one_rules_object_is_a_game_and_an_environment() -> None:
    rules = make_game("star_pig(goal=12)")
    env = DiceGameEnv(rules)
    env.reset(seed=0)
    assert env.unwrapped.game is rules
    assert env.state.position == rules.initial()


@pytest.mark.parametrize("seat", [0, 1])
def test_an_agent_spec_takes_the_other_seat(seat) -> None:
    env = gymnasium.make("starspiel/Knucklebones-v0", opponent="star2(depth=1)", seat=seat)
    rewards, infos = play(env, 4)
    again, _ = play(env, 4)
    assert rewards == again
    assert {info["current_player"] for info in infos} == {seat, -4}


def test_an_opponents_spec_that_does_not_parse_is_one_clear_error() -> None:
    for spec, message in [("star2(depth=", "star2"), ("star3", "star3"), ("star2(dept=2)", "dept")]:
        with pytest.raises(StarspielError, match=message):
            gymnasium.make("starspiel/Pig-v0", opponent=spec)


def test_a_compiled_bot_of_openspiel_is_refused_in_words() -> None:
    bot = pyspiel.make_uniform_random_bot(1, 1)
    with pytest.raises(
        StarspielError, match="OpenSpiel's own bots take states of OpenSpiel only, and star_pig"
    ):
        DiceGameEnv(Pig(goal=5), opponent=bot)
