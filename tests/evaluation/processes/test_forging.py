"""Attempts to win by other means than playing; docs/external_agents.md names what they attempt."""

import io
import json
import subprocess
import sys
import time
from dataclasses import replace

import pytest
from support import hostile_engine
from support.commands import output

from starspiel.envs.errors import StarspielError
from starspiel.envs.named import canonical_name
from starspiel.evaluation.checked_settings import checked
from starspiel.evaluation.plan import plan, plans
from starspiel.evaluation.play.dice import Dice, encoded, number_of_key, outcome_at
from starspiel.evaluation.play.pairing import Pair
from starspiel.evaluation.processes.cluster import RayCluster
from starspiel.evaluation.processes.executor import InProcess
from starspiel.evaluation.report import write_reports
from starspiel.evaluation.report.settings_file import settings_file
from starspiel.evaluation.store.store import Store
from starspiel.evaluation.tournament import tournament

PIG = "pig(players=2,winscore=20)"
ENGINE = f"exec:{sys.executable} -I -S {hostile_engine.__file__}"
KEY = "00112233445566778899aabbccddeeff"
LIES = {
    "end of the game": "broken",
    "two answers": "broken",
    "illegal": "illegal",
    "a faulty opponent": "raised",
    "too many nodes": "broken",
    "no nodes": "broken",
    "a great value": "broken",
}


def test_no_lie_wins_a_game():
    result = tournament(
        PIG, {"honest": ENGINE} | {lie: f"{ENGINE} {lie!r}" for lie in LIES}, pairs=1, format="gauntlet"
    )
    for record in result.pairs:
        lie = result.agents[record.pair.agents[1]]
        assert {fault.kind for _, fault in record.faults} == {LIES[lie]}
        assert {agent for agent, _ in record.faults} == {record.pair.agents[1]}
        for game in record.games:
            assert game.score(game.agents.index(0)) == 1.0


def test_what_a_seat_can_see_holds_no_key(tmp_path):
    seen = tmp_path / "seen"
    agents = {"looks": f"{ENGINE} 'look around' {seen}", "other": ENGINE}
    result = tournament(PIG, agents, pairs=1, key=KEY)
    assert not any(record.faults for record in result.pairs)
    found = seen.read_bytes()
    assert b"keeper.py" in found
    assert KEY.encode() not in found
    assert b"files [0, 1, 2, 3, 4]\n" in found, "and the two that it reads and writes"


def test_who_crashes_in_a_lost_game_has_no_second_try(tmp_path):
    agents = {"honest": ENGINE, "tries": f"{ENGINE} 'try again' {tmp_path / 'tried'}"}
    [record] = tournament(PIG, agents, pairs=1).pairs
    assert [(agent, fault.kind) for agent, fault in record.faults] == [(1, "crashed")]
    assert not record.voided


def dice_of(job, agents):
    """The number of the first roll in each game of a pair."""
    pair = Pair(agents, 0)
    return {job.meeting(pair, seats).dice.number(0, 1, 0) for seats in pair.seatings()}


@pytest.mark.parametrize(("game", "players"), [(PIG, 2), ("FrozenLake-v1", 1)])
def test_dice_that_a_stranger_has_seen_are_not_thrown_again(game, players):
    job = plan(checked(game=game, agents=["random", "star2", ENGINE, f"{ENGINE} ''"], key=KEY)).job
    trusting = replace(job, common_dice=True)
    ours, strangers = ((0, 1), (2, 3)) if players == 2 else ((0,), (2,))
    assert len(dice_of(job, ours)) == 1
    assert len(dice_of(job, strangers)) == players
    assert dice_of(job, ours) == dice_of(trusting, ours)
    assert len(dice_of(trusting, strangers)) == 1
    if players == 1:
        every = [dice_of(job, (agent,)) for agent in range(4)]
        assert every[0] == every[1]
        assert len(set.union(*every)) == 3
    [own], [common] = job.pair_ids([Pair(strangers, 0)]), trusting.pair_ids([Pair(strangers, 0)])
    assert own != common
    assert list(job.pair_ids([Pair(ours, 0)])) == list(trusting.pair_ids([Pair(ours, 0)]))


