"""A tournament's settings as a TOML file, checked with the place of what is wrong."""

import json
import re
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from starspiel.envs.errors import StarspielError, did_you_mean, shown
from starspiel.evaluation.field import default_field

#: Characters of a wrong value that a message shows.
_SHOWN = 80
#: What each setting is to be, in words: "expected ..., got ...".
_WORDS = {
    "game": "a game, or a list of games that is not empty",
    "agents": "a list of specs, or a table of names with a spec each",
    "pairs": "a whole number",
    "seed": "a whole number",
    "format": "round-robin or gauntlet",
    "sprt": "a test such as nelo0=0,nelo1=5",
    "starts": "the name of a file",
    "luck": "the spec of an evaluator",
    "anchor": "the name of an agent",
    "clock": "a number of seconds above 0",
    "engine": "local or ray",
    "address": "the address of a Ray cluster",
    "workers": "a whole number above 0",
    "move_limit": "a number of seconds above 0",
    "memory_limit": "a whole number of megabytes above 0",
    "store": "the name of a file",
    "report": "the name of a file",
}

_Positive = Annotated[float, msgspec.Meta(gt=0)]
_Count = Annotated[int, msgspec.Meta(ge=1)]


class TournamentConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything that the flags of `starspiel tournament` say, by the same names.

    Attributes:
        game: one game or several.
        agents: specs, or a table of names and specs; None for the field of `default_field`, game by game.
    """

    game: str | Annotated[list[str], msgspec.Meta(min_length=1)] = "einstein_wurfelt_nicht"
    agents: list[str] | dict[str, str] | None = None
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

    def field(self, game: str) -> list[str] | dict[str, str]:
        """The agents that play a game."""
        return default_field(game) if self.agents is None else self.agents

    @property
    def games(self) -> list[str]:
        """The games, however many were named."""
        return [self.game] if isinstance(self.game, str) else self.game


def read_config(path: Path) -> TournamentConfig:
    """The settings in a TOML file; what it leaves out has its default.

    Raises StarspielError with the place of the first mistake.
    """
    try:
        table = tomllib.loads(_text(path))
    except RecursionError:
        raise StarspielError(f"{path} is no valid TOML: it is nested too deeply.") from None
    except ValueError as error:  # what is no TOML, and numbers of more digits than Python reads
        if isinstance(error, StarspielError):
            raise
        raise StarspielError(f"{path} is no valid TOML: {error}.") from None
    for key in table:
        if key not in TournamentConfig.__struct_fields__:
            hint = did_you_mean(key, TournamentConfig.__struct_fields__)
            raise StarspielError(f"{path}: there is no setting {shown(key)}.{hint}")
    try:
        return msgspec.convert(table, TournamentConfig)
    except RecursionError:
        raise StarspielError(f"{path}: a setting is nested too deeply.") from None
    except msgspec.ValidationError as error:
        # `$.agents[1]` and the like
        place = re.search(r"`\$\.(\w+)(?:\[(\d+)\])?", str(error))
        if place is None:
            raise StarspielError(f"{path}: {error}.") from None
        setting, number = place[1], place[2]
        value = table[setting] if number is None else table[setting][int(number)]
        where = "" if number is None else f" as {setting}[{number}]"
        raise StarspielError(f"{path}: {_unexpected(setting, value, where)}") from None


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise StarspielError(f"cannot read the configuration {path}: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        raise StarspielError(f"{path} is no valid TOML: {error}.") from None
    except ValueError:
        raise StarspielError(f"{shown(str(path))} is no name of a file.") from None


def check_not_empty(settings: TournamentConfig) -> None:
    """Raises StarspielError where a setting is an empty text: an unset variable of a script, say."""
    for name, value in msgspec.structs.asdict(settings).items():
        if value == "":
            raise StarspielError(_unexpected(name, value))


def _unexpected(setting: str, value: Any, where: str = "") -> str:
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (RecursionError, ValueError):  # nested too deeply, more digits than Python writes
        text = shown(value)
    if len(text) > _SHOWN:
        text = f"{text[:_SHOWN]}…"
    return f"expected for {setting}: {_WORDS[setting]}; got {text}{where}."
