"""Registers bots, evaluators and heuristics: each name with its factory as `module:object`. Entries are
imported on demand; those of packages that are not installed are not listed.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from starspiel.agents.factories import BOT_ARGUMENTS, arguments_asked_for
from starspiel.envs.errors import SpecError, did_you_mean, shown
from starspiel.envs.kits import KITS
from starspiel.envs.modules import is_installed, resolve
from starspiel.envs.spec import parameters_of


@dataclass(frozen=True, slots=True)
class Entry:
    """What a name stands for: its factory, and how to call it.

    Attributes:
        made_by: its factory: `module:object`, or a registered function or class.
        about: a description in one line.
        fixed: arguments that are always given.
        reserved: parameters that a spec must not set.
        is_foreign: whether it is the user's own, called as in `agents/factories.py`.
    """

    made_by: str | Callable[..., Any]
    about: str = ""
    fixed: Mapping[str, Any] = field(default_factory=dict)
    reserved: tuple[str, ...] = ()
    is_foreign: bool = False

    @property
    def is_installed(self) -> bool:
        """Whether its package is installed."""
        return not isinstance(self.made_by, str) or is_installed(self.made_by)

    @property
    def factory(self) -> Callable[..., Any]:
        """Imports the factory. Raises StarspielError if its package is not installed."""
        made = resolve(self.made_by) if isinstance(self.made_by, str) else self.made_by
        return partial(made, **self.fixed) if self.fixed else made

    @property
    def offered(self) -> tuple[str, ...]:
        """The names of the arguments that its factory gets in addition to the spec's."""
        return arguments_asked_for(self.factory) if self.is_foreign else BOT_ARGUMENTS

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of an agent's spec, with their defaults."""
        return parameters_of(self.factory, {*self.offered, *self.reserved})


def _search(algorithm: str, about: str, *unused: str) -> Entry:
    """Returns the entry of a search algorithm, without the options that do not apply to it."""
    search = "starspiel.agents.bots.search_bot:search_agent"
    return Entry(search, about, {"algorithm": algorithm}, ("algorithm", *unused))


BOTS: dict[str, Entry] = {
    "auto": Entry(
        "starspiel.agents.bots.auto:chosen_agent",
        "chooses what suits the game: its solution, Star2 with a heuristic or network, or MCTS",
    ),
    "random": Entry("starspiel.agents.bots.random:RandomBot", "plays a random legal move"),
    "greedy": Entry(
        "starspiel.agents.bots.greedy:greedy", "plays the move whose successor the evaluator values highest"
    ),
    "mcts": Entry(
        "starspiel.agents.bots.mcts:mcts",
        "OpenSpiel's C++ Monte-Carlo tree search; falls back to uct",
    ),
    "uct": Entry(
        "starspiel.agents.bots.uct:UCTBot", "UCT in C++ and Python, for every game that can be searched"
    ),
    "rollout": Entry(
        "starspiel.agents.rollouts.bot:RolloutBot",
        "plays out games after every move until the best one is clear",
    ),
    "optimal": Entry(
        "starspiel.agents.bots.optimal:optimal", "plays perfectly from a file that `starspiel solve` wrote"
    ),
    "expectiminimax": _search("expectiminimax", "full-width search without pruning", "probes", "width"),
    "star1": _search(
        "star1", "expectiminimax with Star1 cut-offs at chance nodes (Ballard 1983)", "probes", "width"
    ),
    "star2": _search("star2", "Star1 that first probes moves of each outcome (Ballard 1983)", "width"),
    "expss": _search("expss", "expectiminimax over sampled chance outcomes (Lanctot et al. 2013)", "probes"),
    "star1ss": _search("star1ss", "Star1 over sampled chance outcomes", "probes"),
    "star2ss": _search("star2ss", "Star2 over sampled chance outcomes"),
    "gnubg": Entry(
        "starspiel.agents.reference.gnubg:GnubgBot", "GNU Backgammon, if that program is installed"
    ),
    "pubeval": Entry(
        "starspiel.agents.reference.pubeval:PubevalBot", "Tesauro's benchmark for backgammon (1993)"
    ),
}

