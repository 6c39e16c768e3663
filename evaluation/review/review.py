"""What is worth knowing of a stored game, event by event."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starspiel.agents.book import BookBot
from starspiel.agents.bot import Bot
from starspiel.agents.bots.auto import usual_search
from starspiel.agents.roster import make_bot
from starspiel.envs.base import CHANCE, Game, is_simultaneous
from starspiel.envs.errors import StarspielError, shown
from starspiel.envs.load import load_game
from starspiel.envs.modules import is_installed, resolve
from starspiel.envs.plays import Play, name_of, plays
from starspiel.envs.trust import check_consent
from starspiel.evaluation.store.replay import Event, events
from starspiel.evaluation.store.rows import StoredGame

#: What measures luck, if this installation has it.
_LUCK = "starspiel.evaluation.luck"
#: Losses and luck below this are errors of rounding.
_NOTHING = 1e-9


@dataclass(frozen=True)
class ReviewedEvent:
    """An event of a game, and what is thought of it. Values are player 0's expected return.

    Attributes:
        event: who did what, and the state after it.
        before: the state before it.
        name: the move or outcome in words.
        plays: at a decision, each distinct move once.
        values: of each judge the value of each play, by its action; None if it values no moves. Empty without
            a choice.
        loss: what the mover's return loses by the move according to the reference; None without a choice.
        luck: player 0's luck in a chance event; None if it was not measured.
    """

    event: Event
    before: Any
    name: str
    plays: tuple[Play, ...]
    values: tuple[Mapping[int, float] | None, ...]
    loss: float | None
    luck: float | None


@dataclass(frozen=True)
class Review:
    """A stored game, looked at again.

    Attributes:
        game: the game as it was stored.
        start: the state it began from.
        events: what happened, in order.
        judges: who values the moves: the agents by seat, then the reference.
        notes: what a reader must know, a sentence each.
        luck_by: the evaluator that luck was measured with; "" without.
    """

    game: StoredGame
    start: Any
    events: tuple[ReviewedEvent, ...]
    judges: tuple[str, ...]
    notes: tuple[str, ...]
    luck_by: str

    @property
    def decided(self) -> ReviewedEvent | None:
        """The move that lost most according to the reference; None if none lost anything."""
        return self._greatest(lambda event: event.loss or 0.0)

    @property
    def luckiest(self) -> ReviewedEvent | None:
        """The chance event that changed most; None if none changed anything."""
        return self._greatest(lambda event: abs(event.luck or 0.0))

    def value_before(self, event: ReviewedEvent) -> float | None:
        """Player 0's expected return at a decision according to the reference; None without a choice."""
        values = event.values[-1] if event.values else None
        return (max if event.event.player == 0 else min)(values.values()) if values else None

    def _greatest(self, size: Callable[[ReviewedEvent], float]) -> ReviewedEvent | None:
        greatest = max(self.events, key=size, default=None)
        return greatest if greatest is not None and size(greatest) > _NOTHING else None


