import json
import os
import re
import signal
import subprocess
import sys
from functools import partial
from types import SimpleNamespace
from typing import Any

import gymnasium
import pytest

from starspiel.agents.roster import make_bot
from starspiel.cli.hints import numbered
from starspiel.cli.seating import PEOPLE
from starspiel.cli.session import Session
from starspiel.cli.web_table import WebTable
from starspiel.envs.errors import StarspielError
from starspiel.evaluation.starting import listening

QUICK = "star2(depth=1)"


def seat(monkeypatch, bot) -> None:
    """Has the bot play by the name "mine"."""
    made = {"mine": lambda *_: bot}
    monkeypatch.setattr(
        "starspiel.cli.opponents.make_bot", lambda spec, *more: made.get(spec, make_bot)(*([spec, *more]))
    )


@pytest.fixture
def play(run, monkeypatch, tmp_path):
    """Runs `starspiel play` on the given lines of input; (exit code, stdout, stderr)."""
    monkeypatch.chdir(tmp_path)
    return partial(run, "play")


@pytest.mark.parametrize(
    ("game", "seat"),
    [
        ("star_pig(goal=5)", "1"),
        ("pig(winscore=5)", "0"),
        ("knucklebones(rows=2)", "1"),
        ("dice(size=3,line=3)", "0"),
        ("2048(max_tile=16)", ""),
    ],
)
def test_a_game_is_played_to_its_end(play, game, seat) -> None:
    opponent = ("--opponent", QUICK) if seat else ()
    code, out, err = play(game, "--seat", seat or "0", *opponent, lines="1\n2\n3\n4\n" * 200)
    assert (code, err) == (0, "")
    last = out.rstrip().splitlines()[-1]
    assert last.startswith(("you win", "you lose", "a draw") if seat else "the game is over, with ")
    assert not seat or f"player {1 - int(seat)} ({QUICK}):" in out


def test_three_play_to_the_end_each_by_an_agent_of_its_own(play) -> None:
    agents = ("--opponent", QUICK, "--opponent", "random")
    code, out, err = play("pig(players=3,winscore=9)", "--seat", "1", *agents, lines="1\n2\n" * 60)
    assert (code, err) == (0, "")
    assert f"against {QUICK} and random, seed 1" in out
    assert "you are player 1." in out
    assert f"player 0 ({QUICK}): " in out
    assert "player 2 (random): " in out
    assert out.rstrip().splitlines()[-1] in ("you win.", "you lose (return -0.5).")
    code, out, _ = play("maedn(players=4)", "--opponent", "greedy", lines="h\n" + "1\n" * 6 + "q\n")
    assert {f"player {seat} (greedy): " in out for seat in (1, 2, 3)} == {True}
    assert "as player" not in out, "a hint's values are the player's own"


GOOFSPIEL = "goofspiel(imp_info=False,num_cards=4)"


@pytest.mark.parametrize("seat", ["0", "1"])
def test_moves_made_at_once_are_shown_when_both_are_made(play, seat) -> None:
    code, out, err = play(GOOFSPIEL, "--seat", seat, "--opponent", QUICK, lines="4\n1\n1\n")
    assert code == 0
    assert "all moves look alike" in err
    turns = [line.partition("> ")[2] or line for line in out.splitlines() if "Bid: " in line and " (" in line]
    named = [f"player {player} ({'you' if str(player) == seat else QUICK}): [P{player}]" for player in (0, 1)]
    assert [line[: len(name)] for line, name in zip(turns, named * 3, strict=True)] == named * 3
    assert turns[int(seat)].endswith("Bid: 4")
    listed = [line for line in out.splitlines() if line.startswith("  1 ")]
    assert all(f"[P{seat}]" in line and f"[P{1 - int(seat)}]" not in line for line in listed)
    assert out.rstrip().splitlines()[-1].startswith(("you win", "you lose", "a draw"))


