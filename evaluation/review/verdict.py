"""How a game went, in sentences that its record bears out."""

from starspiel.evaluation.review.error_rate import error_rate
from starspiel.evaluation.review.review import Review
from starspiel.evaluation.store.replay import ending


def verdict(review: Review, you: int | None = None) -> str:
    """Who won, and what luck and mistakes were worth: to the winner, to player 0 of a draw, or to a score.

    `you` is the seat of the reader, if it is one of the players.
    """
    record, end = review.game.record, ending(review.game, review.outlook)
    if record.fault is not None:
        return end
    winners = [seat for seat, paid in enumerate(record.returns) if paid == max(record.returns)]
    side = you if you in winners else winners[0]
    if you is not None and len(winners) == 1 < len(record.returns):
        end = "You won." if side == you else f"You lost to player {side}, {review.game.names[side]}."
    if not any(event.values for event in review.events) or (review.movers and len(winners) > 1):
        return end
    return f"{end} {_balance(review, side, side == you)}"


def counted(review: Review, player: int) -> str:
    """How many mistakes a player made, by grade, and what all of its moves cost it."""
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
    told, single = review.outlook, len(review.game.record.returns) == 1
    if review.movers:  # whose opponents do not share what one of them loses
        return f"{_capital(whose)} own mistakes: {told.change(-review.lost(side))}."
    luck, own = review.luck(side), review.lost(side)
    other = 0.0 if single else review.lost(1 - side)
    worth = [] if luck is None else [f"luck was worth {told.change(_of_player_0(luck, side), side)}"]
    worth.append(
        f"{'mistakes' if single else f'{whose} own mistakes'} {told.change(_of_player_0(-own, side), side)}"
    )
    if not single:
        worth.append(f"{whose} opponent's {told.change(_of_player_0(other, side), side)}")
    if luck is not None and told.grade(review.seen_later):
        worth.append(f"what the reference saw only later {told.change(review.seen_later, side)}")
    text = ", ".join(worth)
    text = _capital(text) if single or yours else f"For player {side}, {text}"
    if luck is None or single or review.game.record.returns[0] == review.game.record.returns[1]:
        return f"{text}."
    return f"{text}: {_cause(review, luck, other - own)}."


def _cause(review: Review, luck: float, play: float) -> str:
    """Whether it was won by luck or by play: what is worth less than an inaccuracy is no cause."""
    told = review.outlook
    causes = [
        (worth, name) for worth, name in ((luck, "luck"), (play, "play")) if worth > 0 and told.grade(worth)
    ]
    if not causes:
        return "neither luck nor mistakes explain it"
    if len(causes) == 1:
        return f"won by {causes[0][1]}"
    more, less = sorted(causes, reverse=True)
    return f"won more by {more[1]} than by {less[1]}"


def _of_player_0(worth: float, side: int) -> float:
    return worth if side == 0 else -worth


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
