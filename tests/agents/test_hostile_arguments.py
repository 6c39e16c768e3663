"""Whatever is handed to a public function, it answers or raises StarspielError; nothing else gets out."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from starspiel import (
    EnvAgent,
    Limits,
    StarspielError,
    check_bot,
    check_evaluator,
    load_game,
    make_bot,
    make_evaluator,
    register_bot,
    register_evaluator,
    register_heuristic,
    search,
    solve,
)
from starspiel.agents import parse_spec
from starspiel.agents.evaluators import FunctionEvaluator
from starspiel.envs.arguments import seed_number, whole_number
from starspiel.envs.errors import shown
from starspiel.evaluation import tournament
from starspiel.evaluation.checked_settings import read_settings

DEEP = 5000
GAME = load_game("pig(winscore=20)")
STATE = GAME.new_initial_state()
ONE = Limits(depth=1)


class Unshowable:
    def __repr__(self) -> str:
        raise RuntimeError("no repr")


VALUES: dict[str, Any] = {
    "None": None,
    "True": True,
    "np.int64": np.int64(3),
    "np.float64": np.float64(2.5),
    "np.bool": np.bool_(True),
    "array": np.array([1, 2]),
    "no array": np.array([]),
    "infinite": math.inf,
    "minus infinite": -math.inf,
    "NaN": math.nan,
    "5,000 digits": 10**DEEP,
    "65 bits": 2**64,
    "negative": -1,
    "fraction": 1.5,
    "text": "abc",
    "no text": "",
    "zero character": "a\0b",
    "half a character": "\ud800",
    "bytes": b"x",
    "list": [1],
    "dict": {},
    "class": int,
    "unshowable": Unshowable(),
    "nest": "a(b=" * DEEP + "c" + ")" * DEEP,
    "open nest": "a(b=" * DEEP,
    "digits": "9" * DEEP,
}


def answers(call: Callable[..., Any], *arguments: Any, **keywords: Any) -> None:
    """Calls it; StarspielError is an answer, provided that its message can be printed."""
    try:
        call(*arguments, **keywords)
    except StarspielError as error:
        str(error).encode()


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_agents_and_evaluators(value: Any) -> None:
    answers(make_bot, value, "pig")
    answers(make_bot, "random", value)
    answers(make_bot, "random", "pig", player=value)
    for agent in ("random", "greedy(evaluator=rollout)", "star2", "star2ss", "mcts(simulations=2)"):
        answers(make_bot, agent, GAME, seed=value)
    answers(make_evaluator, value, GAME)
    answers(make_evaluator, "zero", value)
    answers(make_evaluator, "rollout", GAME, seed=value)
    answers(FunctionEvaluator, value)
    answers(FunctionEvaluator, lambda state: 0.0, name=value)
    for register in (register_bot, register_evaluator, register_heuristic):
        answers(register, value, None)
    answers(parse_spec, value)
    answers(check_bot, value, GAME, games=1)
    answers(check_evaluator, value, GAME, positions=9)
    for name in ("seconds", "seed"):
        answers(check_bot, "random", GAME, games=1, **{name: value})
        answers(check_evaluator, "zero", GAME, positions=9, **{name: value})


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
@pytest.mark.parametrize(("algorithm", "engine"), [("star2", "python"), ("star2", "auto")])
def test_search(value: Any, algorithm: str, engine: str) -> None:
    def searched(evaluator: Any = "zero", **options: Any) -> None:
        answers(search, STATE, algorithm, ONE, evaluator, engine=engine, **options)

    searched(value)
    searched("rollout", seed=value)
    searched(lambda state: value)
    for bounds in (value, (value, value), (-1, value), (-math.inf, math.inf)):
        searched(FunctionEvaluator(lambda state: value, range=bounds))
    for option in ("probes", "table_mb", "merge", "order", "explain", "exact_action_values", "seed", "width"):
        searched(**{option: value})
    answers(search, value)
    answers(search, STATE, value)
    answers(search, STATE, algorithm, value)
    answers(search, STATE, algorithm, ONE, engine=value)


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_limits_games_and_environments(value: Any) -> None:
    for name in ("depth", "nodes", "seconds"):
        answers(lambda name=name: repr(Limits(**{name: value})))
    answers(load_game, value)
    answers(solve, value)
    lake = gymnasium.make("FrozenLake-v1", is_slippery=False)
    answers(EnvAgent, value, lake)
    answers(EnvAgent, "random", value)
    for name in ("seed", "horizon", "discount", "utility_range"):
        answers(EnvAgent, "expectiminimax(depth=1)", lake, **{name: value})
    answers(EnvAgent("greedy", lake, seed=1).play, value)


TEXTS = {name: value for name, value in VALUES.items() if isinstance(value, str)} | {
    "infinite": "inf",
    "NaN": "nan",
    "exponent": "1e999",
    "negative": "-1",
    "true": "true",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_words_in_specs_and_game_strings(text: str) -> None:
    for parameter in ("depth", "seconds", "nodes", "probes", "table_mb", "merge", "ties", "evaluator"):
        answers(make_bot, f"star2({parameter}={text})", "pig")
    for parameter in ("simulations", "seconds", "uct_c", "memory_mb", "solve"):
        answers(make_bot, f"mcts({parameter}={text})", "pig")
    for evaluator in (f"rollout(n={text})", f"net(file={text})"):
        answers(make_bot, f"star2(evaluator={evaluator})", "pig")
    for agent in ("star2ss(width=?)", "optimal(solution=?)", "star2(?=2)", "?(depth=2)", "?:x", "math:?"):
        answers(make_bot, agent.replace("?", text), "pig")
    for game in ("pig(winscore=?)", "pig(?=3)", "?(players=2)", "star_pig(goal=?)", "misere(game=?)"):
        answers(load_game, game.replace("?", text))
    for game in ("FrozenLake-v1(horizon=?)", "FrozenLake-v1(discount=?)", "?-v1", "x/?-v0", "math:?"):
        answers(load_game, game.replace("?", text))


CONFIGURATIONS = {
    "arrays": "pairs=" + "[" * DEEP + "]" * DEEP,
    "arrays of games": "game=" + "[" * DEEP + "]" * DEEP,
    "tables": "agents=" + "{a=" * DEEP + "1" + "}" * DEEP,
    "dotted keys": "agents." + ".".join("a" * DEEP) + '="random"',
    "a dotted header": f"[agents.{'.'.join('a' * DEEP)}]\nb=1",
    "digits": "pairs=" + "9" * DEEP,
    "hexadecimal digits": "seed=0x" + "f" * DEEP,
    "hexadecimal digits inside": "game={a=0x" + "f" * DEEP + "}",
    "a zero character": 'game="a\\u0000b"',
    "NaN": "clock=nan",
    "infinite": "clock=inf",
    "a date": "game=1979-05-27",
    "a long key": "9" * DEEP + "=1",
    "half a character": 'game="\ud800"',
}


@pytest.mark.parametrize("text", CONFIGURATIONS.values(), ids=CONFIGURATIONS)
def test_configurations(text: str, tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    answers(read_settings, file, {})


@pytest.mark.parametrize("name", ["a\0b", "a\ud800b"])
def test_names_of_files(name: str) -> None:
    for call in (
        lambda: read_settings(Path(name), {}),
        lambda: tournament("pig(winscore=5)", ["random", "greedy"], pairs=1, store=name),
        lambda: tournament("pig(winscore=5)", ["random", "greedy"], pairs=1, starts=name),
        lambda: make_evaluator("solution", GAME, seed=name),  # type: ignore[arg-type]
    ):
        with pytest.raises(StarspielError):
            call()


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_tournaments(value: Any) -> None:
    agents = ["random", "greedy"]
    for name in ("seed", "format", "sprt", "starts", "luck", "anchor", "clock", "limits", "engine"):
        answers(tournament, "pig(winscore=5)", agents, pairs=1, **{name: value})
    answers(tournament, "pig(winscore=5)", value, pairs=1)
    answers(tournament, "pig(winscore=5)", [value, "random"], pairs=1)
    answers(tournament, "pig(winscore=5)", [("x", value), "random"], pairs=1)
    answers(tournament, value, agents, pairs=1)


def test_whole_numbers_of_numpy_are_numbers() -> None:
    """As seeds, widths, seats and limits, with the same play as Python's own."""
    three, plain = np.int64(3), 3
    for algorithm in ("star2", "expss", "star2ss"):
        results = [
            search(STATE, algorithm, Limits(depth=count), "rollout", seed=count, width=count, probes=count)
            for count in (plain, three)
        ]
        assert results[0].action_values == results[1].action_values
        assert str(results[0].algorithm) == str(results[1].algorithm)
    for agent in ("random", "mcts(simulations=9)", "greedy(evaluator=rollout)", "star2ss"):
        moves = [make_bot(agent, GAME, player=seed - seed, seed=seed).step(STATE) for seed in (plain, three)]
        assert moves[0] == moves[1]
    assert EnvAgent("random", gymnasium.make("FrozenLake-v1"), seed=three).play(three) >= 0.0
    assert tournament(GAME, ["random", "greedy"], pairs=np.int64(1), seed=three).pairs[0].games
    assert type(Limits(depth=three).depth) is int


