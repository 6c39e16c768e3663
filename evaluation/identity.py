"""Identifies agents and evaluators in a store, by specs with hashes of their files and networks."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from starspiel.agents.evaluators import Evaluator
from starspiel.agents.evaluators.auto import shipped_checksum
from starspiel.agents.evaluators.base import FunctionEvaluator
from starspiel.agents.registry import BOTS, EVALUATORS, HEURISTICS, Entry
from starspiel.agents.roster import find_agent
from starspiel.envs.base import Game
from starspiel.envs.errors import StarspielError
from starspiel.envs.named import short_names
from starspiel.envs.spec import Spec, as_spec, command_words, is_command, parse_spec
from starspiel.evaluation.contents import is_ours, of_object, with_held, with_modules
from starspiel.evaluation.imports import file_below


def of_agent(spec: str, game: Game) -> str:
    """Returns an agent's spec with hashes of its files and modules, and of the shipped networks it uses."""
    parsed = parse_spec(spec)
    evaluators = _evaluators(parsed)
    if "evaluator" not in parsed.params and ":" not in parsed.name:  # Modules are not imported for this.
        usual = "auto" if parsed.name == "auto" else find_agent(parsed.name).parameters.get("evaluator")
        evaluators += _evaluators(Spec(parsed.name, {"evaluator": usual}))
    bots = [BOTS[name] for name in sorted(_names(parsed)) if name in BOTS]
    return _with_networks(" ".join([with_contents(spec), *_registered(bots)]), evaluators, game)


def of_evaluator(name: str, game: Game) -> str:
    """Returns the identity of a shipped evaluator, given by its name."""
    try:
        parsed = parse_spec(name)
    except StarspielError:
        return name  # The name of an evaluator made in Python need not be a spec.
    return _with_networks(with_contents(name), [parsed, *_evaluators(parsed)], game)


def of_luck(evaluator: Evaluator, game: Game) -> str:
    """Returns the identity of a luck evaluator."""
    if is_ours(evaluator) and not isinstance(evaluator, FunctionEvaluator):
        return of_evaluator(evaluator.name, game)
    made = evaluator.function if isinstance(evaluator, FunctionEvaluator) else evaluator
    return f"{evaluator.name} {of_object(made)}"


def with_contents(spec: str) -> str:
    """Returns the spec with hashes of its files and modules, or of the files that an `exec:COMMAND` names."""
    if not is_command(spec):
        return with_modules(spec)
    try:
        found = list(_in_command(spec))
    except StarspielError:
        return spec  # An invalid command is refused when the agent is made.
    return with_held(spec, found)


def _evaluators(spec: Spec) -> list[Spec]:
    """Returns the specs given as `evaluator` parameters, including those of nested specs."""
    found = []
    for name, value in spec.params.items():
        if name == "evaluator" and isinstance(value, str | Spec):
            found.append(as_spec(value))
        if isinstance(value, Spec):
            found += _evaluators(value)
    return found


def _with_networks(identity: str, evaluators: list[Spec], game: Game) -> str:
    found = {each.name: checksum for each in evaluators if (checksum := shipped_checksum(each, game))}
    names = {each.name for each in evaluators}
    entries = [EVALUATORS[name] for name in sorted(names) if name in EVALUATORS]
    if names & {"auto", "heuristic"}:
        entries += [HEURISTICS[name] for name in short_names(game) if name in HEURISTICS]
    networks = [f"{name}:{checksum[:16]}" for name, checksum in sorted(found.items())]
    return " ".join([identity, *networks, *_registered(entries)])


def _registered(entries: Iterable[Entry]) -> list[str]:
    """Returns the identities of those entries that were registered in this process."""
    return [of_object(entry.made_by) for entry in entries if entry.is_foreign]


def _names(spec: Spec) -> set[str]:
    """Returns the name of a spec, and the names and texts within it."""
    inside = [value for value in spec.params.values() if isinstance(value, Spec)]
    words = {value for value in spec.params.values() if isinstance(value, str)}
    return {spec.name}.union(words, *map(_names, inside))


def _in_command(spec: str) -> Iterator[tuple[str, str, str]]:
    """Yields (name, file, module) of each file that `exec:COMMAND` names, and of a local module after -m."""
    words = command_words(spec)
    for before, word in zip(["", *words], words, strict=False):
        if Path(word).is_file():
            yield word, word, Path(word).stem if word.endswith(".py") else ""
        elif before == "-m":
            for module in (f"{word}.__main__", word):
                if file := file_below(Path.cwd(), module):
                    yield module, str(file), module
