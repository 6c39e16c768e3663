"""Tournaments of more than two players: blocks on the same dice, in which agents rotate through the seats."""

import json
from math import isnan, nan

import pytest
from support.commands import output, refusal

from starspiel.evaluation.play.record import Outcome
from starspiel.evaluation.report.page import page
from starspiel.evaluation.sequential import round_score
from starspiel.evaluation.store.verify import verify
from starspiel.evaluation.tournament import tournament

PIG = "pig(players=3,winscore=10)"
AGENTS = ["random", "mcts(simulations=3)", "mcts(simulations=30)"]


class Broken:
    """Plays two moves, and then what is not legal."""

    def __init__(self, game, seat, seed):
        self.moves = 0

    def step(self, state):
        self.moves += 1
        return 77 if self.moves > 2 else state.legal_actions()[0]


def said(result):
    """All of a result but times and what was asked for."""
    found = {key: value for key, value in result.to_dict().items() if key != "seconds"}
    agents = sorted(found.pop("agents"), key=lambda line: line["agent"])
    matrices = {key: found.pop(key) for key in ("matrix", "matrix_low", "matrix_high", "zero")}
    assert matrices
    return found, [{k: v for k, v in line.items() if k != "cpu_seconds_per_move"} for line in agents]


def test_agents_rotate_on_the_same_dice_and_sums_agree():
    result = tournament(PIG, AGENTS, blocks=6, seed=4)
    assert (result.games, result.tally.pairs) == (18, 6)
    for record in result.pairs:
        seats = [game.agents for game in record.games]
        assert sorted(zip(*seats, strict=True)) == sorted(
            zip(*[seats[0][turn:] + seats[0][:turn] for turn in range(3)], strict=True)
        )
        first_rolls = {game.actions[1] for game in record.games if game.actions[0] == 0}
        assert len(first_rolls) <= 1
    assert sum(line.score for line in result.standings) == pytest.approx(18.0)
    assert sum(line.mean for line in result.standings) == pytest.approx(0.0, abs=1e-12)
    for line in result.standings:
        returns = [
            game.returns[game.agents.index(result.agents.index(line.agent))]
            for record in result.pairs
            for game in record.games
        ]
        assert line.mean == pytest.approx(sum(returns) / 18)
        assert line.share == pytest.approx(line.score / 18)
        assert line.share_low < line.share < line.share_high
    for i, row in enumerate(result.matrix):
        for j, share in enumerate(row):
            assert i == j or share + result.matrix[j, i] == pytest.approx(1.0)


@pytest.mark.parametrize(("agents", "players"), [(2, 3), (2, 4), (3, 4), (4, 3), (5, 4), (6, 3)])
def test_the_agents_means_sum_as_their_seats_do(agents, players):
    """Returns of a game sum to 0, and shares of a win to 1, for as many agents as seats."""
    field = [f"mcts(simulations={2 + 9 * agent})" for agent in range(agents)]
    result = tournament(f"pig(players={players},winscore=10)", field, blocks=4)
    assert len({line.totals.games for line in result.standings}) == 1
    assert sum(line.mean for line in result.standings) == pytest.approx(0.0, abs=1e-12)
    assert sum(line.share for line in result.standings) == pytest.approx(agents / players)
    for line in result.standings:
        assert line.share == pytest.approx(line.score / line.totals.games)


def test_a_round_that_is_not_complete_counts_for_nothing_in_means():
    """Two agents among three: two lineups, of which a part of the schedule may have one more."""
    agents = ["random", "mcts(simulations=30)"]
    whole = tournament(PIG, agents, blocks=2)
    first = tournament(PIG, agents, blocks=4, part="1/4")
    assert (first.tally.pairs, first.blocks.left_out) == (1, 1)
    assert [line.games for line in (line.totals for line in first.standings)] == [3, 6]
    assert all(isnan(line.mean) and isnan(line.share) for line in first.standings)
    assert "leave out 1 block" in " ".join(str(first).split())
    answer = first.to_dict()
    assert [line["mean"] for line in answer["agents"]] == [None, None]
    assert whole.blocks.left_out == 0
    assert "leave out" not in str(whole)
    assert "rounds" in whole.to_dict()["differences"][0]


def test_unequal_meetings_are_said():
    four = [*AGENTS, "mcts(simulations=9)"]
    assert "met in" not in " ".join(str(tournament(PIG, four, blocks=2)).split())
    said = " ".join(str(tournament(PIG, four, blocks=3, part="2/3")).split())
    assert "Every two agents met in" in said


def test_a_stronger_agent_is_found_from_all_seats():
    result = tournament("pig(players=3,winscore=30)", ["random", "mcts(simulations=40)"], blocks=20, seed=1)
    best, other = result.standings
    assert best.agent == "mcts(simulations=40)"
    assert best.mean_low > 0 > other.mean_high
    assert best.share_low > 1 / 3 > other.share_high
    assert best.low > other.high
    assert result.differences[0].p_holm < 0.01


def test_stored_blocks_are_not_played_again_in_any_order_or_by_any_number_of_workers(tmp_path):
    store = tmp_path / "a.db"
    first = tournament(PIG, AGENTS, blocks=2, store=store)
    played = []
    more = tournament(PIG, AGENTS[::-1], blocks=5, store=store, workers=2, on_pair=played.append)
    assert len(played) == 3
    assert [progress.units for progress in played] == ["blocks"] * 3
    whole = tournament(PIG, AGENTS[::-1], blocks=5)
    assert said(more) == said(whole)
    assert said(tournament(PIG, AGENTS, blocks=2, store=store)) == said(first)
    assert verify(store).ok