def test_games_that_no_search_plays_are_played_without_hints(play) -> None:
    code, _, err = play("matrix_pd")
    assert code == 2
    assert re.search("not zero-sum: .*Try --opponent random", err)
    code, out, err = play("matrix_pd", "--opponent", "random", "--seed", "1", lines="h\n1\n")
    assert (code, err) == (0, "")
    assert "no hint: matrix_pd has simultaneous moves and is not zero-sum" in out
    assert out.endswith("all players have the same return, 5.\n")
    out = play("matrix_pd", "--opponent", "random", "--seed", "1", lines="2\n")[1]
    assert out.endswith("\nyou get 10, player 1 gets 0.\n"), "nobody wins what the other need not lose"
    others = ("--opponent", "random", "--opponent", "random")
    code, out, err = play("goofspiel(imp_info=false,players=3,num_cards=3)", *others, lines="1\n" * 3)
    assert (code, err) == (0, "")
    assert out.rstrip().splitlines()[-1].startswith(("you win", "you lose", "player", "a draw"))
    assert not WebTable(Session("matrix_pd", "random")).about()["hinted"]


def test_a_hint_for_moves_made_at_once_is_the_own_mixed_strategy(play) -> None:
    _, out, _ = play("matrix_brps", "--seat", "1", "--opponent", "random", lines="h\nq\n")
    assert re.search(r"1 +Rock +6\.25 %", out)
    assert re.search(r"2 +Paper +62\.50 %", out)
    assert out.count("player 1\n") == 1 or out.count("player 1 ") >= 1
    assert "player 0\n" not in out
    assert re.search(r"2 +Paper +62\.50 % +[+−]0\.000", out), "values are the player's own"
    assert re.search(r"would play 2 Paper: equity [+−]0\.000", out), "so is that of the position"


def test_the_agent_is_not_told_a_move_that_is_made_at_once(play, monkeypatch) -> None:
    seen: list[Any] = []
    told: list[Any] = []
    bot = SimpleNamespace(
        step=lambda state: seen.append((state.history(), state.current_player())) or 0,
        inform_actions=lambda state, actions: told.append((state.history(), actions)),
    )
    seat(monkeypatch, bot)
    play("oshi_zumo(coins=4,size=2,horizon=3)", "--opponent", "mine", lines="3\n1\n1\n")
    assert seen[:2] == [([], -2), ([2, 0], -2)]
    assert told[:2] == [([], [2, 0]), ([2, 0], [0, 0])]


def test_moves_made_at_once_are_undone_saved_and_resumed(tmp_path) -> None:
    session = Session(GOOFSPIEL, "random", seat=1, seed=4)
    session.event()
    for name in ("3", "2"):
        session.move(name)
        while not session.persons_turn:
            session.event()
    assert len(session.history) == 7
    session.save(tmp_path / "a")
    assert Session.load(tmp_path / "a").log == session.log
    session.move("1")
    assert not session.persons_turn
    session.undo()
    assert (session.persons_turn, len(session.history)) == (True, 7), "a choice is taken back by itself"
    session.undo()
    assert session.history == [*session.history[:1], *session.history[1:3], session.history[3]]
    assert len(session.history) == 4
    assert session.persons_turn
    cut = json.loads((tmp_path / "a").read_text())
    (tmp_path / "b").write_text(json.dumps(cut | {"history": cut["history"][:2]}))
    with pytest.raises(StarspielError, match="ends in the middle of a simultaneous move"):
        Session.load(tmp_path / "b")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("pig(players=3)", "--opponent", "random", "--opponent", "star3"), "Did you mean"),
        (
            ("pig(players=4)", *("--opponent", "random") * 2),
            "one --opponent for all other seats, or 3, got 2",
        ),
        (("pig", *("--opponent", "random") * 2), "expected one --opponent, got 2"),
        (("pig(players=3)", "--seat", "3"), r"seat must be in 0\.\.2, got 3"),
        (("matrix_mp", "--opponent", "human"), "moves, which people at one screen cannot make unseen"),
    ],
)
def test_opponents_that_do_not_fit_the_seats(play, arguments, says) -> None:
    code, _, err = play(*arguments)
    assert code == 2
    assert re.search(says, err)


