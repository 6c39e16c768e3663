"""Suggests how to write a spec that was split into several words: `star2 depth=2`, `star2 (depth=2)`."""

import re
from collections.abc import Sequence

from starspiel.agents.roster import registered_agents

_NAME = re.compile(r"[A-Za-z_][\w.:/-]*(\(.*\))?")
_PARAMETER = re.compile(r"[A-Za-z_]\w*=([^()]+)")


def put_together(words: Sequence[str]) -> str:
    """Returns a sentence on how to write the first words that belong together; "" if none do.

    Call it only for commands that failed, because such words can be valid with a user's own game.
    """
    for at, word in enumerate(words):
        if at == 0 or word.startswith("-"):
            continue
        bare = word.strip(",")
        if word.count("(") == word.count(")") and bare != word and not bare.isdigit():
            return f"names are separated by spaces, not commas: leave the comma out of {word!r}."
        is_rest, end = word.startswith("(") or _is_parameter(word), _end(words, at)
        if not is_rest and end == at + 1:
            continue
        around = [words[at - 1] if at > 1 else "", words[end] if end < len(words) else ""] if is_rest else []
        name = next((each for each in around if _NAME.fullmatch(each)), "")
        if name or not is_rest:
            return f'write "{_joined(name, words[at:end])}" as one word, in quotes and without spaces.'
    return ""


def parameter_meant(option: str, words: Sequence[str]) -> str:
    """Returns how to write an unknown option that is a parameter of agents (--depth 2); "" if it is none."""
    name, at = option.lstrip("-").replace("-", "_"), words.index(option) if option in words else 0
    agents = registered_agents()
    named = [word for word in words[:at] if word in agents and name in agents[word].parameters]
    takers = named[-1:] or [agent for agent in ("star2", "mcts") if name in agents[agent].parameters]
    if not at or not takers:
        return ""
    value = words[at + 1] if at + 1 < len(words) else "…"
    return f'{name} is a parameter of agents: write "{takers[0]}({name}={value})", in quotes.'


def _end(words: Sequence[str], at: int) -> int:
    """Returns the end (exclusive) of the spec that starts at word `at`.

    The spec extends to the word that closes its brackets, or over consecutive parameters. If the brackets are
    never closed, it is the one word.
    """
    end, depth = at + 1, words[at].count("(") - words[at].count(")")
    of_parameters = _is_parameter(words[at])
    while end < len(words) and (depth > 0 or (of_parameters and _PARAMETER.fullmatch(words[end]))):
        depth += words[end].count("(") - words[end].count(")")
        end += 1
    return end if depth == 0 else at + 1


def _is_parameter(word: str) -> bool:
    """Returns whether a word is a parameter such as `depth=2`, not a named agent such as `mine=star2`."""
    found = _PARAMETER.fullmatch(word)
    return found is not None and found[1] not in registered_agents() and ":" not in found[1]


def _joined(name: str, parts: Sequence[str]) -> str:
    text = "".join(parts) if "(" in "".join(parts) else f"({','.join(parts)})"
    return f"{name[:-1]},{text[1:]}" if name.endswith(")") else f"{name}{text}"
