"""How to train: one checked value."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from starspiel.envs.arguments import finite_number, whole_number
from starspiel.envs.errors import StarspielError, shown


@dataclass(frozen=True)
class TrainingSettings:
    """How to train.

    Attributes:
        minutes: wall-clock time, matches included; not used where `games` is given.
        games: to play; with one thread the same seed then gives the same network, bit for bit.
        hidden: the units of each hidden layer.
        seed: of the first weights and of the games.
        threads: which write one set of weights; None for one a processor.
        heuristic: whether to begin with what the game's heuristic knows, and to count drawn games by it.

    Raises StarspielError where one is not positive.
    """

    minutes: float = 15.0
    games: int | None = None
    hidden: tuple[int, ...] = (128, 32)
    seed: int = 1
    threads: int | None = None
    heuristic: bool = False

    def __post_init__(self) -> None:
        if finite_number("minutes", self.minutes) <= 0:
            raise StarspielError(f"minutes must be positive, got {self.minutes:g}.")
        if self.games is not None:
            whole_number("games", self.games, 1, 2**62)
        if self.threads is not None:
            whole_number("threads", self.threads, 1, 1024)
        whole_number("seed", self.seed, 0, 2**62)
        if not isinstance(self.heuristic, bool):
            raise StarspielError(f"heuristic must be True or False, got {shown(self.heuristic)}.")
        if not 1 <= len(self.hidden) <= 8:
            raise StarspielError(f"hidden must name 1 to 8 layers, got {len(self.hidden)}.")
        for units in self.hidden:
            whole_number("hidden", units, 1, 4096)

    def command(self, game: str) -> str:
        """The command that trains so, without the place of its files."""
        length = f"--minutes {self.minutes:g}" if self.games is None else f"--games {self.games}"
        hidden = ",".join(map(str, self.hidden))
        threads = "" if self.threads is None else f" --threads {self.threads}"
        name = f'"{game}"' if "(" in game else game
        heuristic = " --heuristic" if self.heuristic else ""
        return f"starspiel train {name} {length} --hidden {hidden} --seed {self.seed}{threads}{heuristic}"


def changed(
    usual: TrainingSettings, settings: TrainingSettings | Mapping[str, Any] | None
) -> TrainingSettings:
    """The settings as given, or the usual ones with the fields that are named."""
    if isinstance(settings, TrainingSettings):
        return settings
    changes = dict(settings or {})
    known = asdict(usual)
    if unknown := sorted(map(str, set(changes) - set(known))):
        raise StarspielError(
            f"networks are trained without {', '.join(unknown)}; their settings are {', '.join(known)}."
        )
    if "minutes" in changes:
        changes.setdefault("games", None)
    return replace(usual, **changes)


def continued(
    began: TrainingSettings, changes: TrainingSettings | Mapping[str, Any] | None
) -> TrainingSettings:
    """The settings to go on with. Raises StarspielError where they are another training's."""
    settings = changed(began, changes)
    if _kept(settings) != _kept(began):
        raise StarspielError(
            f"the training began with {_kept(began)}; it cannot go on with {_kept(settings)}. "
            "Start anew without --resume."
        )
    return settings


def _kept(settings: TrainingSettings) -> str:
    """What does not change when a training goes on."""
    return f"hidden={settings.hidden}, seed={settings.seed}, heuristic={settings.heuristic}"