def test_an_environment_draws_its_own_board_and_names_its_actions(play, monkeypatch) -> None:
    code, out, err = play("FrozenLake-v1(is_slippery=false)", lines="move right\n2\nq\n")
    assert (code, err) == (0, "")
    assert "\n[S]FFF\nFHFH\nFFFH\nHFFG\nstate 0, return 0\n" in out
    assert "S[F]FF" in out
    assert "1 Move left     2 Move down     3 Move right     4 Move up" in out
    assert "the game is over, with a return of 0." in out  # in the hole
    assert "\x1b" not in out
    monkeypatch.setenv("FORCE_COLOR", "1")
    _, out, _ = play("FrozenLake-v1(is_slippery=false)", lines="3\nq\n")
    assert "\x1b[41mS\x1b[0mFFF" in out
    assert "S\x1b[41mF\x1b[0mFF" in out


def test_moves_by_number_and_by_name_hint_help_and_nonsense(play) -> None:
    told = play(
        "star_pig(goal=5)", "--opponent", PEOPLE, "--hint", "star1(depth=2)", lines="?\nh\nROLL\nb\nm\n"
    )
    for words in ("this list", "star1, depth 2, would play 1 roll", "dice: rolled"):
        assert words in told[1]
    rows = [line.split() for line in told[1].splitlines() if line.split()[1:2] in (["roll"], ["stop"])]
    assert sorted(row[:2] for row in rows if row[3:] == ["%"]) == [["1", "roll"], ["2", "stop"]]
    code, out, _ = play("star_pig", lines="stpo\n9\n2\n")
    assert code == 0
    assert "no move 'stpo': answer with 1 to 2, or a move's name. Did you mean 'stop'?" in out
    assert "no move '9'" in out


@pytest.mark.parametrize("answer", ["{}", "{}/1", "24/{}", "8/4({})"])
def test_a_number_longer_than_python_reads_is_no_move(play, answer: str) -> None:
    game, huge = ("star_pig" if answer == "{}" else "backgammon"), answer.format("9" * 5000)
    code, out, _ = play(game, "--opponent", PEOPLE, lines=f"{huge}\nm\n")
    assert code == 0
    assert f"no move '{huge[:199]}…: answer with 1 to " in " ".join(out.split())


def test_undo_goes_back_to_the_last_decision_and_the_dice_fall_again_alike(play) -> None:
    _, out, _ = play("star_pig", "--opponent", PEOPLE, lines="roll\nu\nu\nroll\n")
    throws = [line for line in out.splitlines() if "dice:" in line]
    assert len(throws) == 2
    assert throws[0].split("dice:")[1] == throws[1].split("dice:")[1]
    assert "nothing to undo" in out


def test_quitting_saves_and_resuming_goes_on_as_it_would_have(play, tmp_path) -> None:
    everything = play("star_pig(goal=20)", "--opponent", QUICK, "--seed", "5", lines="1\n2\n" * 50)[1]
    code, out, _ = play("star_pig(goal=20)", "--opponent", QUICK, "--seed", "5", lines="1\n2\nq\n")
    assert code == 0
    assert "starspiel play --resume star_pig.play.json" in out
    saved = json.loads((tmp_path / "star_pig.play.json").read_text())
    assert saved["game"] == "star_pig(goal=20)"
    rest = play("--resume", "star_pig.play.json", lines="1\n2\n" * 50)[1]
    assert rest.rstrip().splitlines()[-3:] == everything.rstrip().splitlines()[-3:]
    assert "saved" not in rest