def test_what_an_engine_remembers_of_the_first_game_comes_true_by_common_dice_alone():
    agents = {"remembers": f"{ENGINE} remember", "plays": "greedy"}
    for common in (True, False):
        result = tournament("pig(winscore=40)", agents, pairs=3, key=KEY, common_dice=common)
        second = [record.games[1] for record in result.pairs]
        said = [(game.moves[1].nodes[-1], game.moves[1].values[-1]) for game in second]
        remembered, true = map(sum, zip(*said, strict=True))
        assert remembered > 10
        assert true == remembered if common else true < remembered / 2
        assert ("Each game of remembers has its own dice" in str(result)) is not common
        assert result.to_dict()["own_dice"] == ([] if common else ["remembers"])


def guess(job, seed):
    """The dice of the first pair, as whoever knows the seed computes them."""
    names = sorted(job.names)
    return Dice.of(encoded("dice") + encoded(seed, canonical_name(job.game), *names) + encoded(0))


def test_dice_are_computed_from_a_seed_that_is_guessed_and_from_no_key():
    settings = {"game": PIG, "agents": ["random", "greedy"], "pairs": 1}
    for more, found in ({"seed": 7}, [7]), ({"secret": True}, []):
        job = plan(checked(**settings, **more)).job
        rolls = job.meeting(Pair((0, 1), 0, 0), (0, 1)).dice.number(0, 1, 0)
        assert [n for n in {*range(100), job.seed} if guess(job, n).number(0, 1, 0) == rolls] == found
        assert job.key is None or job.key not in repr(job)


class ReadsFrames:
    """A Python object, which plays in the referee's process, and finds its dice there."""

    def step(self, state):
        frame = sys._getframe()
        while "rolls" not in frame.f_locals:
            frame = frame.f_back
        rolls = frame.f_locals["rolls"]
        roll = state.child(state.legal_actions()[0])
        if len(state.legal_actions()) < 2 or not roll.is_chance_node():
            return state.legal_actions()[0]
        number = rolls._dice.number(rolls._causer, rolls._turn, rolls._event)
        lost = outcome_at(roll.chance_outcomes(), number) == 0
        return 1 if lost else 0


def test_who_reads_the_dice_is_marked_by_its_luck():
    agents = {"cheat": lambda game, seat, seed: ReadsFrames(), "honest": "greedy"}
    result = tournament("pig(winscore=40)", agents, pairs=24, luck="heuristic")
    luck = {result.agents[line.agent]: line for line in result.lucks}
    assert luck["cheat"].mean == -luck["honest"].mean
    assert luck["cheat"].exceeds_chance
    assert not luck["honest"].exceeds_chance
    assert f"Luckier than chance allows: cheat (z {luck['cheat'].z:+.1f})" in str(result)
    told = result.to_dict()["luck"]["agents"]
    assert [(each["agent"], each["exceeds_chance"]) for each in told] == [("cheat", True), ("honest", False)]


def test_a_secret_run_is_repeated_by_the_key_that_it_publishes(tmp_path):
    agents, path = ["random", "greedy"], tmp_path / "a.db"
    during = []

    def look(progress):
        with Store(path, read_only=True) as store:
            during.append(json.dumps(store.runs()))

    one = tournament(PIG, agents, pairs=3, secret=True, store=path, on_pair=look)
    two = tournament(PIG, agents, pairs=3, secret=True)
    assert len(one.key) == 32
    assert one.key != two.key
    assert not any(one.key in seen for seen in during), "a secret while it is played"
    with Store(path, read_only=True) as store:
        assert [run["config"]["key"] for run in store.runs()] == [one.key]
    again = tournament(PIG, agents, pairs=3, key=one.key.upper())
    assert again.key == one.key
    assert again.seed == one.seed == number_of_key(one.key)
    assert again.tally.lengths == one.tally.lengths
    assert again.matrix.tobytes() == one.matrix.tobytes()
    assert f"key {one.key}" in str(one)
    assert again.to_dict()["key"] == one.key
    more = []
    tournament(PIG, agents, pairs=4, key=one.key, store=path, on_pair=more.append)
    assert len(more) == 1, "it goes on where it was"


def stop(progress):
    raise KeyboardInterrupt


def test_strangers_play_no_games_by_a_key_that_the_store_has_shown(tmp_path):
    """Whoever ends the referee early is not to know the dice of the rest."""
    path, agents = tmp_path / "a.db", {"random": "random", "stranger": ENGINE}
    stopped = tournament(PIG, agents, pairs=3, secret=True, store=path, on_pair=stop)
    with pytest.raises(
        StarspielError, match=r"the key is stored in .*a\.db, where agents .* may have read it"
    ):
        tournament(PIG, agents, pairs=3, key=stopped.key, store=path)
    assert tournament(PIG, agents, pairs=1, key=stopped.key, store=path).tally.pairs == 1, "nothing to play"
    elsewhere = tournament(PIG, agents, pairs=1, key=stopped.key)
    assert elsewhere.tally.lengths == stopped.tally.lengths, "it is repeated bit for bit"