@pytest.mark.parametrize("seed", [1.0, "3", True, [3], np.bool_(True)])
def test_what_is_no_whole_number_is_no_seed(seed: Any) -> None:
    for call in (
        lambda: make_bot("random", GAME, seed=seed),
        lambda: make_bot("star2", GAME, seed=seed),
        lambda: make_evaluator("rollout", GAME, seed=seed),
        lambda: search(STATE, "star2ss", ONE, seed=seed),
        lambda: search(STATE, "star2", ONE, "rollout", seed=seed),
        lambda: EnvAgent("random", gymnasium.make("FrozenLake-v1"), seed=seed),
        lambda: tournament(GAME, ["random", "greedy"], pairs=1, seed=seed),
    ):
        with pytest.raises(StarspielError, match=r"seed.* a whole number"):
            call()
    with pytest.raises(StarspielError, match="got"):
        seed_number(seed)


def test_values_that_cannot_be_shown_are_named_by_their_type() -> None:
    assert shown(10**DEEP) == "a int that cannot be shown"
    assert shown(Unshowable()) == "a Unshowable that cannot be shown"
    assert len(shown("x" * DEEP)) < 250
    assert shown("pig") == "'pig'"
    with pytest.raises(StarspielError, match="width must be at most 5, got 6"):
        whole_number("width", 6, 1, 5)