EVALUATORS: dict[str, Entry] = {
    "auto": Entry("starspiel.agents.evaluators.auto:auto"),
    "bearoff": Entry("starspiel.agents.evaluators.bearoff:with_bearoff"),
    "gnubg": Entry("starspiel.agents.reference.gnubg:GnubgEvaluator"),
    "heuristic": Entry("starspiel.agents.evaluators.heuristic:heuristic"),
    "net": Entry("starspiel.agents.evaluators.network:network_from_file"),
    "ntuple": Entry("starspiel.agents.evaluators.ntuple:ntuple_from_file"),
    "onnx": Entry("starspiel.agents.evaluators.onnx:onnx_from_file"),
    "rollout": Entry("starspiel.agents.evaluators.rollout:rollout"),
    "solo": Entry("starspiel.agents.evaluators.solo:SoloEvaluator"),
    "solution": Entry("starspiel.agents.evaluators.solution:SolutionEvaluator"),
    "zero": Entry("starspiel.agents.evaluators.zero:ZeroEvaluator"),
}

#: Heuristics by the short names of games; their factories take the game.
HEURISTICS: dict[str, Entry] = {kit.name: Entry(kit.heuristic) for kit in KITS if kit.heuristic}

#: Parts of optional packages, which lower layers use if they are installed.
EXTRAS: dict[str, str] = {
    "program that speaks the seat protocol": "starspiel.agents.seats.bot:EngineBot",
    "agent in a process of its own": "starspiel.agents.seats.bot:seat_bot",
    "parameters of an agent in a process of its own": "starspiel.agents.seats.bot:parameters_of_engine",
    "end of idle engines": "starspiel.agents.seats.pool:close_idle",
    "check of an engine": "starspiel.agents.seats.conformance:check_engine",
    "book": "starspiel.agents.book.book:book_of",
    "bot with a book": "starspiel.agents.book.bot:with_book",
    "answer by a book": "starspiel.agents.book.book:answer",
    "tree of a search": "starspiel.agents.search.tree.tree:tree_of",
    "bot of a policy": "starspiel.agents.openspiel.bots:PolicyBot",
    "bot of an RL agent": "starspiel.agents.openspiel.bots:RLAgentBot",
    "bot of an MCTS evaluator": "starspiel.agents.openspiel.bots:EvaluatorBot",
    "bot of one of OpenSpiel's": "starspiel.agents.openspiel.bots:OpenSpielBot",
}


def extra(name: str) -> Any:
    """Returns one of EXTRAS. Raises StarspielError if its package is not installed."""
    return resolve(EXTRAS[name])


def installed(entries: Mapping[str, Entry]) -> dict[str, Entry]:
    """Returns the entries whose packages are installed."""
    return {name: entry for name, entry in entries.items() if entry.is_installed}


def check_new(entries: Mapping[str, Entry], kind: str, name: Any, made_by: Any) -> None:
    """Raises SpecError if the name is taken or not an identifier, or if `made_by` is not callable."""
    noun = "bot" if kind == "agent" else kind
    if not isinstance(name, str) or not name.isidentifier():
        raise SpecError(f"expected a name such as my_{noun}, got {shown(name)}.")
    if not callable(made_by):
        raise SpecError(f"expected a function or class that makes the {noun} {name}, got {shown(made_by)}.")
    if name in entries:
        raise SpecError(f"the {kind} {shown(name)} already exists; register under another name.")


def unknown(kind: str, name: str, names: Iterable[str]) -> SpecError:
    """Returns the error for an unknown name, with the nearest known one."""
    return SpecError(f"unknown {kind} {shown(name)}.{did_you_mean(name, names)}")
