"""Describes how a game went, in sentences that its record supports."""

from collections.abc import Sequence

from starspiel.envs.load import game_of
from starspiel.envs.outlook import outlook
from starspiel.evaluation.play.record import winners
from starspiel.evaluation.review.error_rate import error_rate
from starspiel.evaluation.review.review import Review
from starspiel.evaluation.store.replay import ending


def verdict(review: Review, you: int | None = None) -> str:
    """Returns who won, and what luck and mistakes were worth to `you`, the winner, or after a draw player 0.

    `you` is the seat of the reader, if the reader is one of the players.
    """
    record, end = review.game.record, ending(review.game, outlook(game_of(review.start)))
    if record.fault is not None:
        return end
    first = winners(record.returns)
    if you is not None and len(first) == 1 < len(record.returns):
        [won] = first
        end = "You won." if won == you else f"You lost to player {won}, {review.game.names[won]}."
    if not any(event.loss is not None for event in review.events) or (
        review.movers and you is None and len(first) > 1
    ):
        return end
    side = first[0] if you is None else you
    return f"{end} {_balance(review, side, side == you)}"


def counted(review: Review, player: int) -> str:
    """Returns how many mistakes a player made, by grade, and the total cost of its moves.

    If the reference only ranks moves, it returns how many moves were the best ones.
    """
    if review.ranks_only:
        own = [event for event in review.events[len(review.game.start) :] if event.event.player == player]
        valued = [event for event in own if event.values and event.values[-1]]
        agreed = sum(event.made == event.best for event in valued)
        return f"{agreed} of {len(valued)} as the {review.judges[-1]} would have played"
    grades = [
        review.outlook.grade(event.loss or 0.0) for event in review.events if event.event.player == player
    ]
    found = [
        f"{count} {word if count == 1 else plural}"
        for word, plural in (("blunder", "blunders"), ("mistake", "mistakes"), ("inaccuracy", "inaccuracies"))
        if (count := grades.count(word))
    ]
    lost = review.lost(player)
    cost = review.outlook.change(_of_player_0(-lost, player if review.outlook.opposed else 0), player)
    rate = error_rate(review, player)
    told = "" if rate is None else f"; error rate {rate}"
    return f"{', '.join(found) or 'no mistakes'}, {cost} in all{told}"


def _balance(review: Review, side: int, yours: bool) -> str:
    whose = "your" if yours else "its"
    told, returns = review.outlook, review.game.record.returns
    single, luck, own = len(returns) == 1, review.luck(side), review.lost(side)
    first = winners(returns)
    has_won = side in first
    sign = -1.0 if told.opposed and side == 1 else 1.0  # `change` expects player 0's perspective

    def worth(what: str, gained: float) -> str:
        return f"{what} {told.change(sign * gained, side)}"

    by = f" (luck by the evaluator {review.luck_by})" if review.luck_by else ""
    said = [] if luck is None else [worth("luck was worth", luck)]
    said.append(worth("mistakes" if single else f"{whose} own mistakes", -own))
    if review.movers:  # one player's loss is not another's gain
        others = sum(review.lost(each) for each in range(len(returns)) if each != side)
        said.append(f"all others' cost them {told.change(-others)}")
        is_told = luck is not None and len(first) < len(returns)
        end = f"{by}: {_with_luck(review, luck or 0.0, has_won)}" if is_told else by
        return f"{_from(side, yours, said)}{end}."
    if not single:
        said.append(worth(f"{whose} opponent's", other := review.lost(1 - side)))
    if told.grade(review.seen_later):
        said.append(f"what the reference saw only later {told.change(review.seen_later, side)}")
    if luck is not None and not single and review.is_first_left_out:
        said.append("chance before the first move left out")
    text = _capital(", ".join(said)) if single else _from(side, yours, said)
    if luck is None or (by if single else len(first) > 1):
        return f"{text}{by}."
    if single:
        expected = returns[0] - luck + own - review.seen_later
        since = "at the first move" if review.is_first_left_out else "at first"
        return f"{text}: {since} the reference expected {told.text(expected)}."
    return f"{text}{by}: {_cause(review, luck, other - own, has_won)}."


def _with_luck(review: Review, luck: float, has_won: bool) -> str:
    """Returns the part that luck had in a player's result, for games in which play is not compared."""
    if not review.outlook.grade(luck):
        return "luck does not explain it"
    if has_won:
        return "won with luck" if luck > 0 else "won in spite of bad luck"
    return "lost in spite of luck" if luck > 0 else "lost with bad luck"


def _from(side: int, yours: bool, said: Sequence[str]) -> str:
    """Returns a sentence on what luck and mistakes were worth to a player."""
    return _capital(", ".join(said)) if yours else f"For player {side}, {', '.join(said)}"


def _cause(review: Review, luck: float, play: float, has_won: bool) -> str:
    """Returns whether luck or play decided the game for one side; less than an inaccuracy does not count."""
    told, end, sign = review.outlook, "won" if has_won else "lost", 1.0 if has_won else -1.0
    causes = [
        (sign * worth, name)
        for worth, name in ((luck, "luck"), (play, "play"))
        if sign * worth > 0 and told.grade(worth)
    ]
    if not causes:
        return "neither luck nor mistakes explain it"
    if len(causes) == 1:
        return f"{end} by {causes[0][1]}"
    more, less = sorted(causes, reverse=True)
    return f"{end} more by {more[1]} than by {less[1]}"


def _of_player_0(worth: float, side: int) -> float:
    return worth if side == 0 else -worth


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
