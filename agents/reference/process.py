"""Runs GNU Backgammon as a separate process and communicates with its external-player socket. The program is
under the GPL; starspiel contains no part of it.
"""

import atexit
import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from starspiel.envs.errors import SpecError, StarspielError

_PROGRAM = "gnubg"
#: The folders of games on Debian and Ubuntu, which are not on every PATH.
_PLACES = ("/usr/games", "/usr/local/games")
_START_SECONDS, _ANSWER_SECONDS = 60.0, 120.0
_MISSING = (
    "the agent gnubg needs the program GNU Backgammon, which is not on the PATH: install it, "
    "for example by apt install gnubg, or brew install gnubg."
)


def gnubg_program() -> str | None:
    """Returns the path of the program; None if it is not installed."""
    return shutil.which(_PROGRAM) or shutil.which(_PROGRAM, path=os.pathsep.join(_PLACES))


class Gnubg:
    """A running program that values positions and chooses plays at `plies` plies: cubeless, and without
    noise, Jacoby's rule and the user's settings. Raises SpecError if the program is not installed, and
    StarspielError if it does not start.
    """

    def __init__(self, plies: int) -> None:
        program = gnubg_program()
        if program is None:
            raise SpecError(_MISSING)
        self._lock = threading.Lock()
        self._folder = tempfile.TemporaryDirectory(prefix="starspiel-gnubg-")
        path = str(Path(self._folder.name) / "socket")
        environment = os.environ | {"HOME": self._folder.name, "LC_ALL": "C"}
        self._process = subprocess.Popen(
            [program, "--tty", "--quiet", "--no-rc"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
            cwd=self._folder.name,
        )
        evaluation = "set evaluation chequerplay evaluation"
        commands = (
            "set sound enable no",
            "set jacoby off",
            f"{evaluation} plies {plies}",
            f"{evaluation} cubeful off",
            f"{evaluation} noise 0",
            f"external {path}",
        )
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # if it has already ended, connecting reports it
            self._process.stdin.write("".join(f"{command}\n" for command in commands))
            self._process.stdin.flush()
        self._socket = self._connected(path)
        atexit.register(self.close)

    def ask(self, message: str) -> str:
        """Sends a line and returns the program's answer of one line. Raises StarspielError if none comes."""
        with self._lock:
            try:
                self._socket.sendall(message.encode() + b"\n")
                answer = b""
                while not answer.endswith(b"\n"):
                    part = self._socket.recv(4096)
                    if not part:
                        raise OSError("it has ended")
                    answer += part
            except OSError as error:
                raise StarspielError(f"GNU Backgammon does not answer: {error}.") from None
        return answer.decode().strip()

    @property
    def has_ended(self) -> bool:
        """Whether the program has ended."""
        return self._process.poll() is not None

    def close(self) -> None:
        """Ends the program."""
        self._socket.close()
        self._process.terminate()
        self._process.wait()
        self._folder.cleanup()

    def _connected(self, path: str) -> socket.socket:
        end = time.monotonic() + _START_SECONDS
        while True:
            connection = socket.socket(socket.AF_UNIX)
            connection.settimeout(_ANSWER_SECONDS)
            try:
                connection.connect(path)
                return connection
            except OSError as error:
                connection.close()
                if time.monotonic() > end or self._process.poll() is not None:
                    self._process.kill()
                    raise StarspielError(f"GNU Backgammon does not start: {error}.") from None
                time.sleep(0.05)


_running: dict[tuple[int, int], Gnubg] = {}


def gnubg_of(plies: int) -> Gnubg:
    """Returns this process's program for a number of plies; starts it if it is not running."""
    key = os.getpid(), plies
    if key not in _running or _running[key].has_ended:
        _running[key] = Gnubg(plies)
    return _running[key]