def review(
    game: StoredGame, rules: Game | None = None, *, reference: str | None = None, trust: bool = False
) -> Review:
    """A stored game with what its agents and a reference think of every move, by their own limits.

    Agents are made again from their names in the store. One whose name is no spec, or that values no moves,
    is left out, and a note says so.

    Args:
        game: a game of a store.
        rules: the game, if it cannot be loaded by its name.
        reference: the agent that judges the moves; defaults to the usual search, star2(depth=2).
        trust: consent to import the modules that game and agents name.

    Raises StarspielError if the game is no stored one or cannot be replayed, if modules are named without
    consent, and if the reference values no moves.
    """
    if not isinstance(game, StoredGame):
        raise StarspielError(f"review takes a stored game, such as Store(path).game(id), got {shown(game)}.")
    if rules is not None and not callable(getattr(rules, "new_initial_state", None)):
        raise StarspielError(
            f"rules must be a game, such as load_game returns, got {shown(rules)}; the agent that judges is "
            'given by name, e.g. reference="star2(depth=1)".'
        )
    if rules is None:
        check_consent(f"the record of game {game.id}", [game.game, *game.names], trust=trust)
        rules = load_game(game.game)
    if rules.num_players > 2:
        raise StarspielError(
            f"a page judges the moves of one player, or of two against each other; {rules.name} has "
            f"{rules.num_players}. Leave --html out."
        )
    if is_simultaneous(rules):
        raise StarspielError(
            f"a page judges moves made in turn, and {rules.name} has simultaneous moves. Leave --html out."
        )
    judge = reference or usual_search(rules)
    judging = make_bot(judge, rules, 0, game.seed)
    if not _values_moves(judging):
        raise StarspielError(
            f"the reference must be an agent that values moves, such as star2(depth=2), got {reference!r}."
        )
    bots, notes = _agents(game, rules)
    walked = list(events(game, rules))
    luck: Sequence[float | None] = [None] * len(walked)
    luck_by = ""
    if not rules.explicit_chance:
        notes["The game's chances are drawn, not listed, so that luck cannot be told."] = None
    elif is_installed(_LUCK):
        evaluator = resolve(f"{_LUCK}:luck_evaluator")(rules, "auto", game.seed)
        luck = resolve(f"{_LUCK}:lucks")(rules, game.record.actions, evaluator, len(game.start))
        luck_by = evaluator.name
    before, reviewed = rules.new_initial_state(), []
    for event, lucky in zip(walked, luck, strict=True):
        reviewed.append(_reviewed(rules, event, before, [*bots, judging], lucky))
        before = event.after
    judges = (*game.names, f"reference {judge}")
    return Review(game, rules.new_initial_state(), tuple(reviewed), judges, tuple(notes), luck_by)


def _agents(game: StoredGame, rules: Game) -> tuple[list[Any], dict[str, None]]:
    """A bot for each seat, None if it values no moves, and why, each reason once."""
    bots: list[Any] = []
    notes: dict[str, None] = {}
    for seat, name in enumerate(game.names):
        bot = None
        try:
            bot = make_bot(name, rules, seat, game.seed)
        except StarspielError as error:
            notes[f"{name} cannot be made again from its name: {error}"] = None
        if bot is not None and not _values_moves(bot):
            bot = None
            notes[f"{name} says no values of moves."] = None
        bots.append(bot)
    return bots, notes


def _values_moves(bot: Any) -> bool:
    kind = getattr(type(bot.outside if isinstance(bot, BookBot) else bot), "move_values", None)
    return kind is not None and kind is not Bot.move_values


def _reviewed(
    rules: Game, event: Event, before: Any, judges: Sequence[Any], luck: float | None
) -> ReviewedEvent:
    if event.player == CHANCE:
        is_seed = event.number == 0 and not rules.explicit_chance
        name = event.name if is_seed else name_of(before, CHANCE, event.action)
        return ReviewedEvent(event, before, name, (), (), None, luck)
    offered = plays(rules, before)
    made = next(play for play in offered if event.action in play.actions)
    values: list[Mapping[int, float] | None] = []
    if len(offered) > 1:
        values = [None if judge is None else _of_plays(judge, before, offered) for judge in judges]
    loss = None
    if values and values[-1]:
        best = (max if event.player == 0 else min)(values[-1].values())
        loss = max(0.0, abs(best - values[-1].get(made.action, best)))
    return ReviewedEvent(event, before, made.name, offered, tuple(values), loss, None)


def _of_plays(judge: Any, state: Any, offered: Sequence[Play]) -> dict[int, float]:
    """A judge's value of each play that it has looked at."""
    found = judge.move_values(state) or {}
    valued = ((play, next((each for each in play.actions if each in found), None)) for play in offered)
    return {play.action: found[action] for play, action in valued if action is not None}
