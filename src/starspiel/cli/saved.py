"""The save file of an unfinished game."""

from pathlib import Path

import msgspec

from starspiel.envs.errors import StarspielError
from starspiel.envs.files import written_whole


class Saved(msgspec.Struct, forbid_unknown_fields=True):
    """The contents of a save file: everything needed to restore a session."""

    game: str
    opponent: str | list[str]
    seat: int
    seed: int
    history: list[int]

    def write(self, path: Path) -> None:
        """Writes the file. Raises StarspielError if that fails."""
        try:
            with written_whole(path) as file:
                file.write(msgspec.json.encode(self) + b"\n")
        except OSError as error:
            raise StarspielError(f"cannot save to {path}: {error.strerror}.") from None

    @classmethod
    def read(cls, path: Path) -> "Saved":
        """Reads the file. Raises StarspielError if it does not exist or is not a save file."""
        try:
            return msgspec.json.decode(path.read_bytes(), type=cls)
        except OSError as error:
            raise StarspielError(f"cannot resume from {path}: {error.strerror}.") from None
        except msgspec.DecodeError as error:
            raise StarspielError(f"{path} is not a game saved by starspiel play: {error}.") from None
