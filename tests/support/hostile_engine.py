"""An engine that does, at its third move of a game, what its argument says; without one, it only plays.

Run as a program, without starspiel: it is there at once.
"""

import json
import mmap
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress


def say(message):
    print(json.dumps(message), flush=True)


def detached(path):
    """A process in a session of its own whose parent has gone; its id is the name of a file in `path`."""
    started = subprocess.Popen(
        ["/bin/sh", "-c", "sleep 600 & echo $!"], start_new_session=True, stdout=subprocess.PIPE
    )
    pid = started.stdout.readline().decode().strip()
    open(os.path.join(path, pid), "w").close()


def fork_and_kill_parent():
    if not os.fork():
        os.kill(os.getppid(), signal.SIGKILL)
        os._exit(0)
    time.sleep(60)


def flood():
    for _ in range(200):
        sys.stderr.write("x" * 10**5 + "\n")
        sys.stderr.flush()


def hoard():
    held = []
    while True:
        held.append(b"1" * 2**24)


def work_on():
    while True:
        pass


def work(seconds):
    before = time.process_time()
    while time.process_time() < before + seconds:
        pass


def try_again(path):
    """Crashes, but for one time only: a second try is played to its end."""
    if not os.path.exists(path):
        open(path, "w").close()
        os._exit(1)


def mutter(message):
    """Says it together with what is said next, so that both arrive at once."""
    print(json.dumps(message))


def look_around(path):
    """Writes down all that a process can see of those above it, and which files it has open."""
    above = os.getppid()
    with open(f"/proc/{above}/stat") as stat:
        referee = stat.read().rpartition(")")[2].split()[1]
    with open(path, "ab") as seen:
        for pid in ("self", above, referee):
            for file in ("cmdline", "environ"):
                with suppress(OSError), open(f"/proc/{pid}/{file}", "rb") as shown:
                    seen.write(shown.read() + b"\n")
        seen.write(f"files {sorted(map(int, os.listdir('/proc/self/fd')))}\n".encode())


def work_in_children(seconds, each, waiting):
    """Has children use so many CPU seconds, `each` of them so many, one after another."""
    if not waiting:
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for _ in range(round(seconds / each)):
        child = os.fork()
        if not child:
            work(each)
            os._exit(0)
        with suppress(ChildProcessError):
            os.waitpid(child, 0)


def above(generations):
    """The process so many generations above this one: 1 is the keeper, 2 its referee."""
    pid = os.getpid()
    for _ in range(generations):
        with open(f"/proc/{pid}/stat") as stat:
            pid = int(stat.read().rpartition(")")[2].split()[1])
    return pid


def try_signals(path):
    """Says whether the keeper, the referee, what is above that and a child of its own can be signalled."""
    child = os.fork()
    if not child:
        time.sleep(600)
    with open(path, "w") as said:
        for pid in (above(1), above(2), above(3), child):
            try:
                os.kill(pid, signal.SIGCONT)
                print("sent", file=said)
            except PermissionError:
                print("refused", file=said)


def once(path, trick, *given):
    """Does it for one time only."""
    if not os.path.exists(path):
        open(path, "w").close()
        trick(*given)
        time.sleep(60)


def start_strays(path):
    """Children in sessions of their own that keep the processors busy; their ids are names in `path`."""
    for _ in range(4):
        if not (child := os.fork()):
            os.setsid()
            work_on()
        open(os.path.join(path, str(child)), "w").close()


def hide(how, megabytes):
    """Memory that is written to and not mapped, or one piece that five processes share."""
    if how == "memfd":
        file = os.memfd_create("hidden")
        for _ in range(megabytes):
            os.write(file, b"1" * 2**20)
    else:
        shared = mmap.mmap(-1, megabytes * 2**20)
        for _ in range(4):
            if not os.fork():
                touch(shared)
                time.sleep(600)
        touch(shared)
    time.sleep(1.0)


#: What a key looks like.
KEY = re.compile(rb"(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])")


class Reader:
    """Reads its referee's memory, opened as early as can be; what may be a key goes to `path`."""

    def __init__(self):
        self._files = []
        with suppress(OSError):
            for generations in (2, 3):
                about = f"/proc/{above(generations)}"
                memory = os.open(f"{about}/mem", os.O_RDONLY)
                with open(f"{about}/maps") as maps:
                    self._files.append((maps.readlines(), memory))

    def read(self, path):
        with open(path, "w") as found:
            for lines, memory in self._files:
                for line in lines:
                    place, rights = line.split()[:2]
                    start, end = (int(each, 16) for each in place.split("-"))
                    if rights.startswith("rw"):
                        with suppress(OSError, OverflowError):
                            read = os.pread(memory, end - start, start)
                            found.writelines(f"{key.decode()}\n" for key in re.findall(KEY, read))


READER = Reader() if "read memory" in sys.argv else None


def touch(memory):
    for place in range(0, len(memory), 4096):
        memory[place] = 1


