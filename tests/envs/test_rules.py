import math

import numpy as np
import pytest
from support.three import Race, Walks

from starspiel.agents import make_bot
from starspiel.agents.search import Limits, search
from starspiel.agents.solve import solve
from starspiel.envs.base import CHANCE, TERMINAL
from starspiel.envs.boards import board_pixels
from starspiel.envs.conformance import check_game
from starspiel.envs.environments.dice_game import DiceGameEnv
from starspiel.envs.errors import RulesError, StarspielError, UnsupportedGameError
from starspiel.envs.games.pig import Pig
from starspiel.envs.load import load_game
from starspiel.envs.rules import Rules
from starspiel.evaluation import tournament


class Coin(Rules[tuple[int, int]]):
    """Bet on a coin; a position is (stage, winner)."""

    name = "coin"
    num_players = 1
    num_distinct_actions = 2

    def __init__(self, chances=((0, 0.5), (1, 0.5)), actions=(0, 1)) -> None:
        self._chances, self._actions = chances, actions

    def initial(self):
        return (0, 0)

    def player(self, position):
        return (0, CHANCE, TERMINAL)[position[0]]

    def actions(self, position):
        return self._actions

    def chances(self, position):
        return self._chances

    def apply(self, position, action):
        return (position[0] + 1, action)

    def utility(self, position):
        return float(2 * position[1] - 1)

    def action_name(self, position, player, action):
        return f"side {action}"

    def draw(self, position):
        return f"stage {position[0]}"

    def observation(self, position, player):
        return np.array([position[0] / 2, position[1]], np.float32)


@pytest.mark.parametrize(
    ("chances", "message"),
    [
        (((0, 0.5), (1, 0.4)), r"coin: the chances at \(1, 0\) sum to 0\.9, expected 1"),
        (((0, 1.5), (1, -0.5)), "the chance -0.5 .* is not positive"),
        (((0, float("nan")), (1, 0.5)), "is not positive"),
        ((), "sum to 0, expected 1"),
        (
            [0, 1],
            r"chances\(\) gives \[0, 1\] at \(1, 0\); expected a sequence of \(outcome, probability\) pairs",
        ),
        ([(0, "1/2"), (1, "1/2")], r"of \(outcome, probability\) pairs"),
        (None, r"chances\(\) gives None"),
        ((("heads", 1.0),), r"of \(outcome, probability\) pairs, outcomes from 0"),
        (np.array([[0, 0.5], [1, 0.5]]), "outcomes from 0"),
        (((-1, 0.5), (0, 0.5)), "outcomes from 0"),
        ({(0, 0.5), (1, 0.5)}, "expected a sequence"),
        ({0: 0.5, 1: 0.5}.items(), "expected a sequence"),
    ],
)
def test_chances_that_are_none_are_one_clear_error(chances, message) -> None:
    with pytest.raises(RulesError, match=message):
        search(Coin(chances).new_initial_state(), limits=Limits(depth=1))
    env = DiceGameEnv(Coin(chances))
    env.reset()
    with pytest.raises(RulesError, match=message):
        env.step(0)


def test_what_has_changed_is_checked_again() -> None:
    chances = [(0, 0.5), (1, 0.5)]
    for given, message in (((0, 0.5),), r"sum to 0\.5"), (chances, r"sum to 0\.6"):
        rules = Coin(chances if given is chances else tuple(chances))
        state = rules.new_initial_state()
        assert list(state.child(0).chance_outcomes()) == chances
        assert state.legal_actions() == (0, 1)
        if given is chances:
            chances[0] = (0, 0.1)
        else:
            rules._chances = given
        with pytest.raises(RulesError, match=message):
            state.child(0).chance_outcomes()
        rules._actions = (0, 3)
        with pytest.raises(RulesError, match="range"):
            state.legal_actions()


def test_actions_may_be_an_array() -> None:
    state = Coin(actions=np.array([0, 1])).new_initial_state()
    assert state.legal_actions() == [0, 1]
    assert search(state, limits=Limits(depth=1)).value == 0.0
    with pytest.raises(RulesError, match="no legal action"):
        Coin(actions=np.array([], int)).new_initial_state().legal_actions()


class Nameless(Coin):
    name = property(lambda self: self.no_such)


def test_a_class_is_no_game_and_what_is_missing_is_named() -> None:
    with pytest.raises(StarspielError, match=r"got the class Coin; create an instance: Coin\(\.\.\.\)"):
        load_game(Coin)
    with pytest.raises(StarspielError, match="Nameless does not set name"):
        load_game(Nameless())