def test_infinite_values_are_refused_and_infinite_ranges_bound_nothing() -> None:
    for engine in ("python", "auto"):
        for value in (math.inf, -math.inf, math.nan):
            loose = FunctionEvaluator(lambda state, v=value: v, range=(-math.inf, math.inf))
            with pytest.raises(StarspielError, match="expected a number in"):
                search(STATE, "star2", ONE, loose, engine=engine)
        loose = FunctionEvaluator(lambda state: 0.5, range=(-math.inf, math.inf))
        result = search(STATE, "star2", Limits(depth=2), loose, engine=engine)
        assert result.value == 0.5
        assert any("not pruned" in note for note in result.notes)
    with pytest.raises(StarspielError, match="two numbers in order"):
        search(STATE, "star2", ONE, FunctionEvaluator(lambda state: 0.5, range=(math.inf, math.inf)))


@pytest.mark.parametrize(("discount", "agent"), [(0.01, "star2ss(depth=1)"), (1e-5, "star2(depth=3)")])
def test_discounts_that_leave_nothing_of_late_rewards(discount: float, agent: str) -> None:
    lake = gymnasium.make("FrozenLake-v1")
    assert EnvAgent(agent, lake, seed=1, horizon=True, discount=discount).play(1) in (0.0, 1.0)
    game = load_game(f"FrozenLake-v1(horizon=300,discount={discount:f})")
    state = game.new_initial_state()
    for _ in range(250):
        state = state.child(state.chance_outcomes()[0][0] if state.is_chance_node() else 0)
    if not state.is_chance_node():
        assert search(state, "star2", Limits(depth=4)).value == pytest.approx(0.0)