TRICKS = {
    "kill the referee": lambda: (os.kill(above(2), signal.SIGKILL), time.sleep(60)),
    "kill the referee once": lambda: once(sys.argv[2], os.kill, above(2), signal.SIGKILL),
    "kill the tournament once": lambda: once(sys.argv[2], os.kill, above(3), signal.SIGKILL),
    "stop the referee": lambda: (os.kill(above(2), signal.SIGSTOP), time.sleep(60)),
    "signals": lambda: try_signals(sys.argv[2]),
    "read memory": lambda: READER.read(sys.argv[2]),
    "strays": lambda: start_strays(sys.argv[2]),
    "memfd": lambda: hide("memfd", 250),
    "shared memory": lambda: hide("shared", 100),
    "short children": lambda: work_in_children(1.0, 0.02, waiting=True),
    "children that nobody waits for": lambda: work_in_children(2.0, 0.5, waiting=False),
    "brief children that nobody waits for": lambda: work_in_children(4.0, 0.05, waiting=False),
    "very brief children that nobody waits for": lambda: work_in_children(4.0, 0.01, waiting=False),
    "work": lambda: work(0.3),
    "a child that stays": lambda: os.fork() or any(iter(int, 1)),
    "look around": lambda: look_around(sys.argv[2]),
    "too many nodes": lambda: say({"type": "move", "action": 0, "nodes": 2**60}),
    "no nodes": lambda: say({"type": "move", "action": 0, "nodes": -1}),
    "a great value": lambda: say({"type": "move", "action": 0, "nodes": 1, "value": 1e300}),
    "a faulty opponent": lambda: say({"type": "error", "seat": 1, "message": "illegal move of seat 1"}),
    "segfault": lambda: os.kill(os.getpid(), signal.SIGSEGV),
    "a signal without a name": lambda: os.kill(os.getpid(), 40),
    "exit as if all were well": lambda: os._exit(0),
    "hang": lambda: time.sleep(600),
    "8 s": lambda: time.sleep(8),
    "ponder": lambda: time.sleep(1.2),
    "stop": lambda: os.kill(os.getpid(), signal.SIGSTOP),
    "busy": lambda: any(iter(int, 1)),
    "kill the keeper": lambda: (os.kill(os.getppid(), signal.SIGKILL), time.sleep(60)),
    "stop the keeper": lambda: (os.kill(os.getppid(), signal.SIGSTOP), time.sleep(60)),
    "child kills parent": fork_and_kill_parent,
    "hoard": hoard,
    "close": lambda: (os.close(1), time.sleep(60)),
    "no json": lambda: print("my move is 1", flush=True),
    "no action": lambda: say({"type": "move"}),
    "a float": lambda: say({"type": "move", "action": 0.5}),
    "another type": lambda: say({"type": "ready"}),
    "illegal": lambda: say({"type": "move", "action": 99}),
    "end of the game": lambda: mutter({"type": "end", "returns": [1.0, -1.0]}),
    "gives up": lambda: say({"type": "error", "message": "no more\nideas"}),
    "endless line": lambda: (sys.stdout.write("1" * 2**22), sys.stdout.flush()),
    "a policy": lambda: say({"type": "move", "action": 0, "policy": json.loads(sys.argv[2])}),
    "two answers": lambda: mutter({"type": "move", "action": 0}),
    "flood": flood,
    "try again": lambda: try_again(sys.argv[2]),
    "detached": lambda: detached(sys.argv[2]),
    "leave children": lambda: (detached(sys.argv[2]), os.kill(os.getppid(), signal.SIGKILL), time.sleep(60)),
    "work on": lambda: threading.Thread(target=work_on, daemon=True).start(),
    "speak later": lambda: threading.Timer(0.05, say, [{"type": "move", "action": 0}]).start(),
}


#: Done at the first move already.
AT_ONCE = ("ponder", "too many nodes", "no nodes", "a great value")
#: Said in place of a move; all others are done before one.
INSTEAD = (
    "illegal",
    "a policy",
    "too many nodes",
    "no nodes",
    "a great value",
    "a faulty opponent",
    "another type",
    "gives up",
)


class Memory:
    """Of the last game: what was rolled, by whose turn of what number it was.

    `true` counts the rolls of this game that were as remembered, `remembered` all that could have been.
    """

    def __init__(self):
        self._now = {}
        self.begin()

    def begin(self):
        self._before, self._now = self._now, {}
        self._turns, self._causer = {}, None
        self.true = self.remembered = 0

    def happens(self, player, action):
        if player >= 0 and player != self._causer:
            self._causer = player
            self._turns[player] = self._turns.get(player, 0) + 1
        elif player < 0:
            turn = self._causer, self._turns[self._causer]
            rolls = self._now.setdefault(turn, [])
            before = self._before.get(turn, [])[len(rolls) : len(rolls) + 1]
            self.remembered += len(before)
            self.true += before == [action]
            rolls.append(action)


def main():
    rng, moves, memory = random.Random(), 0, Memory()
    kind = sys.argv[1] if len(sys.argv) > 1 else ""
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            say({"type": "hello", "protocol": 1})
        elif message["type"] == "new_game":
            rng.seed(message["seed"])
            memory.begin()
            seat = message.get("seat")
            moves = 0
            say({"type": "ready"})
        elif message["type"] == "event" and kind == "remember":
            memory.happens(message["player"], message["action"])
        elif message["type"] == "move":
            moves += 1
            action = rng.choice(message["legal"])
            if kind in TRICKS and moves == (1 if kind in AT_ONCE else 3):
                TRICKS[kind]()
                if kind in INSTEAD:
                    continue
            if kind == "remember":
                memory.happens(seat, action)
                say({"type": "move", "action": action, "nodes": memory.remembered, "value": memory.true})
                continue
            say({"type": "move", "action": action})
        elif message["type"] == "quit":
            break


if __name__ == "__main__":
    main()
