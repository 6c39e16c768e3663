"""Writes notes on luck: which agents have too much, and what to do if the adjustment gains little."""

from starspiel.evaluation.result import TournamentResult
from starspiel.evaluation.statistics.lucks import ALARM

#: A variance factor below this is noted as too low.
LITTLE = 1.1


def luck_alarm(result: TournamentResult) -> str:
    """Returns a warning that names the agents whose luck exceeds chance; "" if there are none."""
    lucky = [line for line in result.lucks if line.exceeds_chance]
    if not lucky:
        return ""
    names = ", ".join(f"{result.agents[line.agent]} (z {line.z:+.1f})" for line in lucky)
    return (
        f"Luckier than chance allows: {names}. An agent that cannot foresee the dice has zero luck on "
        f"average, and exceeds a z of {ALARM:g} less than once in 5,000 tournaments, unless its bad luck is "
        "great and so rare that few pairs show it. Inspect its play, and repeat the tournament with --secret "
        "and with the agent in a separate process."
    )


def luck_note(result: TournamentResult) -> str:
    """Returns a note on how little the adjustment gains, and what to do about it; "" if it gains enough."""
    little = [line for line in result.adjusted if line.variance_factor < LITTLE]
    if not little:
        return ""
    use = "Use"
    if all(line.raw_error == line.adjusted_error for line in little):
        found = "nothing was luck: the game has no dice, or they never change its values"
        use = "If it has dice, use"
    else:
        least = min(line.variance_factor for line in little)
        noise = ", and adds noise of its own" if least < 1.0 else ""
        found = f"little of the luck comes out{noise} (variance factor {least:.2f}, below {LITTLE:g})"
    of = "meetings" if result.blocks is None else "means"
    several = f", in {len(little)} of {len(result.adjusted)} {of}" if len(result.adjusted) > 1 else ""
    # `starspiel train` supports two-player games, and star_2048.
    trained = "net(file=…) made by starspiel train, or " if len(little[0].agents) == 2 else ""
    if result.game.partition("(")[0] == "star_2048":
        trained = "ntuple(file=…) made by starspiel train, or "
    return (
        f"By {result.luck_evaluator}, {found}{several}. {use} an evaluator that knows the game better: "
        f"{trained}solution(file=…) made by starspiel solve; --luck alone uses the best shipped one. "
        "Choose it before the games, or play new ones."
    )
