"""From an agent's spec to the command that runs it as an engine."""

import json
import os
import shlex
import shutil
import sys

from starspiel.envs.errors import SpecError, shown
from starspiel.envs.spec import EXEC

#: The host is found by the same paths as starspiel was found here, whatever folder it runs in.
_HOST = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from starspiel.agents.seats.host import main; main()"
)


def is_exec(spec: str) -> bool:
    """Whether it names a program that speaks the seat protocol."""
    return spec.lstrip().startswith(EXEC)


def command_of(spec: str) -> tuple[str, ...]:
    """The command of an engine: the program of `exec:COMMAND`, or of any other spec, Python's host of it.

    The program is looked for from here, and on the PATH; words that name files from here name them from
    everywhere.

    Raises SpecError where there is no such program.
    """
    if not is_exec(spec):
        paths = [os.path.abspath(path) for path in [*sys.path, ""]]
        return (sys.executable, "-c", _HOST, json.dumps(paths), os.getcwd(), spec)
    words = words_of(spec)
    program = shutil.which(words[0])
    if program is None:
        raise SpecError(
            f"agent {shown(spec)}: there is no program {shown(words[0])}, here or on the PATH, "
            "that may be run."
        )
    return (_absolute(program), *(_absolute(word) if os.path.isfile(word) else word for word in words[1:]))


def words_of(spec: str) -> list[str]:
    """The words of `exec:COMMAND`, the program first. Raises SpecError where there is none."""
    try:
        words = shlex.split(spec.strip().removeprefix(EXEC))
    except ValueError as error:
        raise SpecError(f"agent {shown(spec)}: {error}.") from None
    if not words:
        raise SpecError("expected a command, as in exec:./my_engine --threads 1, got exec: alone.")
    return words


def _absolute(path: str) -> str:
    return os.path.join(os.getcwd(), path)