def test_whoever_breaks_the_rules_has_the_worst_return_and_the_others_share_the_rest(tmp_path):
    store = tmp_path / "a.db"
    agents = {"random": "random", "broken": Broken}
    result = tournament(PIG, agents, blocks=1)
    faulty = [game for record in result.pairs for game in record.games if game.fault]
    assert len(faulty) >= 3
    for game in faulty:
        expected = [0.5, 0.5, 0.5]
        expected[game.fault.seat] = -1.0
        assert list(game.returns) == expected
        assert [game.score(seat) for seat in range(3)] == [0.5 * (own > 0) for own in expected]
    line = result.standings[-1]
    assert line.agent == "broken"
    assert line.totals.forfeits["illegal"] == len(faulty)
    assert line.totals.voids == 2
    for _ in range(2):
        assert said(tournament(PIG, agents, blocks=1, store=store)) == said(result)


def test_the_table_and_the_page_speak_of_blocks(capsys):
    shown = output(capsys, "tournament", PIG, "--agents", *AGENTS[:2], "--blocks", "3")
    assert "12 games in 4 blocks" in shown
    for heading in ("mean return", "wins", "nodes/move", "ms/move"):
        assert heading in shown
    assert "pair" not in shown.replace("pairs of", "")
    result = tournament(PIG, AGENTS, blocks=2)
    text = page(result)
    assert "6 games in 2 blocks" in text
    assert "finished above the column's" in text
    answer = json.loads(output(capsys, "tournament", PIG, "--agents", *AGENTS, "--blocks", "2", "--json"))
    assert (answer["blocks"], answer["planned_blocks"], len(answer["seats"])) == (2, 2, 3)
    assert "pairs" not in answer
    assert {"share", "share_low", "share_high"} <= answer["agents"][0].keys()


@pytest.mark.slow
def test_a_sequential_test_takes_rounds_of_blocks(tmp_path, capsys):
    """Two agents in four seats: a round is three blocks, whoever finishes them first."""
    four = "pig(players=4,winscore=10)"
    agents, store = ["mcts(simulations=20)", "random"], tmp_path / "a.db"
    settings = {"sprt": "nelo0=0,nelo1=400", "pairs": 200}
    result = tournament(four, agents, store=store, workers=2, **settings)
    assert result.sprt.verdict == "upper"
    assert sum(result.sprt.five) * 3 == result.tally.pairs < 600
    assert result.sprt.score[1] > 0.5
    played = []
    again = tournament(four, agents, store=store, on_pair=played.append, **settings)
    assert (again.sprt, played) == (result.sprt, [])
    alone = tournament(four, agents, **settings)
    assert alone.sprt == result.sprt
    assert len(alone.pairs) == result.tally.pairs
    assert "rounds of 3 blocks" in str(alone)
    assert alone.to_dict()["sprt"]["rounds"] == list(result.sprt.five)
    assert verify(store).ok
    shown = output(
        capsys, "tournament", four, "--agents", *agents, "--sprt", settings["sprt"], "--pairs", "200",
        "--store", store, "--dry-run",
    )  # fmt: skip
    assert "the test has accepted its upper hypothesis" in shown.replace("\n", " ")


@pytest.mark.parametrize(
    ("share", "score"), [(0, 0), (1, 0.25), (2, 0.25), (3, 0.5), (4, 0.5), (5, 0.5), (7, 0.75), (8, 1)]
)
def test_a_rounds_score_is_in_quarters_and_nearer_to_even(share, score):
    """Of eight games between one agent 0 and two of agent 1, it is above both in `share`."""

    def game(won):
        return Outcome((1, 0, 1), (-1.0, 2.0, -1.0) if won else (0.5, -1.0, 0.5), None, nan, None, ())

    assert round_score([game(place < share) for place in range(8)]) == score
    assert round_score([game(place >= share) for place in range(8)]) == 1 - score


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([PIG, "--agents", "random"], "at least two agents"),
        ([PIG, "--agents", *AGENTS, "--sprt", "nelo0=0,nelo1=5"], "two players or more, got 3 in pig"),
        ([PIG, "--agents", *AGENTS, "--blocks", "1000001"], "at most 2,000,000 games"),
        (["pig", "--agents", "random", "greedy", "--blocks", "3"], "blocks are for games of more than two"),
    ],
)
def test_what_does_not_fit_is_refused(arguments, says, capsys):
    assert says in refusal(capsys, "tournament", *arguments)


def test_a_gauntlet_and_start_positions():
    agents = [AGENTS[1], AGENTS[0], AGENTS[2], "mcts(simulations=9)"]
    result = tournament(PIG, agents, blocks=3, format="gauntlet", starts=[(), (0, 3)])
    assert all(0 in record.pair.agents for record in result.pairs)
    for record in result.pairs:
        assert all(game.actions[:2] == (0, 3) for game in record.games if record.pair.start == 1)
    assert {record.pair.start for record in result.pairs} == {0, 1}


def test_the_default_field_plays_without_a_fault(capsys):
    """Baselines and searches, whatever of them plays more than two players."""
    answer = json.loads(output(capsys, "tournament", PIG, "--blocks", "1", "--json"))
    names = [line["agent"].partition("(")[0] for line in answer["agents"]]
    assert {"random", "mcts", "expectiminimax", "star1", "star2"} == set(names)
    assert answer["faults"] == []
    assert all(line["games"] >= 3 for line in answer["agents"])
