"""Tables of backgammon's bear-off as an evaluator, and inside searches."""

import pytest
from support.positions import played_by_pips

from starspiel.agents.bearoff.men import sides
from starspiel.agents.bearoff.tables import MOST_ROLLS
from starspiel.agents.evaluators import make_evaluator
from starspiel.agents.evaluators.bearoff import BearoffEvaluator, _turns
from starspiel.agents.roster import make_bot
from starspiel.agents.search import Limits, search
from starspiel.envs.base import CHANCE, possible_outcomes
from starspiel.envs.errors import SpecError
from starspiel.envs.load import load_game

GAME = "backgammon"


@pytest.fixture(scope="module")
def game():
    return load_game(GAME)


@pytest.fixture(scope="module")
def line(game):
    """The states of a game played by pips, from the first to the last."""
    return played_by_pips(game, seed=4)


@pytest.fixture(scope="module")
def bearoff(game):
    return make_evaluator("bearoff(evaluator=heuristic)", game)


def held(bearoff, line):
    return [state for state in line if not state.is_terminal() and bearoff.known(state) is not None]


def test_it_is_the_other_evaluator_until_all_are_home_and_then_the_table(bearoff, line):
    plain = make_evaluator("heuristic", GAME)
    known = held(bearoff, line)
    assert 4 < len(known) < len(line) // 2
    assert known == line[line.index(known[0]) : -1]
    before = line[: line.index(known[0])]
    assert bearoff.batch_values(before[1::7]) == [plain(state) for state in before[1::7]]
    assert all(-1.0 <= bearoff(state) <= 1.0 for state in known)
    assert bearoff(line[-1]) == line[-1].returns()[0]
    assert bearoff.batch_values([line[1], known[0], line[2]]) == [
        bearoff(each) for each in (line[1], known[0], line[2])
    ]


def test_with_few_men_left_the_values_keep_their_own_equation(bearoff, line):
    """Perfect play: a throw is worth the mean over its dice, a decision its best move."""
    few = [
        state
        for state in held(bearoff, line)
        if state.current_player() == CHANCE and min(side[0] for side in sides(state, 0)) >= 9
    ]
    assert few
    for state in few:
        mean = sum(chance * bearoff(state.child(outcome)) for outcome, chance in possible_outcomes(state))
        assert bearoff(state) == pytest.approx(mean, abs=1e-9)


def test_searches_use_it_where_it_can_be_met_and_cost_nothing_elsewhere(bearoff, line):
    known = next(state for state in held(bearoff, line) if state.current_player() >= 0)
    limits = Limits(depth=1)
    native, python = (search(known, "star2", limits, bearoff, engine=engine) for engine in ("auto", "python"))
    assert native.action_values == pytest.approx(python.action_values)
    for action, value in native.action_values.items():
        assert value == pytest.approx(bearoff(known.child(action)))
    early = next(state for state in line if state.current_player() >= 0)
    far = search(early, "star2", limits, bearoff)
    plain = search(early, "star2", limits, "heuristic")
    assert far.action_values == plain.action_values
    assert far.evaluator == "bearoff(evaluator=heuristic(backgammon))"
    assert not any("Python" in note for note in far.notes)
    assert bearoff.within(early, 3).name == "heuristic(backgammon)"
    assert bearoff.within(known, 1) is bearoff


def test_turns_are_counted_as_the_game_counts_them(line):
    for state in line[1:-1:7]:
        for more in (0, 1):
            limit = _turns(state) + 2 * MOST_ROLLS + more
            ours = BearoffEvaluator(
                load_game(f"{GAME}(max_player_turns={limit})"), make_evaluator("zero", GAME)
            )
            assert ours._turns_may_run_out(state) == (more == 0)
    assert _turns(line[1]) == 0
    assert _turns(line[2]) == 1


def test_where_turns_run_out_it_knows_nothing(line, bearoff):
    known = held(bearoff, line)[-1]
    short = BearoffEvaluator(load_game("backgammon(max_player_turns=60)"), make_evaluator("zero", GAME))
    assert short.known(known) is None
    with pytest.raises(SpecError, match="bearoff values backgammon, not pig"):
        make_evaluator("bearoff", "pig")


def test_no_move_waits_for_the_tables(monkeypatch):
    made = []
    for table in ("one_sided", "two_sided", "all_on"):
        monkeypatch.setattr(
            f"starspiel.agents.evaluators.bearoff.{table}", lambda table=table: made.append(table)
        )
    make_bot("star2(depth=1)", GAME)
    assert set(made) == {"one_sided", "two_sided", "all_on"}
