"""The case of every agent and evaluator that the batteries of tests/agents put through.

What is new to a roster gets a line here: a spec with a budget that keeps a game short. If it needs a file,
the file is written by a function of the game.
"""

import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from support.onnx_models import linear_model, ones

from starspiel.agents.encoders import encoder_of
from starspiel.agents.evaluators.network_file import NetworkFile
from starspiel.agents.evaluators.ntuple_file import NTupleFile
from starspiel.agents.solve import solve
from starspiel.envs.load import load_game

#: Specs of agents by their name in the roster; FILE stands for what `FILES` writes.
AGENTS = {
    "auto": "auto(steps=200)",
    "random": "random",
    "greedy": "greedy",
    "mcts": "mcts(simulations=20)",
    "uct": "uct(simulations=5,rollout_moves=50)",
    "rollout": "rollout(n=2,depth=1)",
    "optimal": "optimal(solution=FILE)",
    "expectiminimax": "expectiminimax(depth=1)",
    "star1": "star1(depth=2)",
    "star2": "star2(depth=2,ties=random)",
    "expss": "expss(depth=2,width=2)",
    "star1ss": "star1ss(depth=2,width=2)",
    "star2ss": "star2ss(depth=2,width=2)",
    "gnubg": "gnubg",
    "pubeval": "pubeval",
}
#: The same of evaluators.
EVALUATORS = {
    "auto": "auto",
    "bearoff": "bearoff",
    "gnubg": "gnubg",
    "heuristic": "heuristic",
    "net": "net(file=FILE)",
    "ntuple": "ntuple(file=FILE)",
    "onnx": "onnx(file=FILE)",
    "rollout": "rollout(n=2)",
    "solo": "solo",
    "solution": "solution(file=FILE)",
    "zero": "zero",
}
_OURS = ("star_pig(goal=15)", "star_2048(columns=2,rows=2)")
_THEIRS = ("tic_tac_toe", "catch", "2048(max_tile=16)", "einstein_wurfelt_nicht", "pig(winscore=15)")
#: What an agent or evaluator cannot play; some are for a game of their own each.
REFUSED = {
    *((name, game) for name in ("bearoff", "gnubg", "pubeval", "solo") for game in _OURS + _THEIRS),
    *(("ntuple", game) for game in (_OURS[0], *_THEIRS)),
    *(("heuristic", game) for game in _THEIRS[:2]),
    *(("net", game) for game in (_OURS[1], *_THEIRS[1:3])),
    ("onnx", _OURS[1]),
}
#: What nobody has solved: test_solve.py has what is too large.
UNSOLVED = {(name, game) for name in ("optimal", "solution") for game in _THEIRS[2:4]}


def _solution(game: str) -> str:
    return str(solve(game, memory_gb=0.1).save(_folder() / "solution.npz"))


def _network(game: str) -> str:
    """A network of random weights; for games that have no encoder, of others."""
    played = load_game(game)
    encoder = encoder_of(played)
    inputs = 1 if encoder is None else len(encoder.units)
    draw = np.random.default_rng(1)
    layers = tuple(
        (draw.normal(0, 0.2, sizes).astype(np.float32), draw.normal(0, 0.2, sizes[1]).astype(np.float32))
        for sizes in ((inputs, 4), (4, 1))
    )
    seen = ("none", 1) if encoder is None else (encoder.name, encoder.version)
    file = _folder() / "network.npz"
    NetworkFile(played.name, seen, (-1.0, 1.0), layers).save(file)
    return str(file)


def _model(game: str) -> str:
    """A model of small weights; for games that have no encoder, of one input."""
    pytest.importorskip("onnxruntime")
    encoder = encoder_of(load_game(game))
    file = _folder() / "model.onnx"
    file.write_bytes(linear_model(1e-3 * ones(1 if encoder is None else len(encoder.units))))
    return str(file)


def _ntuples(game: str) -> str:
    """An n-tuple network of random weights for a board of 2 x 2; its name is the game's, whatever that is."""
    weights = np.random.default_rng(1).integers(-9, 9, 16**4).astype(np.int16)
    file = _folder() / "ntuples.npz"
    NTupleFile(load_game(game).name, 2, 2, ((0, 1, 4, 5),), weights, 0.0, 1.0).save(file)
    return str(file)


def _folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="starspiel-cases-"))


FILES: dict[str, Callable[[str], str]] = {
    "net": _network,
    "ntuple": _ntuples,
    "onnx": _model,
    "optimal": _solution,
    "solution": _solution,
}


@cache
def case(name: str, game: str) -> str:
    """The spec of an agent for a game, its file written."""
    return _written(AGENTS[name], name, game)


@cache
def evaluator_case(name: str, game: str) -> str:
    """The same of an evaluator."""
    return _written(EVALUATORS[name], name, game)


def _written(spec: str, name: str, game: str) -> str:
    return spec.replace("FILE", FILES[name](game)) if "FILE" in spec else spec


def without_case(names: set[str], cases: dict[str, str], what: str) -> str:
    """What to add for those that have no case; empty if all have one."""
    missing = sorted(names - set(cases))
    gone = sorted(set(cases) - names)
    lines = [
        f"the {what} {name!r} is not tested: add a line with its spec to {what.upper()}S of "
        f"tests/support/cases.py, and if it needs a file what writes one to FILES."
        for name in missing
    ]
    lines += [
        f"there is no {what} {name!r} any more: take it out of tests/support/cases.py." for name in gone
    ]
    return "\n".join(lines)


def without_row(names: set[str], page: Path, what: str) -> str:
    """What to add for those that have no row in a table of the page."""
    text = page.read_text(encoding="utf-8")
    return "\n".join(
        f"the {what} {name!r} is on no page: add the row `| `{name}` | … |` to "
        f"{page.parent.name}/{page.name}."
        for name in sorted(names)
        if f"\n| `{name}` |" not in text
    )
