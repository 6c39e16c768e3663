"""Opening books: what is searched, the file, and agents that play by one."""

import copy
import json
from types import SimpleNamespace

import numpy as np
import pyspiel
import pytest

from starspiel.agents.book import Book, BookBot
from starspiel.agents.book.make import make_book
from starspiel.agents.bot import move_chances
from starspiel.agents.conformance import check_bot
from starspiel.agents.roster import bot_maker, make_bot
from starspiel.agents.search import Limits, search
from starspiel.cli.app import main
from starspiel.envs.base import CHANCE
from starspiel.envs.errors import SpecError, StarspielError, UnsupportedGameError
from starspiel.envs.load import load_game
from starspiel.envs.plays import name_of

PIG = "pig(winscore=15)"
BACKGAMMON = "backgammon"


@pytest.fixture(scope="module")
def book():
    return make_book(BACKGAMMON, "star2(depth=1)", positions=45, within=0.0)


@pytest.fixture(scope="module")
def file(book, tmp_path_factory):
    return str(book.save(tmp_path_factory.mktemp("books") / "backgammon"))


def openings():
    start = load_game(BACKGAMMON).new_initial_state()
    return [start.child(outcome) for outcome, _ in start.chance_outcomes()]


def test_the_likeliest_positions_come_first_with_the_move_of_the_search(book):
    game = load_game(BACKGAMMON)
    assert len(book) == 45
    states = openings()
    assert all(book.move(game, state) is not None for state in states)
    for state in states[::7]:
        assert book.move(game, state) == search(state, "star2", Limits(depth=1)).best_action
    after = states[0].child(book.move(game, states[0]))
    assert game.key(after) != game.key(states[0])


def test_the_file_comes_back_whole_or_is_refused(book, file, tmp_path):
    again = Book.load(file)
    assert again.checksum == book.checksum
    assert (again.game, again.agent) == (BACKGAMMON, "star2(depth=1)")
    with np.load(file) as held:
        arrays = dict(held)
    arrays["actions"] = arrays["actions"] + 1
    changed = tmp_path / "changed.npz"
    np.savez(changed, **arrays)
    with pytest.raises(StarspielError, match="its checksum is wrong"):
        Book.load(changed)
    changed.write_bytes(b"PK nothing")
    with pytest.raises(StarspielError, match=r"no file of `starspiel book`, or a damaged one"):
        Book.load(changed)


@pytest.mark.parametrize("agent", ["random", "greedy", "mcts", "star2(depth=1)", "uct(simulations=2)"])
def test_every_agent_plays_the_books_moves_and_then_its_own(agent, file, book):
    game = load_game(BACKGAMMON)
    spec = f"{agent[:-1]},book={file})" if agent.endswith(")") else f"{agent}(book={file})"
    for bot in (make_bot(spec, game, seed=1), bot_maker(spec, game)(0, 1)):
        assert isinstance(bot, BookBot)
        assert isinstance(bot, pyspiel.Bot)
        for state in openings()[:4]:
            move = book.move(game, state)
            assert bot.step(state) == move
            assert dict(bot.get_policy(state))[move] == 1.0
            assert (bot.last_nodes, bot.last_result) == (0, None)


def test_a_search_of_a_position_in_the_book_is_the_books_answer_and_says_so(file, book):
    game, (state, *_) = load_game(BACKGAMMON), openings()
    move, value = book.found(game, state)
    bot = make_bot(f"star2(depth=1,book={file})", game)
    for said in (search(state, book=file), search(state, "star1", book=book), bot.search(state)):
        assert (said.best_action, said.value, said.action_values) == (move, value, {move: value})
        assert (said.algorithm, said.nodes, said.depth, said.exact) == ("book", 0, 0, False)
        assert (said.line, said.names) == (
            (name_of(state, state.current_player(), move),),
            {move: said.line[0]},
        )
        assert "nothing was searched" in said.notes[0]
        assert "book by star2(depth=1): value" in str(said)
    assert search(state, book=file, explain=False).line == ()
    with pytest.raises(StarspielError, match="search without it"):
        said.tree()
    outside = state.child(move).child(3)
    assert book.found(game, outside) is None
    with_book, without = (search(outside, "star2", Limits(depth=1), book=each) for each in (file, None))
    assert (with_book.algorithm, with_book.action_values) == ("star2", without.action_values)
    assert bot.search(outside).action_values == bot.outside.search(outside).action_values
    for wrong, said in ((3, "book must name a file"), ("nothing.npz", "cannot read the book nothing.npz")):
        with pytest.raises(StarspielError, match=said):
            search(state, book=wrong)
    with pytest.raises(StarspielError, match="this is a book of backgammon, the game to be played is pig"):
        search(load_game(PIG).new_initial_state(), book=book)
    with pytest.raises(StarspielError, match="cannot search from a chance node"):
        search(game.new_initial_state(), book=book)


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as caught:
        main(list(arguments))
    out, err = capsys.readouterr()
    return caught.value.code, out, err


