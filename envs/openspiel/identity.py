"""Identifies an OpenSpiel game by all parameters, including defaults, and by what `str(game)` omits, such as
the contents of a file.
"""

from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pyspiel

from starspiel.envs.openspiel.parameters import load_inside

#: Games made from a text or a file that their parameters do not contain.
_FROM_TEXT = frozenset({"efg_game", "nfg_game"})


@dataclass(frozen=True, eq=False)
class Contents:
    """What distinguishes an OpenSpiel game from all others.

    Attributes:
        name: the game's name with all of its parameters in order, including those of the games it wraps.
        classes: the classes written in Python, of the game and of those it wraps.
        files: (parameter, hash of the file) for every parameter that names a file.
    """

    name: str
    classes: tuple[type, ...]
    files: tuple[tuple[str, str], ...]
    _game: pyspiel.Game
    _by_tree: bool

    @property
    def is_named(self) -> bool:
        """Whether the game can be made from its name alone, anywhere and at any time."""
        return not (self.classes or self.files or self._by_tree)

    @cached_property
    def tree(self) -> str:
        """A hash of the whole game tree, if the game can only be identified by that; else ""."""
        return _tree_hash(self._game) if self._by_tree else ""

    @cached_property
    def identity(self) -> str:
        """The name, with hashes of what it omits, except the source code of Python classes."""
        hashes = [f"{parameter}:{digest}" for parameter, digest in self.files]
        return " ".join([self.name, *hashes, *([f"tree:{self.tree}"] if self._by_tree else [])])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Contents):
            return NotImplemented
        return self._game is other._game or (
            self.classes == other.classes and self.name == other.name and self.identity == other.identity
        )

    def __hash__(self) -> int:
        return hash((self.name, self.classes))


def contents_of(game: pyspiel.Game) -> Contents:
    """Returns the contents of a game. Files are read now, but the tree is only traversed when needed."""
    kind = game.get_type()
    known = kind.short_name in pyspiel.registered_names()
    by_tree = kind.short_name in _FROM_TEXT or not known
    compiled = type(game).__module__.partition(".")[0] == "pyspiel"
    classes = [] if compiled else [type(getattr(game, "starspiel_game", game))]
    files: list[tuple[str, str]] = []
    shown: list[str] = []
    for key, value in sorted({**kind.parameter_specification, **game.get_parameters()}.items()):
        if isinstance(value, dict) and value:
            inner = _inside(value)
            if inner is None:
                by_tree = True
                shown.append(f"{key}={pyspiel.game_parameters_to_string(value)}")
                continue
            shown.append(f"{key}={inner.name}")
            classes += inner.classes
            files += inner.files
            by_tree = by_tree or inner._by_tree
        else:
            shown.append(f"{key}={str(value).lower() if isinstance(value, bool) else value}")
            if not by_tree and isinstance(value, str) and _is_file(value):
                files.append((key, blake2b(Path(value).read_bytes(), digest_size=8).hexdigest()))
    name = f"{kind.short_name}({','.join(shown)})"
    return Contents(name, tuple(classes), tuple(files), game, by_tree)


def _inside(parameters: dict[str, Any]) -> Contents | None:
    """Returns the contents of a wrapped game from its parameters; None if these do not determine it."""
    name = parameters.get("name")
    if name in _FROM_TEXT or name not in pyspiel.registered_names():
        return None
    return contents_of(load_inside(parameters))


def _is_file(value: str) -> bool:
    try:
        return Path(value).is_file()
    except (OSError, ValueError):  # text that cannot be a path
        return False


def _tree_hash(game: pyspiel.Game) -> str:
    """Returns a hash of all states: their text, who acts, the actions or chances, and the returns."""
    digest = blake2b(digest_size=8)
    states = [game.new_initial_state()]
    while states:
        state = states.pop()
        player = state.current_player()
        choices = state.chance_outcomes() if state.is_chance_node() else state.legal_actions()
        digest.update(repr((player, choices, state.returns(), str(state))).encode())
        actions = [action for action, _ in choices] if state.is_chance_node() else choices
        states.extend(state.child(action) for action in reversed(actions))
    return digest.hexdigest()
