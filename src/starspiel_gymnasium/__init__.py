"""Makes starspiel's environments known to Gymnasium as soon as it is imported.

Gymnasium 1.0 dropped the entry points by which packages announced environments. So `starspiel.pth` imports
this module when Python starts; that costs half a millisecond, because it waits for Gymnasium's registration
module to be imported and only then registers ids. Registered entry points are strings: neither starspiel nor
OpenSpiel is imported before an environment is made.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # every start of Python pays for what is imported here
    from collections.abc import Callable, Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any

_REGISTRATION = "gymnasium.envs.registration"
_DICE_GAME = "starspiel.envs.gymnasium.dice_game:DiceGameEnv"

#: Id -> (entry point, default arguments).
ENVIRONMENTS: dict[str, tuple[str, dict[str, Any]]] = {
    "starspiel/CantStop-v0": (_DICE_GAME, {"game": "cant_stop"}),
    "starspiel/Dice-v0": (_DICE_GAME, {"game": "dice"}),
    "starspiel/Knucklebones-v0": (_DICE_GAME, {"game": "knucklebones"}),
    "starspiel/OpenSpiel-v0": ("starspiel.envs.openspiel.environment:OpenSpielEnv", {}),
    "starspiel/Pig-v0": (_DICE_GAME, {"game": "star_pig"}),
    "starspiel/RoyalGameOfUr-v0": (_DICE_GAME, {"game": "royal_game_of_ur"}),
}


def install() -> None:
    """Register the environments now where Gymnasium is imported already, else as soon as it is."""
    if _REGISTRATION in sys.modules:
        _register(sys.modules[_REGISTRATION])
    elif not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


def _register(registration: ModuleType) -> None:
    for env_id, (entry_point, arguments) in ENVIRONMENTS.items():
        if env_id not in registration.registry:
            registration.register(env_id, entry_point, kwargs=dict(arguments))


class _Finder:
    """Finds nothing itself; adds our registration to the end of Gymnasium's own module."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != _REGISTRATION:
            return None
        sys.meta_path.remove(self)
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path, target)
            if spec is not None and spec.loader is not None:
                spec.loader.exec_module = _then_register(  # type: ignore[assignment,method-assign]
                    spec.loader.exec_module
                )
                return spec
        return None


def _then_register(load: Callable[[ModuleType], None]) -> Callable[[ModuleType], None]:
    def load_and_register(module: ModuleType) -> None:
        load(module)
        try:
            _register(module)
        except Exception as error:  # importing Gymnasium must not fail because of us
            import warnings

            warnings.warn(f"starspiel's environments could not be registered: {error!r}", stacklevel=2)

    return load_and_register


install()