def test_a_key_of_ones_own_is_kept_until_all_is_played(tmp_path):
    path, report, agents = tmp_path / "a.db", tmp_path / "a.html", {"random": "random", "stranger": ENGINE}
    stopped = tournament(PIG, agents, pairs=2, key=KEY, store=path, on_pair=stop)
    write_reports([stopped], [report], store=str(path))
    for shown in (path.read_bytes(), report.read_bytes(), settings_file(stopped).encode()):
        assert KEY.encode() not in shown
    for shown in str(stopped), settings_file(stopped):
        assert "key: secret until all is played" in shown.replace("key secret", "key: secret")
    part = tournament(PIG, agents, pairs=2, key=KEY, part="1/2", store=tmp_path / "b.db")
    assert part.key == "", "another part may still be played"
    over = tournament(PIG, agents, pairs=2, key=KEY, store=path)
    assert over.key == KEY
    with Store(path, read_only=True) as store:
        assert store.holds_key(KEY)


def test_a_key_is_for_one_game():
    with pytest.raises(StarspielError, match="each of the 2 games is a tournament: play each with"):
        plans(checked(game=[PIG, "pig"], agents=["random", "greedy"], key=KEY))


class Cluster(InProcess):
    """A stand-in for one of Ray's, which is slow to start."""

    keeps_secrets = RayCluster.keeps_secrets


def test_no_key_is_sent_to_a_cluster_where_strangers_play():
    with pytest.raises(
        StarspielError, match=r"not secret in a Cluster: .* including stranger\. Play with workers"
    ):
        tournament(PIG, {"one": "random", "stranger": ENGINE}, pairs=1, secret=True, engine=Cluster())
    assert tournament(PIG, ["random", "greedy"], pairs=1, secret=True, engine=Cluster()).key


def test_a_secret_begins_no_other_tournament_unasked(tmp_path):
    agents, path = ["random", "greedy"], tmp_path / "a.db"
    with pytest.raises(StarspielError, match="the parts of a tournament need one: give all of"):
        tournament(PIG, agents, pairs=2, secret=True, part="1/2")
    tournament(PIG, agents, pairs=1, secret=True, store=path)
    held = path.read_bytes()
    with pytest.raises(
        StarspielError, match=r"a\.db exists, and secret would begin another tournament in it"
    ):
        tournament(PIG, agents, pairs=2, secret=True, store=path)
    assert path.read_bytes() == held


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"key": "1"}, "32 hexadecimal digits"),
        ({"key": "g" * 32}, "32 hexadecimal digits"),
        ({"key": KEY, "secret": True}, "give one of them"),
    ],
)
def test_keys_that_are_none(wrong, says):
    with pytest.raises(StarspielError, match=says):
        tournament(PIG, ["random", "greedy"], pairs=1, **wrong)


def test_a_secret_run_that_is_asked_to_end_leaves_its_key(tmp_path):
    path = tmp_path / "a.db"
    command = [sys.executable, "-c", "from starspiel.cli.app import main; main()", "tournament", PIG]
    command += ["--agents", "random", "greedy", "--pairs", "100000", "--secret", "--json", "--store", path]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    while not (path.exists() and Store(path, read_only=True).count()):
        assert running.poll() is None
        time.sleep(0.05)
    running.terminate()
    shown, _ = running.communicate()
    assert running.returncode == 130
    with Store(path, read_only=True) as store:
        assert [run["config"]["key"] for run in store.runs()] == [json.loads(shown)["key"]]


def test_a_key_is_read_from_standard_input(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{KEY.upper()}\n"))
    command = ["tournament", PIG, "--agents", "random", "greedy", "--pairs", "1", "--key", "-", "--json"]
    assert json.loads(output(capsys, *command))["key"] == KEY


def test_a_slip_in_a_key_does_not_show_the_rest() -> None:
    with pytest.raises(StarspielError, match="hexadecimal digits; got another text of length 31") as refused:
        tournament(PIG, ["random", "star2"], pairs=1, key=KEY[:-1])
    assert KEY[:8] not in str(refused.value)
