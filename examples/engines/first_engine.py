"""An engine in Python without starspiel: it plays random legal moves, and the same ones from the same seed.

    starspiel tournament pig --agents random "exec:python3 examples/engines/first_engine.py"
    starspiel check pig --agent "exec:python3 examples/engines/first_engine.py"

The protocol is on one page, docs/protocol.md. Standard output is for answers only; print to standard error.
"""

import json
import random
import sys


def answer(message: dict) -> None:
    print(json.dumps(message), flush=True)


def main() -> None:
    rng = random.Random()
    events: list[tuple[int, int]] = []
    for line in sys.stdin:
        message = json.loads(line)
        match message["type"]:
            case "hello":
                answer({"type": "hello", "protocol": 1, "name": "first engine 1.0"})
            case "new_game":
                rng.seed(message["seed"])
                events.clear()
                answer({"type": "ready"})
            case "event":  # what others and chance do; not answered
                events.append((message["player"], message["action"]))
            case "move":
                action = rng.choice(message["legal"])
                answer({"type": "move", "action": action, "nodes": 1})
            case "quit":
                break


if __name__ == "__main__":
    main()
