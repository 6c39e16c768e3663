"""Identifies agents and evaluators in a store, by specs with hashes of their files and networks."""

from collections.abc import Iterator
from pathlib import Path

from starspiel.agents.evaluators import Evaluator
from starspiel.agents.evaluators.auto import shipped_checksum
from starspiel.agents.evaluators.base import FunctionEvaluator
from starspiel.agents.roster import find_agent
from starspiel.envs.base import Game
from starspiel.envs.errors import StarspielError
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
    return _with_networks(with_contents(spec), evaluators, game)


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
    return " ".join([identity, *(f"{name}:{checksum[:16]}" for name, checksum in sorted(found.items()))])


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
