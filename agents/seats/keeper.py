"""Supervises one engine: starts it, keeps the end of its output, and ends everything that it has started.

    python -I -S keeper.py CONTROL FOLDER FENCE COMMAND...

This is a process between the referee and the engine. It imports nothing of ours, so that it starts at once.
The engine runs in its own session in FOLDER, inherits only standard input and output, and ends with its
keeper. On Linux, the keeper adopts its orphans. If FENCE is 1, the engine can signal no process but its own:
see `fence`.

CONTROL is a socket. The referee writes a byte: `t` asks for the end of the output, and `q` ends the engine,
as does the end of the referee. The keeper writes JSON in frames of `multiprocessing.Connection`: first
`{"pid": …}`, then `{"printed": …}` for each `t`, and finally `{"ended": exit status, "printed": …}`.
"""

import ctypes
import json
import os
import resource
import select
import signal
import sys
import time
from contextlib import suppress

#: How many bytes of the end of an engine's output are kept.
_KEPT = 2048
#: The number of seconds of killing after which processes that an engine started are given up.
_PATIENCE = 5.0
_DEATH_SIGNAL, _SUBREAPER, _NO_NEW_PRIVILEGES = 1, 36, 38  # options of prctl
#: Landlock's system calls, its first version that supports signals, and its flag for them.
_CREATE_RULESET, _RESTRICT_SELF, _SCOPES_SIGNALS, _SCOPE_SIGNAL = 444, 446, 6, 2


class Keeper:
    def __init__(self, control: int, folder: str, fenced: bool, command: list[str]) -> None:
        self._control = control
        self.status: int | None = None
        self._kept = b""
        self._output, printing = os.pipe()
        self._woken, waker = os.pipe()
        os.set_blocking(waker, False)
        os.set_blocking(self._output, False)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(_SUBREAPER, 1)
        self._pid = os.fork()
        if not self._pid:
            _become(command, folder, fenced, printing)
        os.close(printing)
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nothing, descriptor)
        self._say(pid=self._pid)

    def watch(self) -> None:
        """Returns when the engine has ended, or is to be ended."""
        poll = select.poll()
        for descriptor in (self._control, self._output, self._woken):
            poll.register(descriptor, select.POLLIN)
        while self.status is None:
            for descriptor, _ in poll.poll():
                if descriptor == self._woken:
                    os.read(self._woken, 512)
                    self._reap()
                elif descriptor == self._output:
                    if not self._read():
                        poll.unregister(self._output)
                elif os.read(self._control, 1) == b"t":
                    self._read()
                    self._say(printed=self._kept.decode(errors="replace"))
                    self._kept = b""
                else:
                    return

    def end_all(self) -> None:
        """Kills the engine and everything that it has started, until none of it is left."""
        patience = time.monotonic() + _PATIENCE
        while self._reap() and time.monotonic() < patience:
            for pid in descendants(os.getpid()) or [self._pid]:
                for kill in (os.kill, os.killpg):
                    with suppress(OSError):
                        kill(pid, signal.SIGKILL)
            select.select([self._woken], [], [], 0.05)
        self._read()
        self._say(ended=self.status, printed=self._kept.decode(errors="replace"))

    def _say(self, **told: object) -> None:
        frame = json.dumps(told).encode()
        with suppress(OSError):  # the referee may be gone
            os.write(self._control, len(frame).to_bytes(4, "big") + frame)

    def _read(self) -> bool:
        """Reads the available output and keeps its end; returns whether more may come."""
        for _ in range(64):  # endless output must not block the keeper
            try:
                more = os.read(self._output, 2**16)
            except BlockingIOError:
                return True
            if not more:
                return False
            self._kept = (self._kept + more)[-_KEPT:]
        return True

    def _reap(self) -> bool:
        """Reaps ended children; returns whether any child, started or adopted, still runs."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == self._pid:
                self.status = os.waitstatus_to_exitcode(status)
            if not pid:
                return True


def descendants(pid: int, generations: int = -1) -> list[int]:
    """Returns all descendants of a process; an empty list if the system does not list them."""
    found = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children", "rb") as file:
                found += [int(child) for child in file.read().split()]
    except OSError:
        return []
    if generations == 1:
        return found
    return found + [each for child in found for each in descendants(child, generations - 1)]


def fence() -> None:
    """Prevents this process and its children from signalling others, and from reading others' memory.

    So it cannot end or stop its keeper, its referee or its opponent. This uses Landlock, from Linux 6.12 on,
    and does nothing on other systems. If the process has no administrator rights, no program that it starts
    can then gain other rights (set-user-id).
    """
    if sys.platform != "linux":
        return
    system = ctypes.CDLL(None)
    if system.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), 1) < _SCOPES_SIGNALS:
        return
    rules = (ctypes.c_uint64 * 3)(0, 0, _SCOPE_SIGNAL)  # no rules for files or the network
    ruleset = system.syscall(_CREATE_RULESET, rules, ctypes.c_size_t(ctypes.sizeof(rules)), 0)
    if system.syscall(_RESTRICT_SELF, ruleset, 0):
        system.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        system.syscall(_RESTRICT_SELF, ruleset, 0)


def _become(command: list[str], folder: str, fenced: bool, printing: int) -> None:
    """Turns this process into the engine."""
    try:
        os.setsid()
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(_DEATH_SIGNAL, signal.SIGKILL)
        os.chdir(folder)
        os.dup2(printing, 2)
        if fenced:
            fence()
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        for number in (signal.SIGCHLD, signal.SIGPIPE, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.execvp(command[0], command)
    except BaseException as error:
        os.write(2, f"{command[0]}: {error}\n".encode(errors="replace"))
    finally:
        os._exit(127)


if __name__ == "__main__":
    keeper = Keeper(int(sys.argv[1]), sys.argv[2], sys.argv[3] == "1", sys.argv[4:])
    try:
        keeper.watch()
    finally:
        keeper.end_all()
        import shutil  # takes a while to load, when nobody is waiting any more

        shutil.rmtree(sys.argv[2], ignore_errors=True)
