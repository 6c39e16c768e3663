"""Luck of more than two players: every player's own, taken out of the mean returns of each agent."""

import csv
import json
from io import StringIO

import pytest
from support.commands import output
from support.simple_bots import HoldAt

from starspiel import solve
from starspiel.envs.errors import StarspielError
from starspiel.evaluation.report.page import page
from starspiel.evaluation.store.merge import merge
from starspiel.evaluation.store.store import Store
from starspiel.evaluation.store.verify import verify
from starspiel.evaluation.tournament import tournament

PIG = "pig(players=3,winscore=8)"
AGENTS = ["random", "mcts(simulations=3)", "mcts(simulations=30)"]


@pytest.fixture(scope="module")
def exact(tmp_path_factory):
    """The file of the exact solution."""
    file = tmp_path_factory.mktemp("solved") / "pig.npz"
    solve(PIG).save(file)
    return file


def test_between_optimal_players_luck_is_all_there_is(exact):
    agents = dict.fromkeys(("one", "two", "three"), f"optimal(solution={exact})")
    result = tournament(PIG, agents, blocks=2, luck=f"solution(file={exact})")
    for record in result.pairs:
        for game in record.games:
            ends = [own - luck for own, luck in zip(game.returns, game.luck, strict=True)]
            assert ends == pytest.approx(solve(PIG).value, abs=1e-6)


def test_luck_comes_out_of_every_agents_mean(exact):
    agents = {"optimal": f"optimal(solution={exact})"}
    agents |= {f"hold at {total}": lambda g, p, s, total=total: HoldAt(total) for total in (4, 5)}
    result = tournament(PIG, agents, blocks=40, seed=3, luck=f"solution(file={exact})")
    assert [line.agents for line in result.adjusted] == [(0,), (1,), (2,)]
    for line in result.adjusted:
        assert (line.pairs, line.left_out) == (40, 0)
        assert abs(line.adjusted - line.raw) < 4 * line.raw_error
        assert line.raw == pytest.approx(
            next(own.mean for own in result.standings if own.agent == result.agents[line.agents[0]])
        )
    assert result.adjusted[0].variance_factor > 1.5
    assert result.adjusted[0].adjusted > 3 * result.adjusted[0].adjusted_error
    assert sum(line.adjusted for line in result.adjusted) == pytest.approx(0.0, abs=1e-9)
    assert sum(line.mean for line in result.lucks) == pytest.approx(0.0, abs=1e-9)
    assert not any(line.exceeds_chance for line in result.lucks)


@pytest.mark.parametrize("agents", [AGENTS[:2], AGENTS])
def test_luck_is_stored_measured_later_and_merged(tmp_path, agents):
    """With two agents, over rounds of two lineups."""

    def lucks(result):
        return json.dumps(result.to_dict()["luck"])

    now = tournament(PIG, agents, blocks=4, luck="auto")
    store, measured = tmp_path / "a.db", []
    tournament(PIG, agents, blocks=4, store=store)
    later = tournament(
        PIG, agents, blocks=4, store=store, luck="auto", on_luck=lambda *how_far: measured.append(how_far)
    )
    assert measured[-1] == (now.games, now.games)
    again = tournament(PIG, agents, blocks=4, store=store, luck="auto", workers=2)
    assert lucks(now) == lucks(later) == lucks(again)
    assert verify(store).ok
    parts = [tmp_path / f"{number}.db" for number in (1, 2)]
    for number, part in enumerate(parts, start=1):
        tournament(PIG, agents, blocks=4, store=part, part=f"{number}/2", luck="auto")
    merge(parts)
    assert lucks(tournament(PIG, agents, blocks=4, store=parts[0], luck="auto")) == lucks(now)


def test_rounds_with_a_forfeit_are_left_out():
    class Broken:
        def __init__(self, game, seat, seed):
            self.seed = seed

        def step(self, state):
            return 77 if self.seed % 2 else state.legal_actions()[0]

    result = tournament(PIG, {"random": "random", "broken": Broken}, blocks=12, luck="auto")
    lines = result.adjusted
    assert lines[0].left_out == lines[1].left_out > 0
    assert lines[0].pairs + lines[0].left_out == 6
    assert "Left out: rounds with a forfeit." in str(result)


def test_table_page_and_exports_have_every_players_luck(tmp_path, capsys):
    store = tmp_path / "a.db"
    result = tournament(PIG, AGENTS, blocks=3, store=store, luck="auto")
    assert "luck-adjusted by heuristic(pig)" in str(result)
    assert "the field" in str(result)
    assert "over blocks" in page(result)
    assert result.to_dict()["luck"]["meetings"][0]["blocks"] == 3
    rows = list(csv.DictReader(StringIO(output(capsys, "export", store))))
    lines = [json.loads(line) for line in output(capsys, "export", store, "--format", "jsonl").splitlines()]
    for row, line in zip(rows, lines, strict=True):
        lucks = [float(row[f"luck_{seat}_heuristic(pig)"]) for seat in range(3)]
        assert lucks == line["luck"]["heuristic(pig)"]
        assert sum(lucks) == pytest.approx(0.0, abs=1e-9)


def test_luck_of_another_number_of_seats_is_damage(tmp_path):
    store = tmp_path / "a.db"
    tournament(PIG, AGENTS, blocks=1, store=store, luck="auto")
    with Store(store) as opened, opened.saving() as db:
        db.execute("UPDATE luck SET value = '[0.5,-0.5]', checksum = ''")
    with pytest.raises(StarspielError, match="do not match their checksums"):
        tournament(PIG, AGENTS, blocks=1, store=store, luck="auto")
    with Store(store) as opened, opened.saving() as db:
        db.execute("DELETE FROM luck")
        opened.save_luck(
            _Job("heuristic(pig)"), db.execute("SELECT id FROM games").fetchone()[0], (0.5, -0.5)
        )
    with pytest.raises(StarspielError, match="luck of some games has another number of seats"):
        tournament(PIG, AGENTS, blocks=1, store=store, luck="auto")


class _Job:
    def __init__(self, luck_identity):
        self.luck_identity = luck_identity