def test_a_game_of_an_environment_in_a_module_is_resumed(play, tmp_path) -> None:
    (tmp_path / "lakes.py").write_text(
        "import gymnasium\n"
        "from gymnasium.envs.toy_text.frozen_lake import FrozenLakeEnv\n"
        "gymnasium.register('Pond-v0', FrozenLakeEnv)\n"
    )
    code, out, err = play("lakes:Pond-v0", lines="1\nq\n")
    assert code == 0, err
    assert "--resume Pond-v0.play.json" in out
    gymnasium.registry.pop("Pond-v0")  # as in another process
    sys.modules.pop("lakes")
    code, out, err = play("--resume", "Pond-v0.play.json", lines="q\n")
    assert code == 0, err


def test_a_game_is_saved_over_itself_and_over_no_other(play, tmp_path) -> None:
    assert play("knucklebones", lines="q\n")[0] == 0
    assert not list(tmp_path.iterdir()), "no move was made"
    for name in ("star_pig.play.json", "star_pig.2.play.json"):
        assert f"--resume {name}" in play("star_pig", lines="1\n")[1]
    play("star_pig", "--save", "mine.json", lines="1\n")
    before = (tmp_path / "mine.json").read_text()
    code, out, _ = play("--resume", "mine.json", "--save", "./mine.json", lines="1\n1\n2\nq\n")
    assert code == 0
    assert "saved" in out
    assert (tmp_path / "mine.json").read_text() != before
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.parametrize(
    ("move", "says"), [("1 / 0", "raised ZeroDivisionError"), ("7", "played 7"), ("None", "played None")]
)
def test_an_opponent_that_fails_costs_no_game(play, tmp_path, monkeypatch, move, says) -> None:
    seat(monkeypatch, SimpleNamespace(step=lambda state: eval(move)))
    code, out, err = play("star_pig", "--opponent", "mine", lines="2\n")
    assert code == 2
    assert f"the agent mine {says}" in err
    assert len(err.strip().splitlines()) == 1
    assert json.loads((tmp_path / "star_pig.play.json").read_text())["history"] == [1]
    assert "saved" in out


def test_ctrl_c_saves_and_leaves_cleanly(tmp_path) -> None:
    command = [sys.executable, "-c", "from starspiel.cli.app import main; main(['play', 'star_pig'])"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=tmp_path, stdin=pipe, stdout=pipe, stderr=pipe) as game:
        game.stdin.write(b"1\n")
        game.stdin.flush()
        seen = b""
        while b"dice:" not in seen:
            piece = os.read(game.stdout.fileno(), 4096)
            assert piece, game.stderr.read()
            seen += piece
        game.send_signal(signal.SIGINT)
        out, err = game.communicate(timeout=60)
    assert game.returncode == 130
    assert err == b""
    assert b"--resume star_pig.play.json" in seen + out
    assert (tmp_path / "star_pig.play.json").exists()


def test_a_bot_with_a_memory_is_told_what_happens_and_where_it_is_put_back(monkeypatch) -> None:
    told: list[Any] = []
    bot = SimpleNamespace(
        step=lambda state: 1,
        inform_action=lambda state, player, action: told.append((player, action)),
        restart_at=lambda state: told.append("put back"),
    )
    seat(monkeypatch, bot)
    session = Session("star_pig", "mine")
    session.move("roll")
    [(_, thrown)] = session.event()
    session.undo()
    assert [told[0], told[1][0], told[2]] == [(0, 0), -1, "put back"]
    session.move("roll")
    assert session.event() == [(-1, thrown)]


def test_backgammon_says_which_side_one_is_and_takes_plays_as_people_write_them(play) -> None:
    code, out, _ = play("backgammon", "--seed", "3", "--opponent", QUICK, lines="24/15\nq\n")
    assert code == 0
    assert "you are player 0: x" in out
    assert "player 1: o" in out
    assert "13   14   15   16   17   18 | bar |" in out
    assert f"player 1 ({QUICK}):" in out.partition("your move>")[2]  # the play was made, and answered
    listed = out.partition("x to move")[2].partition("your move>")[0]
    assert listed.count("24/18/15") == 1


