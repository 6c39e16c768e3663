"""A tournament's settings as a TOML file, checked with the place of what is wrong."""

import re
import tomllib
from pathlib import Path
from typing import Annotated, Literal, get_args

import msgspec

from starspiel.envs.errors import StarspielError, did_you_mean

DEFAULT_AGENTS = (
    "random",
    "mcts(simulations=100)",
    "mcts(simulations=1000)",
    "expectiminimax(depth=3)",
    "star1(depth=3)",
    "star2(depth=3)",
)

_Positive = Annotated[float, msgspec.Meta(gt=0)]
_Count = Annotated[int, msgspec.Meta(ge=1)]


class TournamentConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything that the flags of `starspiel tournament` say, by the same names.

    Attributes:
        game: one game or several.
        agents: specs, or a table of names and specs.
    """

    game: str | Annotated[list[str], msgspec.Meta(min_length=1)] = "einstein_wurfelt_nicht"
    agents: list[str] | dict[str, str] = msgspec.field(default_factory=lambda: list(DEFAULT_AGENTS))
    pairs: int | None = None
    seed: int = 1
    format: Literal["round-robin", "gauntlet"] = "round-robin"
    sprt: str | None = None
    starts: str | None = None
    luck: str | None = None
    anchor: str | None = None
    clock: _Positive | None = None
    engine: Literal["local", "ray"] = "local"
    address: str | None = None
    workers: _Count = 1
    move_limit: _Positive | None = None
    memory_limit: _Count | None = None
    store: str | None = None
    report: str | None = None

    @property
    def pair_count(self) -> int:
        """The pairs that are asked for; without a number, 10, or as many as a sequential test may need."""
        if self.pairs is not None:
            return self.pairs
        return 10 if self.sprt is None else 100_000

    @property
    def games(self) -> list[str]:
        """The games, however many were named."""
        return [self.game] if isinstance(self.game, str) else self.game


def read_config(path: Path) -> TournamentConfig:
    """The settings in a TOML file; what it leaves out has its default.

    Raises StarspielError with the place of the first mistake.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise StarspielError(f"cannot read the configuration {path}: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise StarspielError(f"{path} is no valid TOML: {error}.") from None
    for key in table:
        if key not in TournamentConfig.__struct_fields__:
            hint = did_you_mean(key, TournamentConfig.__struct_fields__)
            raise StarspielError(f"{path}: there is no setting {key!r}.{hint}")
    try:
        return msgspec.convert(table, TournamentConfig)
    except msgspec.ValidationError as error:
        problem = str(error)
        raise StarspielError(f"{path}: {problem.replace('`$.', '`')}.{_expected(problem)}") from None


def _expected(problem: str) -> str:
    """What the setting that a message of msgspec names may be, where it does not say; starts with a space."""
    setting = re.search(r"`\$\.(\w+)", problem)
    if setting is None:
        return ""
    if setting[1] == "agents":
        return " Agents are a list of specs, or a table of names with a spec each."
    kind = TournamentConfig.__annotations__[setting[1]]
    literals = [each for each in get_args(kind) if isinstance(each, str)]
    return f" Known: {', '.join(literals)}." if literals else ""