@pytest.mark.parametrize("agent", ["star2(depth=1,book=", "rollout(n=2,depth=1,book="])
def test_analyze_shows_the_books_answer_and_out_of_the_book_the_agents(capsys, file, book, agent):
    game, (state, *_) = load_game(BACKGAMMON), openings()
    given = ("analyze", BACKGAMMON, "--agent", f"{agent}{file})", "--history")
    code, out, err = run(capsys, *given, "0")
    assert (code, err) == (0, "")
    assert "book by star2(depth=1)" in out
    assert "nothing was searched" in out
    code, out, _ = run(capsys, *given, "0", "--json")
    answer = json.loads(out)
    assert (code, answer["algorithm"], answer["best_action"]) == (0, "book", book.move(game, state))
    code, out, _ = run(capsys, *given, f"0,{book.move(game, state)},3", "--json")
    answer = json.loads(out)
    assert (code, len(answer.get("moves", answer.get("action_values"))) > 1) == (0, True)
    code, _, err = run(capsys, *given, "0", "--tree", "tree.svg")
    assert (code, err.count("\n")) == (2, 1)
    assert "in the book, so it is not searched: leave out book=" in err or agent.startswith("rollout")


def test_hints_are_the_books_in_the_book(file, book):
    from starspiel.cli.session import Session

    session = Session(BACKGAMMON, "human", hint=f"star2(depth=1,book={file})")
    while session.state.is_chance_node():
        session.event()
    result = session.hint()
    assert result.algorithm == "book"
    played = session.plays()[result.best_action - 1]
    assert book.move(load_game(BACKGAMMON), session.state) in played.actions


def test_out_of_the_book_it_is_the_agent_itself(file, book):
    game = load_game(BACKGAMMON)
    state = game.new_initial_state()
    draw = np.random.default_rng(3)
    while state.current_player() == CHANCE or book.move(game, state) is not None:
        of = state.chance_outcomes() if state.is_chance_node() else [(a, 1) for a in state.legal_actions()]
        state = state.child(int(draw.choice([action for action, _ in of])))
    with_book, without = (make_bot(f"star2(depth=1{more})", game, seed=1) for more in (f",book={file}", ""))
    assert with_book.step(state) == without.step(state)
    assert with_book.last_result.action_values == without.last_result.action_values
    assert copy.deepcopy(with_book).step(state) == without.step(state)
    report = check_bot(f"greedy(evaluator=heuristic,book={file})", game, games=1)
    assert report.ok, str(report)


def test_an_agent_that_has_only_step_takes_a_book(book):
    class First:
        def step(self, state):
            return state.legal_actions()[0]

    game = load_game(BACKGAMMON)
    state = openings()[0]
    empty = SimpleNamespace(move=lambda game, state: None)
    for held, move in ((book, book.move(game, state)), (empty, state.legal_actions()[0])):
        bot = BookBot(game, First(), held)
        bot.restart()
        assert not bot.provides_policy()
        assert move_chances(bot, state) == {move: 1.0}


@pytest.mark.parametrize(
    ("given", "kind", "problem"),
    [
        ({"game": PIG, "positions": 0}, SpecError, "positions must be a whole number of at least 1, got 0"),
        ({"game": PIG, "within": -1.0}, SpecError, "within must be at least 0"),
        ({"game": PIG, "agent": "random"}, StarspielError, "a book needs a search"),
        ({"game": PIG, "agent": "star2(book={book})"}, StarspielError, "leave book= out of"),
        ({"game": "Blackjack-v1(hidden=seen)"}, UnsupportedGameError, "no list of its chance outcomes"),
    ],
)
def test_what_cannot_be_is_refused_in_words(given, kind, problem, tmp_path):
    if "book=" in given.get("agent", ""):
        file = make_book(PIG, "star2(depth=1)", positions=1).save(tmp_path / "pig")
        given = given | {"agent": given["agent"].format(book=file)}
    with pytest.raises(kind) as caught:
        make_book(**given)
    assert problem in str(caught.value)


def test_the_command_writes_a_book_that_an_agent_takes(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as caught:
        main(["book", PIG, "--agent", "star2(depth=2)", "--positions", "5", "--json"])
    answer = json.loads(capsys.readouterr().out)
    assert caught.value.code == 0
    assert (answer["file"], answer["positions"], answer["game"]) == ("pig.book.npz", 5, PIG)
    assert answer["bytes"] < 5000
    start = load_game(PIG).new_initial_state()
    assert make_bot("random(book=pig.book.npz)", PIG).step(start) in (0, 1)
    held = (tmp_path / "pig.book.npz").read_bytes()
    for given, said in (
        (["-o", "nowhere/book"], "there is no folder nowhere"),
        ([], "pig.book.npz already exists; name another file with --output"),
        (["-o", "pig.book"], "pig.book.npz already exists"),
    ):
        code, _, err = run(capsys, "book", PIG, *given)
        assert (code, err.count("\n")) == (2, 1)
        assert said in err
    assert (tmp_path / "pig.book.npz").read_bytes() == held


def test_moves_nearly_as_good_are_followed_and_rollouts_make_books():
    narrow, wide = (make_book(PIG, "star2(depth=2)", positions=400, within=near) for near in (0.0, 9.0))
    assert len(narrow) < len(wide) <= 400
    assert set(narrow.hashes) <= set(wide.hashes)
    made = make_book(PIG, "rollout(n=9,depth=2)", positions=2)
    assert (len(made), made.agent) == (2, "rollout(depth=2,n=9)")
    assert made.move(load_game(PIG), load_game(PIG).new_initial_state()) in (0, 1)