def test_a_position_that_allows_nothing_is_one_clear_error() -> None:
    message = r"coin: no legal action at a decision of player 0, \(0, 0\)"
    with pytest.raises(RulesError, match=message):
        DiceGameEnv(Coin(actions=())).reset()
    with pytest.raises(RulesError, match=message):
        search(Coin(actions=()).new_initial_state(), limits=Limits(depth=1))


@pytest.mark.parametrize(
    "actions", [(0, 2), (-1, 0), [1, 0], [0, 0, 1], [0.5], "01", None, {0, 1}, {0: 1}, (a for a in (0, 1))]
)
def test_actions_out_of_range_are_one_clear_error(actions) -> None:
    rules = Coin(actions=actions)
    with pytest.raises(RulesError, match=r"coin: actions\(\) gives .* range\(2\)"):
        DiceGameEnv(rules).reset()
    with pytest.raises(RulesError, match="actions"):
        search(rules.new_initial_state(), limits=Limits(depth=1))
    report = check_game(rules, games=5, positions=5)
    assert report.failed == ["players and moves"]
    assert "range(2)" in str(report)


class Seated(Coin):
    """Bets whose player is whatever is said."""

    name = "seated"

    def __init__(self, player, num_players=1) -> None:
        super().__init__()
        self._player, self.num_players = player, num_players

    def player(self, position):
        return self._player


@pytest.mark.parametrize(
    ("player", "num_players"), [(2, 2), (2, 1), (1, 1), (-2, 2), (-3, 1), (None, 2), ("0", 2)]
)
def test_a_player_who_is_none_is_one_clear_error(player, num_players) -> None:
    rules = Seated(player, num_players)
    seats = "0, 1" if num_players == 2 else "0"
    message = rf"seated: player\(\) is {player!r} at \(0, 0\); expected {seats}, CHANCE \(-1\) or TERMINAL"
    for ask in (
        lambda: rules.new_initial_state().legal_actions(),
        lambda: search(rules.new_initial_state(), limits=Limits(depth=1)),
        lambda: DiceGameEnv(rules).reset(),
        lambda: DiceGameEnv(rules, opponent="random" if num_players == 2 else None).reset(),
        lambda: tournament(rules, ["random", "star2"], pairs=1),
        lambda: solve(rules),
    ):
        with pytest.raises(RulesError, match=message):
            ask()
    report = check_game(rules, games=5, positions=5)
    assert report.failed == ["players and moves"]
    assert "player() is" in str(report)


class Worthless(Coin):
    def utility(self, position):
        return None


class Listed(Coin):
    def initial(self):
        return [0, 0]


def test_a_return_that_is_no_number_and_a_position_that_is_no_key_are_one_clear_error() -> None:
    with pytest.raises(RulesError, match=r"coin: utility\(\) is None at \(2, 0\); expected a finite number"):
        search(Worthless().new_initial_state(), limits=Limits(depth=2))
    assert check_game(Worthless(), games=1).failed == ["returns as declared"]
    with pytest.raises(RulesError, match=r"coin: a position must be hashable.* in \[0, 0\]"):
        DiceGameEnv(Listed()).reset()
    assert check_game(Listed(), games=1).failed == ["keys"]


class Odd(Coin):
    def __init__(self, **says) -> None:
        super().__init__()
        for method, said in says.items():
            setattr(self, method, lambda *_, said=said: said)


@pytest.mark.parametrize("worth", [math.nan, math.inf])
def test_a_return_that_is_not_finite_is_no_value_of_any_agent(worth) -> None:
    game = Odd(utility=worth)
    for agent in ("star2", "uct(simulations=20)"):
        with pytest.raises(
            RulesError, match=r"coin: utility\(\) is (nan|inf) at .*; expected a finite number"
        ):
            make_bot(agent, game, player=0).step(game.new_initial_state())
    assert check_game(game, games=1).failed == ["returns as declared"]


def test_texts_that_are_none_are_one_clear_error() -> None:
    says = {"draw": str, "action_name": lambda state: search(state, limits=Limits(depth=1))}
    for method, asked in says.items():
        state = Odd(**{method: None}).new_initial_state()
        with pytest.raises(RulesError, match=rf"coin: {method}\(\) is None at \(0, 0\); expected a text"):
            asked(state)
    assert check_game(Odd(action_name=None), games=1).failed == ["names and texts"]


class Half(Coin):
    max_chance_outcomes = 1

    def action_name(self, position, player, action):
        return ["heads"][action]


def test_a_check_asks_for_all_names_and_compares_outcomes_with_their_number() -> None:
    assert check_game(Half(), games=1).failed == ["play goes on"]
    Half.action_name = Coin.action_name
    assert check_game(Half(), games=1).failed == ["probabilities"]


class ListedLater(Coin):
    def apply(self, position, action):
        return list(super().apply(position, action))


