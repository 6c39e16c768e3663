import io
import json
import os
import signal
import subprocess
import sys

import gymnasium
import pytest

from starspiel.agents.roster import make_bot
from starspiel.cli.app import main
from starspiel.cli.session import PEOPLE, Session
from starspiel.envs.errors import StarspielError

QUICK = "star2(depth=1)"


def seat(monkeypatch, bot) -> None:
    """Has the bot play by the name "mine"."""
    made = {"mine": lambda *_: bot}
    monkeypatch.setattr(
        "starspiel.cli.session.make_bot", lambda spec, *more: made.get(spec, make_bot)(*([spec, *more]))
    )


@pytest.fixture
def play(monkeypatch, capsys, tmp_path):
    """Runs `starspiel play` on the given lines of input; (exit code, stdout, stderr)."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, lines: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
        with pytest.raises(SystemExit) as exit_:
            main(["play", *arguments])
        out, err = capsys.readouterr()
        return int(exit_.value.code or 0), out, err

    return run


@pytest.mark.parametrize(
    "game",
    [
        "star_pig(goal=5)",
        "pig(winscore=5)",
        "knucklebones(rows=2)",
        "dice(size=3,line=3)",
        "cant_stop(sides=2)",
    ],
)
@pytest.mark.parametrize("seat", ["0", "1"])
def test_a_game_is_played_to_its_end(play, game, seat) -> None:
    code, out, err = play(game, "--seat", seat, "--opponent", QUICK, lines="1\n2\n" * 400)
    assert code == 0, err
    assert err == ""
    assert out.rstrip().splitlines()[-1].startswith(("you win", "you lose", "a draw"))
    assert f"player {1 - int(seat)} ({QUICK}):" in out


def test_one_player_games_need_no_opponent(play) -> None:
    code, out, _ = play("2048(max_tile=16)", lines="1\n2\n3\n4\n" * 100)
    assert code == 0
    assert out.rstrip().splitlines()[-1].startswith("over: return ")


def test_an_environment_draws_its_own_board_and_names_its_actions(play, monkeypatch) -> None:
    code, out, err = play("FrozenLake-v1(is_slippery=false)", lines="move right\n2\nq\n")
    assert (code, err) == (0, "")
    assert "\n[S]FFF\nFHFH\nFFFH\nHFFG\nstate 0, return 0\n" in out
    assert "S[F]FF" in out
    assert "1 Move left     2 Move down     3 Move right     4 Move up" in out
    assert "over: return 0." in out  # in the hole
    assert "\x1b" not in out
    monkeypatch.setenv("FORCE_COLOR", "1")
    _, out, _ = play("FrozenLake-v1(is_slippery=false)", lines="3\nq\n")
    assert "\x1b[41mS\x1b[0mFFF" in out
    assert "S\x1b[41mF\x1b[0mFF" in out


def test_moves_by_number_and_by_name_hint_help_and_nonsense(play) -> None:
    code, out, _ = play("star_pig", "--opponent", PEOPLE, lines="?\nh\nROLL\nb\nm\nstpo\n9\n2\n")
    assert code == 0
    assert "this list" in out
    assert "value +0.0" in out
    assert "dice: rolled" in out
    assert "no move 'stpo': answer with 1 to 2, or a move's name. Did you mean 'stop'?" in out
    assert "no move '9'" in out


def test_hints_value_every_move(play) -> None:
    _, out, _ = play("dice(size=3,line=3)", "--hint", "star1(depth=2)", lines="h\n")
    assert "star1, depth 2" in out
    assert out.count("row ") >= 6  # three moves in the list, three in the hint


def test_a_hint_has_the_numbers_of_the_menu_and_says_what_would_be_played(play) -> None:
    _, out, _ = play("star_pig(goal=5)", "--opponent", PEOPLE, "--hint", "star2(depth=2)", lines="h\n")
    rows = [line.split() for line in out.splitlines() if line.split()[1:2] in (["roll"], ["stop"])]
    assert sorted(row[:2] for row in rows if len(row) == 3) == [["1", "roll"], ["2", "stop"]]
    assert "would play 1 roll" in out


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


def test_a_game_of_an_environment_in_a_module_is_taken_up_again(play, tmp_path) -> None:
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


def test_the_end_of_input_saves_too_and_never_over_another_game(play, tmp_path) -> None:
    for name in ("star_pig.play.json", "star_pig.2.play.json"):
        code, out, _ = play("star_pig", lines="1\n")
        assert code == 0
        assert f"--resume {name}" in out
    assert len(list(tmp_path.iterdir())) == 2
    play("star_pig", "--save", "mine.json", lines="1\n")
    assert (tmp_path / "mine.json").exists()


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("no/such/x.json", "there is no folder no/such"),
        (".", "that is a folder"),
        ("precious.txt", "it exists already"),
    ],
)
def test_where_to_save_is_checked_before_the_game(play, tmp_path, target, message) -> None:
    (tmp_path / "precious.txt").write_text("mine")
    code, out, err = play("star_pig", "--save", target, lines="1\nq\n")
    assert (code, out) == (2, "")
    assert message in err
    assert (tmp_path / "precious.txt").read_text() == "mine"


def test_a_resumed_game_is_saved_over_itself_and_over_no_other(play, tmp_path) -> None:
    play("star_pig", "--save", "mine.json", lines="1\nq\n")
    (tmp_path / "other.json").write_text("{}")
    assert play("--resume", "mine.json", "--save", "other.json")[0] == 2
    before = (tmp_path / "mine.json").read_text()
    code, out, _ = play("--resume", "mine.json", "--save", "./mine.json", lines="1\n1\n2\nq\n")
    assert code == 0
    assert "saved" in out
    assert (tmp_path / "mine.json").read_text() != before


@pytest.mark.parametrize("move", ["1 / 0", "7", "None"])
def test_an_opponent_that_fails_costs_no_game(play, tmp_path, monkeypatch, move) -> None:
    class Failing:
        def step(self, state) -> object:
            return eval(move)

    seat(monkeypatch, Failing())
    code, out, err = play("star_pig", "--opponent", "mine", lines="2\n")
    assert code == 2
    assert "the agent mine" in err
    assert len(err.strip().splitlines()) == 1
    assert json.loads((tmp_path / "star_pig.play.json").read_text())["history"] == [1]
    assert "saved" in out


def test_a_game_without_a_move_leaves_no_file(play, tmp_path) -> None:
    assert play("knucklebones", lines="q\n")[0] == 0
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "name a game"),
        (("star_pig", "--resume", "x"), "not both"),
        (("star_pgi",), "star_pgi"),
        (("star_pig", "--opponent", "star3"), "star3"),
        (("star_pig", "--opponent", "star2(depth="), "star2(depth="),
        (("2048", "--opponent", "nonsense("), "is for one player: leave --opponent out"),
        (("star_pig", "--seat", "2"), "seat must be in 0..1"),
        (("star_pig", "--hint", "random"), "--hint must be a search agent"),
        (("--resume", "missing.json"), "cannot resume from missing.json"),
        (("--resume", "bad.json"), "is not a game saved by starspiel play"),
        (("--resume", "illegal.json"), "action 2, 9, is not legal"),
        (("--resume", "good.json", "--seat", "1"), "are those of the saved game"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_code_2(play, tmp_path, arguments, message) -> None:
    saved = {"game": "star_pig", "opponent": QUICK, "seat": 0, "seed": 1, "history": [0, 9]}
    (tmp_path / "illegal.json").write_text(json.dumps(saved))
    (tmp_path / "good.json").write_text(json.dumps({**saved, "history": []}))
    (tmp_path / "bad.json").write_text('{"game": 3}')
    code, out, err = play(*arguments)
    assert code == 2
    assert out == ""
    assert message in err
    assert len(err.strip().splitlines()) == 1


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
    class Bot:
        def __init__(self) -> None:
            self.told: list[tuple[int, int]] = []
            self.put_back = 0

        def step(self, state) -> int:
            return 1

        def inform_action(self, state, player, action) -> None:
            self.told.append((player, action))

        def restart_at(self, state) -> None:
            self.put_back += 1

    bot = Bot()
    seat(monkeypatch, bot)
    session = Session("star_pig", "mine")
    session.move("roll")
    _, thrown = session.event()
    assert bot.told[0] == (0, 0)
    assert bot.told[1][0] == -1
    session.undo()
    assert bot.put_back == 1
    session.move("roll")
    assert session.event()[1] == thrown


def test_a_cheating_agent_is_named(monkeypatch) -> None:
    class Cheat:
        def step(self, state) -> int:
            return 7

    seat(monkeypatch, Cheat())
    session = Session("star_pig", "mine")
    session.move("stop")
    with pytest.raises(StarspielError, match="the agent mine played 7"):
        session.event()


def test_backgammon_says_which_side_one_is_and_takes_plays_as_people_write_them(play) -> None:
    code, out, _ = play("backgammon", "--seed", "3", "--opponent", QUICK, lines="24/15\nq\n")
    assert code == 0
    assert "you are player 0: x" in out
    assert "player 1: o" in out
    assert "13   14   15   16   17   18 | bar |" in out
    assert f"player 1 ({QUICK}):" in out.partition("player 0>")[2]  # the play was made, and answered
    listed = out.partition("x to move")[2].partition("player 0>")[0]
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
    assert out.endswith(f"over: return {sum(reward for _, reward in steps):g}.\n")


def _observations(out: str) -> list[str]:
    return [line for line in out.splitlines() if line.startswith("observation")]


def test_where_no_seed_decides_the_dice_nothing_is_undone_or_saved(play, tmp_path) -> None:
    (tmp_path / "jars.py").write_text(JARS)
    code, out, err = play("jars:Jar(dice=own,own_dice=true)", lines="2\nu\nq\n")
    assert (code, err) == (0, "")
    assert "throws dice that no seed decides (own_dice), so a game of it cannot be undone." in out
    assert "not saved: the dice of jars:Jar(dice=own,own_dice=true) do not follow from a seed" in out


def test_a_port_needs_a_page(play) -> None:
    code, _, err = play("star_pig", "--port", "9")
    assert code == 2
    assert "--port is for --web" in err
