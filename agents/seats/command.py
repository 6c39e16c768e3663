"""Builds the command that runs an agent's spec as an engine."""

import json
import os
import shutil
import sys

from starspiel.envs.errors import SpecError, shown
from starspiel.envs.spec import command_words, is_command

#: The host is found by the same paths as starspiel here, in whatever folder it runs.
_HOST = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from starspiel.agents.seats.host import main; main()"
)


def command_of(spec: str) -> tuple[str, ...]:
    """Returns the command of an engine: the program of `exec:COMMAND`, or for any other spec Python's host.

    The program is looked up in the current folder and on the PATH; relative file names become absolute.
    Raises SpecError if there is no such program.
    """
    if not is_command(spec):
        paths = [os.path.abspath(path) for path in [*sys.path, ""]]
        return (sys.executable, "-c", _HOST, json.dumps(paths), os.getcwd(), spec)
    first, *others = command_words(spec)
    program = shutil.which(first)
    if program is None:
        raise SpecError(
            f"agent {shown(spec)}: there is no program {shown(first)} here or on the PATH that can be run."
        )
    words = [program, *(os.path.abspath(word) if os.path.isfile(word) else word for word in others)]
    return (os.path.join(os.getcwd(), program), *words[1:])