class ListedKey(Coin):
    def position_key(self, position):
        return position, [1]


@pytest.mark.parametrize("game", [ListedLater(), ListedKey()])
def test_a_position_that_is_no_key_is_one_clear_error_wherever_it_comes_from(game) -> None:
    for use in (lambda: search(game.new_initial_state(), limits=Limits(depth=2)), lambda: solve(game)):
        with pytest.raises(RulesError, match="coin: a position must be hashable"):
            use()
    assert check_game(game, games=1).failed == ["keys"]


@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        ("discount", 0.9),
        ("discount", 0),
        ("name", 5),
        ("num_distinct_actions", "2"),
        ("utility_range", (1.0, -1.0)),
        ("utility_range", 1.0),
        ("utility_range", (float("nan"), 1.0)),
    ],
)
def test_what_rules_cannot_declare_is_one_clear_error(attribute, value) -> None:
    coin = Coin()
    setattr(coin, attribute, value)
    for asked in (lambda: search(coin.new_initial_state()), lambda: solve(coin), lambda: check_game(coin)):
        with pytest.raises(UnsupportedGameError, match=f"has {attribute}=.*; expected|has discount=0.9, but"):
            asked()


def test_text_is_the_picture_until_there_is_another() -> None:
    picture = board_pixels(Coin().new_initial_state())
    assert picture.dtype == np.uint8
    assert picture.min() < 100 < picture.max()  # ink on paper
    assert not np.array_equal(picture, board_pixels(Coin().new_initial_state().child(0)))


def test_a_search_does_not_prune_by_a_range_that_does_not_hold() -> None:
    """Star1 and Star2 would return a value that no play has."""

    class Paid(Pig):
        def utility(self, position):
            return 9.0 * super().utility(position)

    for algorithm in ("expectiminimax", "star1", "star2"):
        with pytest.raises(StarspielError, match=r"outside the declared utility_range.*Set it to the least"):
            search(Paid(goal=5).new_initial_state(), algorithm, Limits(depth=8), engine="python")


def test_rules_of_three_players_keep_the_contract_and_are_searched():
    game = Race()
    report = check_game(game, games=100, positions=500, seconds=3.0)
    assert report.ok, str(report)
    result = search(game.new_initial_state(), "star1", Limits(depth=20))
    assert result.exact
    assert sum(result.returns) == pytest.approx(1.0)
    paid = check_game(Walks(), games=100, positions=500, seconds=3.0)
    assert paid.ok, str(paid)
    after = search(Walks().new_initial_state().child(0).child(0), "expectiminimax", Limits(depth=1), "zero")
    assert (after.value, after.value_to_go, after.player) == (2.0, 2.0, 2)


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (
            {"utility": lambda self, position: 1.0},
            r"utility\(\) is 1.0 at .*; expected 3 finite numbers, one return a",
        ),
        ({"utility": lambda self, position: (1, 0)}, "expected 3 finite numbers"),
        ({"utility_sum": 0.0}, r"which sums to 1; expected utility_sum, 0, by which"),
        ({"utility_range": (0.0, 0.5)}, r"return of any player, or to None"),
        ({"player": lambda self, position: 3}, r"player\(\) is 3 at .*; expected 0, 1, 2, CHANCE"),
    ],
)
def test_rules_of_three_that_are_unsound_say_what_to_do(said, message):
    game = type("Unsound", (Race,), said)(2)
    with pytest.raises(RulesError, match=message):
        search(game.new_initial_state(), "star1", Limits(depth=6))


def test_two_returns_need_a_declared_sum():
    class Pot(Coin):
        num_players = 2

        def utility(self, position):
            return (1.0, 0.0) if position[1] else (0.0, 1.0)

    with pytest.raises(RulesError, match="set utility_sum to their sum"):
        search(Pot().new_initial_state(), limits=Limits(depth=2))
    Pot.utility_sum = 1.0
    result = search(Pot().new_initial_state(), limits=Limits(depth=2))
    assert result.returns == (0.5, 0.5)


def test_numbers_of_numpy_become_those_of_python():
    """JSON and stores know no others."""

    class Counted(Coin):
        def player(self, position):
            return np.int64(super().player(position))

        def utility(self, position):
            return np.float32(super().utility(position))

    state = Counted([(0, 0.5), (np.int64(1), np.float64(0.5))], (0, np.int64(1))).new_initial_state()
    chance = state.child(state.legal_actions()[1])
    end = chance.child(chance.legal_actions()[1])
    numbers = [state.current_player(), *state.legal_actions(), *chance.legal_actions(), *end.returns()]
    assert numbers == [0, 0, 1, 0, 1, 1.0]
    assert {*map(type, numbers)} == {int, float}
