"""Declares each setting of a tournament once: type, default, help and valid values.

Command-line flags, the reader of configuration files, its errors and the store are derived from them.
"""

import os
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, get_type_hints

import msgspec
from msgspec import Meta

#: The default maximum number of pairs with a sequential test.
_SEQUENTIAL_PAIRS = 100_000
#: The settings that name files; `~` in them is expanded to the home folder.
_FILES = ("starts", "store", "report")
#: More processes than this would overload any machine.
_MOST_WORKERS = 1_000

_Text = Annotated[str, Meta(min_length=1)]
_Count = Annotated[int, Meta(ge=1)]
_Workers = Annotated[int, Meta(ge=1, le=_MOST_WORKERS)]
_Seed = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]  # the range that a store can hold
_Seconds = Annotated[float, Meta(gt=0, le=1e18)]


def _about(help: str, expected: str, *, specs: bool = False, python: bool = False) -> Meta:
    """Returns the description of a setting.

    Args:
        help: its help text.
        expected: a description of valid values, for "expected ..., got ...".
        specs: whether it contains specs, which may name modules to import.
        python: whether it may also be another Python object, which is checked by `plan`.
    """
    return Meta(description=help, extra={"expected": expected, "specs": specs, "python": python})


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of a tournament, or of several: one for each game.

    `Settings(...)` checks nothing; `checked` and `read_settings` do.
    """

    game: Annotated[
        _Text | Annotated[list[_Text], Meta(min_length=1)],
        _about(
            "Game strings (see `starspiel games`), or module:Rules for your own. Defaults to "
            "einstein_wurfelt_nicht.",
            "a game, or a list of games that is not empty",
            specs=True,
            python=True,
        ),
    ] = "einstein_wurfelt_nicht"
    agents: Annotated[
        list[str] | dict[str, str] | None,
        _about(
            'Specs, or name=spec; see `starspiel agents`. "star2(depth={1,2,3})" is three agents. Defaults '
            "to random, MCTS, expectiminimax, Star1 and Star2, if they support the game, as deep as a few "
            "minutes allow.",
            "a list of specs, or a table of names with a spec each",
            specs=True,
            python=True,
        ),
    ] = None
    pairs: Annotated[
        int | None,
        _about(
            "Pairs per meeting of two agents, or games of each agent in one-player games. Defaults to 10; "
            "with --sprt, to at most 100,000.",
            "a whole number",
        ),
    ] = None
    blocks: Annotated[
        _Count | None,
        _about(
            "With more than two players: minimum number of blocks in which any two agents meet. A block has "
            "a game for each rotation of the seats. Defaults to the number of pairs.",
            "a whole number above 0",
        ),
    ] = None
    seed: Annotated[
        _Seed | None,
        _about("Seed of the dice and the agents. Defaults to 1.", "a whole number of at most 63 bits"),
    ] = None
    secret: Annotated[
        bool,
        _about(
            "Draw the dice and the agents' seeds from a secret key of 128 bits instead of the seed, which "
            "agents could guess. The key is shown and stored when the tournament is over.",
            "true or false",
        ),
    ] = False
    key: Annotated[
        _Text | None,
        _about(
            "The key shown by a tournament with --secret: plays the same games again, or more of them. On "
            "the command line, - reads it from standard input, where no agent can see it.",
            "a key of 32 hexadecimal digits",
        ),
    ] = None
    common_dice: Annotated[
        bool,
        _about(
            "Use the same dice in both games of a pair for external agents too, which could remember them: "
            "narrower intervals, for agents that you trust.",
            "true or false",
        ),
    ] = False
    format: Annotated[
        Literal["round-robin", "gauntlet"],
        _about(
            "round-robin (the default), or gauntlet: the first agent plays every other agent.",
            "round-robin or gauntlet",
        ),
    ] = "round-robin"
    sprt: Annotated[
        _Text | None,
        _about(
            "Play two agents until a sequential test decides: nelo0=0,nelo1=5 or elo0=0,elo1=5.",
            "a test such as nelo0=0,nelo1=5",
            python=True,
        ),
    ] = None
    part: Annotated[
        _Text | None,
        _about(
            "Play a share of the pairs: 1/2 on one machine and 2/2 on another, each with its own --store; "
            "`starspiel merge` joins them.",
            "which part of how many, as 1/2",
        ),
    ] = None
    starts: Annotated[
        _Text | None,
        _about(
            "A file of histories to start games from, one per line, such as 3,0,17.",
            "the name of a file",
            python=True,
        ),
    ] = None
    luck: Annotated[
        _Text | None,
        _about(
            "Also show mean returns adjusted for the luck of the dice, by this evaluator. Alone, or with "
            "auto, by the best shipped one.",
            "the spec of an evaluator",
            specs=True,
            python=True,
        ),
    ] = None
    anchor: Annotated[
        _Text | None,
        _about(
            "The agent whose Elo is 0. Defaults to the mean of the field.",
            "the name of an agent",
        ),
    ] = None
    clock: Annotated[
        _Seconds | None,
        _about(
            "Seconds per move for every agent that takes a parameter seconds and does not set it. Moves more "
            "than 10 % over the clock are counted for all agents, in CPU and wall-clock time.",
            "a number of seconds above 0",
        ),
    ] = None
    workers: Annotated[
        _Workers,
        _about(
            "Processes that play; games do not depend on their number. Defaults to 1.",
            f"a whole number from 1 to {_MOST_WORKERS:,}",
        ),
    ] = 1
    engine: Annotated[
        Literal["local", "ray"],
        _about(
            'local (the default), or ray: a Ray cluster, which needs pip install "starspiel[ray]".',
            "local or ray",
        ),
    ] = "local"
    address: Annotated[
        _Text | None,
        _about(
            "The address of a running Ray cluster, e.g. auto. By default a cluster with --workers "
            "processors is started on this machine.",
            "the address of a Ray cluster",
        ),
    ] = None
    move_limit: Annotated[
        _Seconds | None,
        _about(
            "Wall-clock seconds per move beyond which an agent loses the game. Its process may take 30 "
            "times as long to start, at least 30 s and at most 300 s.",
            "a number of seconds above 0",
        ),
    ] = None
    memory_limit: Annotated[
        _Count | None,
        _about(
            "Megabytes of resident memory of an agent's processes beyond which it loses the game. A Python "
            "process with starspiel takes about 150.",
            "a whole number of megabytes above 0",
        ),
    ] = None
    cpu_limit: Annotated[
        _Seconds | None,
        _about(
            "CPU seconds of an agent's processes in one game beyond which it loses the game.",
            "a number of seconds above 0",
        ),
    ] = None
    store: Annotated[
        _Text | None,
        _about(
            "A file that keeps every game: run the same command to resume, or one with more pairs or agents "
            "to extend. No stored game is played again.",
            "the name of a file",
        ),
    ] = None
    report: Annotated[
        _Text | None,
        _about(
            "A file for the result as a web page that needs no network; with several games, one for each.",
            "the name of a file",
        ),
    ] = None

    def __post_init__(self) -> None:
        for name in _FILES:
            file = getattr(self, name)
            if isinstance(file, str):
                msgspec.structs.force_setattr(self, name, os.path.expanduser(file))

    @property
    def pair_count(self) -> int:
        """The number of pairs; defaults to 10, or with a sequential test to at most 100,000."""
        if self.pairs is not None:
            return self.pairs
        return 10 if self.sprt is None else _SEQUENTIAL_PAIRS

    @property
    def block_count(self) -> int:
        """The number of blocks; defaults to the number of pairs."""
        return self.pair_count if self.blocks is None else self.blocks

    @property
    def seed_number(self) -> int:
        """The seed; defaults to 1."""
        return 1 if self.seed is None else self.seed

    @property
    def games(self) -> list[Any]:
        """The games as a list, even if there is only one."""
        return self.game if isinstance(self.game, list) else [self.game]

    def each(self) -> Iterator["Settings"]:
        """Yields a copy of the settings for each of the games."""
        for game in self.games:
            yield msgspec.structs.replace(self, game=game)


#: Name -> type of each setting, with its Meta.
TYPES: Mapping[str, Any] = get_type_hints(Settings, include_extras=True)


def about(setting: str) -> Meta:
    """Returns the Meta of a setting: its help text and expected values."""
    meta: Meta = TYPES[setting].__metadata__[-1]
    return meta
