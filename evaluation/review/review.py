"""Reviews a stored game event by event: values of moves, losses and luck."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from starspiel.agents.bots.auto import unknown, usual_search
from starspiel.agents.evaluators.base import outlook_of
from starspiel.agents.roster import make_bot
from starspiel.envs.base import CHANCE, Game, has_vector_values, is_simultaneous
from starspiel.envs.errors import StarspielError, shown
from starspiel.envs.load import game_of, load_game
from starspiel.envs.modules import is_installed, resolve
from starspiel.envs.outlook import Outlook, outlook
from starspiel.envs.plays import Play, name_of, plays
from starspiel.envs.trust import check_consent
from starspiel.evaluation.play.record import Luck
from starspiel.evaluation.review.judges import agents_of, values_moves, word_of
from starspiel.evaluation.review.luck import Step, changes
from starspiel.evaluation.store.replay import Event, events
from starspiel.evaluation.store.rows import StoredGame

#: The optional module that measures luck, resolved by name.
_LUCK = "starspiel.evaluation.luck"
#: Losses and luck below this are rounding errors.
_NOTHING = 1e-9


@dataclass(frozen=True)
class ReviewedEvent:
    """An event of a game, and how the judges value it.

    Values are player 0's expected return; with more than two players, or without zero sum, the mover's.

    Attributes:
        event: who did what, and the state after it.
        before: the state before it.
        name: the move or outcome in words.
        plays: at a decision, each distinct move once.
        values: for each judge, action -> value of each play; None if it gives no values. Empty without a
            choice.
        loss: how much of the mover's return the move loses according to the reference. None without a choice,
            for the start position's moves, which nobody chose, and if the reference only ranks moves.
        luck: how much a chance event gave the player `lucky`, by the reference (see `changes`). With values
            of every player, and in games that pay on the way, it is measured by an evaluator instead,
            relative to the mean of the outcomes. None if it is not known.
        lucky: player 0; with values of every player, the one whose luck in the event is largest, good or bad.
        maximises: whether the mover wants high values.
        chances: after a decision, the probability of each return of player 0 by the reference's evaluator,
            without search; None if the evaluator does not give them.
    """

    event: Event
    before: Any
    name: str
    plays: tuple[Play, ...]
    values: tuple[Mapping[int, float] | None, ...]
    loss: float | None
    luck: float | None
    lucky: int = 0
    maximises: bool = True
    chances: Mapping[float, float] | None = None

    @property
    def made(self) -> float | None:
        """The value of the move that was made, in the terms of `best`; `best` if the reference has none."""
        values = self.values[-1] if self.values else None
        play = next((play for play in self.plays if self.event.action in play.actions), None)
        return values.get(play.action, self.best) if values and play else None

    @property
    def best(self) -> float | None:
        """The reference's value of the best move at a decision (see the class); None without a choice."""
        values = self.values[-1] if self.values else None
        return (max if self.maximises else min)(values.values()) if values else None


@dataclass(frozen=True)
class Review:
    """The review of a stored game.

    Attributes:
        game: the game as it was stored.
        start: the state that it began from.
        events: the events in order.
        judges: the names of those who value the moves: the agents by seat, then the reference.
        notes: sentences that a reader must know.
        luck_by: the evaluator that measured luck, or "" if the reference did.
        lucks: each player's luck by that evaluator, in return; empty if it is not known.
        movers: whether values are the mover's own.
        seen_later: the part of player 0's return that the reference saw only after moves: see `changes`.
        ranks_only: whether the reference's values only rank moves, so that no loss is known.
    """

    game: StoredGame
    start: Any
    events: tuple[ReviewedEvent, ...]
    judges: tuple[str, ...]
    notes: tuple[str, ...]
    luck_by: str
    lucks: tuple[float, ...] = ()
    movers: bool = False
    seen_later: float = 0.0
    ranks_only: bool = False

    @property
    def biggest_mistake(self) -> ReviewedEvent | None:
        """The move that lost most according to the reference; None if no loss was an inaccuracy or worse."""
        worst = max(self.events, key=lambda event: event.loss or 0.0, default=None)
        return worst if worst is not None and self.outlook.grade(worst.loss or 0.0) else None

    @property
    def luckiest(self) -> ReviewedEvent | None:
        """The chance event that changed most; None if none changed anything."""
        luckiest = max(self.events, key=lambda event: abs(event.luck or 0.0), default=None)
        return luckiest if luckiest is not None and abs(luckiest.luck or 0.0) > _NOTHING else None

    @property
    def outlook(self) -> Outlook:
        """How values are displayed; if the game has no bounds, those of the values of this game are used."""
        told = outlook(game_of(self.start))
        if self.ranks_only:
            return replace(told, word="value", points=1.0)
        if told.low is not None:
            return told
        values = [value for event in self.events if (value := event.best) is not None]
        values += self.game.record.returns if self.movers else self.game.record.returns[:1]
        return replace(told, low=min(values), high=max(values))

    @property
    def is_first_left_out(self) -> bool:
        """Whether the game began with a chance event that has too many outcomes to measure its luck."""
        first = next(iter(self.events[len(self.game.start) :]), None)
        return first is not None and first.event.player == CHANCE and first.luck is None

    def lost(self, player: int) -> float:
        """Returns how much of the player's return its moves lost, according to the reference."""
        return sum(event.loss or 0.0 for event in self.events if event.event.player == player)

    def luck(self, player: int) -> float | None:
        """Returns how much chance gave the player, in return; None if that is not known."""
        if self.movers:
            return self.lucks[player] if self.lucks else None
        measured = [event.luck for event in self.events if event.luck is not None]
        return (sum(measured) if player == 0 else -sum(measured)) if measured else None


