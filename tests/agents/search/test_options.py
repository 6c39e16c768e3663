"""Every option of a search: declared once, and the same at every door."""

import inspect
from dataclasses import MISSING, fields, replace

import pytest

from starspiel.agents.bots.search_bot import SearchBot, search_agent
from starspiel.agents.roster import make_bot, registered_agents
from starspiel.agents.search import Limits, Options, search
from starspiel.agents.search.options import FOR_READERS
from starspiel.envs.errors import SpecError, StarspielError
from starspiel.envs.load import load_game

DECLARED = {option.name: option.default for option in fields(Options)}
#: What `search` and agents are given besides.
OTHERS = {"state", "limits", "evaluator", "seed", "game", "player", "depth", "nodes", "seconds", "book"}


def parameters_of(function):
    taken = inspect.signature(function).parameters
    return {name: p.default for name, p in taken.items() if name not in OTHERS}


def test_search_takes_every_option_with_its_default():
    """A field of Options that fails here wants a keyword of `search`, which hands it on."""
    assert parameters_of(search) == DECLARED
    assert MISSING not in DECLARED.values()


def test_search_hands_every_option_on(monkeypatch):
    handed = []
    monkeypatch.setattr(
        "starspiel.agents.search.driver.search_with", lambda options, *_: handed.append(options)
    )
    other = {
        "algorithm": "star2ss",
        "probes": 7,
        "width": 3,
        "engine": "python",
        "table_mb": None,
        "merge": True,
        "order": False,
        "ties": "random",
        "opponent": "uniform",
        "opponents": "paranoid",
        "filters": "normal",
        "probcut": 1.5,
        "threads": 2,
        "exact_action_values": False,
        "explain": False,
    }
    assert other.keys() == DECLARED.keys()
    for name, value in other.items():
        assert value != DECLARED[name]
        search(None, **{name: value})
        assert handed.pop() == replace(Options(), **{name: value}), name


@pytest.mark.parametrize("agent", [SearchBot, search_agent])
def test_agents_take_every_option_but_those_for_readers(agent):
    expected = {name: value for name, value in DECLARED.items() if name not in FOR_READERS}
    if agent is SearchBot:
        expected["algorithm"] = inspect.Parameter.empty
    assert parameters_of(agent) == expected


def test_an_option_reaches_the_search_of_a_spec():
    game = load_game("pig")
    state = game.new_initial_state()
    for options, algorithm in (("engine=python", "star2"), ("engine=python,probes=0", "star2(probes=0)")):
        bot = make_bot(f"star2(depth=2,{options})", game)
        bot.step(state)
        assert (bot.last_result.engine, bot.last_result.algorithm) == ("python", algorithm)
    assert registered_agents()["star2"].parameters["table_mb"] == Options().table_mb


def test_what_is_no_option_of_an_agent_is_refused_by_name():
    game = load_game("pig")
    for name in ("explain", "prune"):
        with pytest.raises(TypeError, match=name):
            SearchBot(game, "star2", Limits(depth=1), **{name: False})
        with pytest.raises(SpecError, match=f"no parameter '{name}'"):
            make_bot(f"star2({name}=false)", game)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"algorithm": "star3"}, "unknown algorithm 'star3'.*star"),
        ({"algorithm": None}, "unknown algorithm None"),
        ({"engine": "natve"}, "unknown engine 'natve'.*native"),
        ({"probes": -1}, "probes must be a whole number of at least 0, got -1"),
        ({"probes": True}, "probes must be a whole number of at least 0, got True"),
        ({"ties": "sooner"}, "ties must be soonest, first or random"),
        ({"width": 0}, "width must be a whole number of at least 1, got 0"),
        ({"threads": 1000}, "threads must be at most 64, got 1000"),
        ({"threads": 0}, "threads must be a whole number of at least 1, got 0"),
        ({"table_mb": 0}, "table_mb must be a whole number of at least 1, or None"),
        ({"table_mb": True}, "table_mb must be a whole number of at least 1, or None"),
        ({"table_mb": 10**12}, "exceeds the memory"),
        *(
            ({name: 1}, f"{name} must be true or false, got 1")
            for name, default in DECLARED.items()
            if isinstance(default, bool)
        ),
    ],
)
def test_wrong_options_are_refused_where_they_are_made(wrong, said):
    with pytest.raises(StarspielError, match=said):
        Options(**wrong)