JARS = """
import gymnasium, random
class Jar(gymnasium.Env):
    action_space = gymnasium.spaces.Discrete(2)
    observation_space = gymnasium.spaces.Discrete(100)
    def __init__(self, dice="seeded"):
        self.dice = random.SystemRandom() if dice == "own" else None
    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.throws, self.eyes = 0, 0
        return 0, {}
    def step(self, action):
        self.throws += 1
        if action:
            self.eyes = self.dice.randrange(90) if self.dice else int(self.np_random.integers(90))
        return self.eyes, float(self.eyes), self.throws == 4, False, {}
"""


def test_an_environment_that_is_sampled_throws_its_own_dice_as_its_seed_has_them(play, tmp_path) -> None:
    (tmp_path / "jars.py").write_text(JARS)
    code, out, err = play("jars:Jar", "--seed", "5", "--save", "jar.json", lines="h\n2\nu\n2\n1\nq\n")
    assert (code, err) == (0, "")
    assert "star2ss(width=10), depth 2" in out
    env = sys.modules["jars"].Jar()
    env.reset(seed=5)
    steps = [env.step(action)[:2] for action in (1, 0, 1, 1)]
    start, *shown = ["observation: 0", *(f"observation: {eyes}" for eyes, _ in steps)]
    assert _observations(out) == [start, shown[0], start, *shown[:2]]
    out = play("--resume", "jar.json", lines="2\n2\n")[1]
    assert _observations(out) == shown[1:]
    assert out.endswith(f"the game is over, with a return of {sum(reward for _, reward in steps):g}.\n")


def _observations(out: str) -> list[str]:
    return [line for line in out.splitlines() if line.startswith("observation")]


def test_dice_that_no_seed_decides_are_neither_undone_nor_saved(play, tmp_path) -> None:
    (tmp_path / "jars.py").write_text(JARS)
    code, out, err = play("jars:Jar(dice=own,own_dice=true)", lines="2\nu\nq\n")
    assert (code, err) == (0, "")
    assert "has dice that no seed controls (own_dice), so its games cannot be undone." in out
    assert "not saved: the dice of jars:Jar(dice=own,own_dice=true) do not follow from a seed" in out


def test_a_long_list_of_moves_is_folded_and_m_unfolds_it(play) -> None:
    _, out, _ = play("go(board_size=9)", "--opponent", "human", lines="m\nq\n")
    folded, _, unfolded = out.partition("and 42 more moves: m lists all of them.")
    assert "40 B" in folded
    assert "41 B" not in folded
    assert "82 B PASS" in unfolded
    assert " 9 +++++++++" in folded


def test_it_is_said_which_agents_start_slowly_and_why() -> None:
    told: list[str] = []
    with listening(told.append):
        Session("pig(winscore=5)", "auto", hint=QUICK)
    assert told == ["starting auto: a small game is solved first", f"starting {QUICK}"]


@pytest.mark.parametrize("hint", ["uct(simulations=300)", "mcts(simulations=300)"])
def test_a_hint_counts_the_simulations_of_all_actions_of_a_move(hint) -> None:
    session = Session("backgammon", "random", hint=hint)
    while not session.persons_turn:
        session.event()
    found = session._hinter.analysis(session.state)
    told = numbered(found, session.plays(), 0)
    assert sum(told.visits.values()) == sum(found.visits.values())
    pairs = [(i, play.actions) for i, play in enumerate(session.plays(), 1) if len(play.actions) == 2]
    assert pairs
    for i, (one, other) in pairs:
        won = found.action_values[one] * found.visits[one] + found.action_values[other] * found.visits[other]
        assert told.action_values[i] == pytest.approx(won / told.visits[i])