def review(
    game: StoredGame,
    rules: Game | None = None,
    *,
    reference: str | None = None,
    trust: bool = False,
    on_event: Callable[[int, int], object] = lambda done, total: None,
) -> Review:
    """Reviews a stored game: its agents and a reference value every move, within their own limits.

    Agents are made again from their names in the store. An agent whose name is not a spec, or that gives no
    values of moves, is left out, and a note says so.

    Args:
        game: a game of a store.
        rules: the game, if it cannot be loaded by its name.
        reference: the agent that judges the moves; defaults to the usual search, star2(depth=2) or
            star1(depth=2).
        trust: consent to import the modules that game and agents name.
        on_event: called with the number of events that have been judged, and the total.

    Raises StarspielError if the game is not from a store or cannot be replayed, if all players move at once,
    if modules are named without consent, or if the reference gives no values of moves.
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
    if is_simultaneous(rules):
        raise StarspielError(f"a page judges moves made in turn, and {rules.name} has simultaneous moves.")
    judge = reference or usual_search(rules)
    judging = make_bot(judge, rules, seed=game.seed)
    if not values_moves(judging):
        raise StarspielError(
            f"the reference must be an agent that values moves, such as star2(depth=2), got {reference!r}."
        )
    bots, notes = agents_of(game, rules)
    if reference is None and (note := unknown(rules)):
        notes[note[:1].upper() + note[1:]] = None
    walked = list(events(game, rules))
    luck: Sequence[Luck | None] = [None] * len(walked)
    luck_by = ""
    word = word_of(judging)
    if word.startswith("estimated"):
        notes[
            "Chances to win are a heuristic's estimates: it ranks moves better than it predicts the winner."
        ] = None
    if ranks_only := word == "value":
        notes[
            f"The values of {judge} rank moves and are not {outlook(rules).word}s, so the cost of moves and "
            "luck are not shown."
        ] = None
    # In games that pay on the way, values need not predict what is paid after the end of the search.
    by_evaluator = has_vector_values(rules) or rules.step_rewards
    if not rules.explicit_chance:
        notes["The game's chance outcomes are sampled, not listed, so luck cannot be measured."] = None
    elif by_evaluator and not ranks_only and is_installed(_LUCK):
        evaluator = resolve(f"{_LUCK}:luck_evaluator")(rules, "auto", game.seed)
        if outlook_of(evaluator, rules).word == "value":
            notes[f"Luck is not shown: the values of {evaluator.name} only rank positions."] = None
        else:
            luck = resolve(f"{_LUCK}:lucks")(rules, game.record.actions, evaluator, len(game.start))
            luck_by = evaluator.name
    before, reviewed = rules.new_initial_state(), []
    for event, lucky in zip(walked, luck, strict=True):
        each = _reviewed(rules, event, before, [*bots, judging], lucky)
        is_told = event.number >= len(game.start) and not ranks_only
        reviewed.append(each if is_told else replace(each, loss=None))
        before = event.after
        on_event(len(reviewed), len(walked))
    judges = (*game.names, f"reference {judge}")
    start, movers, seen_later = rules.new_initial_state(), has_vector_values(rules), 0.0
    if rules.explicit_chance and not by_evaluator and not ranks_only:
        begun = len(game.start)
        steps = [Step(each.event.player, each.best, each.made, each.event.after) for each in reviewed[begun:]]
        first = reviewed[begun].before if steps else start
        changed, seen_later = changes(first, steps, judging)
        played = zip(reviewed[begun:], changed, strict=True)
        reviewed = [*reviewed[:begun], *(replace(each, luck=worth) for each, worth in played)]
    vectors = [each for each in luck if isinstance(each, tuple)]
    lucks = tuple(map(sum, zip(*vectors, strict=True)))
    about = (tuple(notes), luck_by, lucks, movers, seen_later, ranks_only)
    return Review(game, start, tuple(reviewed), judges, *about)


def _reviewed(
    rules: Game, event: Event, before: Any, judges: Sequence[Any], luck: Luck | None
) -> ReviewedEvent:
    if event.player == CHANCE:
        is_seed = event.number == 0 and not rules.explicit_chance
        name = event.name if is_seed else name_of(before, CHANCE, event.action)
        lucky = max(range(len(luck)), key=lambda player: abs(luck[player])) if isinstance(luck, tuple) else 0
        return ReviewedEvent(
            event, before, name, (), (), None, luck[lucky] if isinstance(luck, tuple) else luck, lucky
        )
    offered = plays(rules, before)
    made = next(play for play in offered if event.action in play.actions)
    values: list[Mapping[int, float] | None] = []
    if len(offered) > 1:
        values = [None if judge is None else _of_plays(judge, before, offered) for judge in judges]
    loss, maximises = None, event.player == 0 or has_vector_values(rules)
    if values and values[-1]:
        best = (max if maximises else min)(values[-1].values())
        loss = max(0.0, abs(best - values[-1].get(made.action, best)))
    tell = getattr(judges[-1], "chances_after", None)
    chances = None if tell is None else tell(before, event.action)
    thought = (made.name, offered, tuple(values), loss, None)
    return ReviewedEvent(event, before, *thought, maximises=maximises, chances=chances)


def _of_plays(judge: Any, state: Any, offered: Sequence[Play]) -> dict[int, float]:
    """Returns action -> a judge's value, for each play that it has valued."""
    found = judge.move_values(state) or {}
    valued = ((play, next((each for each in play.actions if each in found), None)) for play in offered)
    return {play.action: found[action] for play, action in valued if action is not None}
