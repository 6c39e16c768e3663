import pytest

from starspiel.envs.base import CHANCE
from starspiel.envs.games.royal_game_of_ur import RULE_SETS, TO_ROLL, RoyalGameOfUr, UrPosition

GAME = RoyalGameOfUr()
PASS = GAME.home
EVERY = [RoyalGameOfUr(rules=rules) for rules in RULE_SETS]


def bits(*squares: int) -> int:
    return sum(1 << square for square in squares)


def at(roll: int, own: int = 0, other: int = 0, home: tuple[int, int] = (0, 0), mover: int = 0) -> UrPosition:
    squares = (own, other) if mover == 0 else (other, own)
    return UrPosition(mover, roll, squares, home)


def test_the_dice() -> None:
    assert list(GAME.chances(GAME.initial())) == [
        (0, 1 / 16),
        (1, 4 / 16),
        (2, 6 / 16),
        (3, 4 / 16),
        (4, 1 / 16),
    ]


#: Where a piece cannot be taken.
SAFE = {"finkel": {8}, "masters": set(), "blitz": set(), "aseb": {8, 12, 16}}


def moves(game: RoyalGameOfUr, position: UrPosition) -> list[int]:
    """The legal actions, square by square."""
    mover, roll, squares, home = position
    own, other = squares[mover], squares[1 - mover]
    held = {square for square in range(1, game.home) if own >> square & 1}
    taken = held | {square for square in SAFE[game.rule_set] if other >> square & 1}
    if roll == 0:
        return [game.home]
    pieces = [0] * (len(held) + home[mover] < game.pieces) + sorted(held)
    return [piece for piece in pieces if piece + roll <= game.home and piece + roll not in taken] or [
        game.home
    ]


@pytest.mark.parametrize("game", [*EVERY, RoyalGameOfUr(pieces=3, dice=8)], ids=str)
def test_the_moves_of_random_games(game, random_walk) -> None:
    for seed in range(20):
        for position, _ in random_walk(game, seed):
            if game.player(position) in (0, 1):
                assert list(game.actions(position)) == moves(game, position)


@pytest.mark.parametrize(
    ("square", "roll", "again"), [(0, 4, True), (5, 3, True), (13, 1, True), (0, 3, False)]
)
def test_a_rosette_gives_another_turn(square, roll, again) -> None:
    own = bits(square) if square else 0
    for mover in (0, 1):
        after = GAME.apply(at(roll, own, mover=mover), square)
        assert after.mover == (mover if again else 1 - mover)
        assert GAME.player(after) == CHANCE


def test_taking_sends_the_piece_back_to_hand() -> None:
    after = GAME.apply(at(2, own=bits(5), other=bits(7, 9)), 5)
    assert after.squares == (bits(7), bits(9))
    assert GAME.action_name(at(2, own=bits(5), other=bits(7)), 0, 5) == "move 5 to 7, takes"


def test_own_stretches_are_not_shared() -> None:
    for square in (1, 2, 3, 4, 13, 14):
        start, roll = (0, square) if square < 5 else (square - 1, 1)
        position = at(roll, own=bits(start) if start else 0, other=bits(square))
        assert start in GAME.actions(position)
        assert GAME.apply(position, start).squares[1] == bits(square)


def test_nothing_to_move_is_a_pass() -> None:
    assert list(GAME.actions(at(0, own=bits(3)))) == [PASS]
    assert list(GAME.actions(at(4, own=bits(13), home=(6, 0)))) == [PASS]
    assert GAME.apply(at(0, own=bits(3)), PASS) == UrPosition(1, TO_ROLL, (bits(3), 0), (0, 0))


def cells(game: RoyalGameOfUr, position: UrPosition, player: int) -> set[tuple[int, int]]:
    """The board's squares, by row and column, that hold a player's pieces."""
    return {
        (row, column)
        for row, numbers in enumerate(game.board)
        for column, each in enumerate(numbers)
        if each[player] and position.squares[player] >> each[player] & 1
    }


@pytest.mark.parametrize("game", EVERY, ids=str)
def test_pieces_of_random_games(game, random_walk) -> None:
    """No square holds two pieces by either's numbers, none is lost, those taken are in hand."""
    captures = 0
    for seed in range(30):
        before = game.initial()
        for position, _ in random_walk(game, seed):
            for player in (0, 1):
                on_board = cells(game, position, player)
                assert len(on_board) == position.squares[player].bit_count()
                assert len(on_board) + position.home[player] <= game.pieces
            assert not cells(game, position, 0) & cells(game, position, 1)
            if before.roll != TO_ROLL:
                mover, other = before.mover, 1 - before.mover
                lost = cells(game, before, other) - cells(game, position, other)
                assert lost <= cells(game, position, mover)
                assert len(lost) <= 1
                captures += len(lost)
                if lost and game.rule_set == "blitz":
                    assert position.mover == mover
                assert position.home[other] == before.home[other]
            before = position
    assert captures > 30


def test_a_square_with_two_numbers_is_one() -> None:
    """On Masters' path 12 is the opponent's 16, on which no piece is safe."""
    game = RoyalGameOfUr(rules="masters")
    for one, other in ((11, 11), (12, 16), (13, 15), (14, 14), (15, 13), (16, 12)):
        before = UrPosition(0, 1, (bits(one - 1), bits(other)), (0, 0))
        assert game.action_name(before, 0, one - 1).startswith(f"move {one - 1} to {one}, takes")
        after = game.apply(before, one - 1)
        assert after.squares == (bits(one), 0)
        assert after.mover == (0 if one in (12, 16) else 1)


def test_masters_dice_count_no_marks_as_four() -> None:
    game = RoyalGameOfUr(rules="masters")
    assert list(game.chances(game.initial())) == [(1, 3 / 8), (2, 3 / 8), (3, 1 / 8), (4, 1 / 8)]


@pytest.mark.parametrize(
    ("rules", "setting"),
    [
        ("finkel", "create_finkel"),
        ("masters", "create_masters"),
        ("blitz", "create_masters"),
        ("aseb", "create_aseb"),
    ],
)
def test_the_rules_are_those_of_royalur(rules, setting, random_walk) -> None:
    """Against RoyalUr.net's own library, if it is installed: moves, captures and turns of random games."""
    royalur = pytest.importorskip("royalur")
    from royalur.model import Board, Piece, PlayerState, PlayerType, Roll
    from royalur.rules.simple import SimpleRuleSetProvider
    from royalur.rules.state import WaitingForRollGameState

    settings = getattr(royalur.model.GameSettings, setting)()
    game = RoyalGameOfUr(rules=rules)
    settings = settings.with_starting_piece_count(game.pieces)
    if rules == "blitz":
        settings = settings.with_captures_grant_extra_rolls(True)
    theirs = SimpleRuleSetProvider().create(settings, None)
    sides = (PlayerType.LIGHT, PlayerType.DARK)

    def theirs_of(position):
        board = Board(settings.board_shape)
        for player, side in enumerate(sides):
            for square, tile in enumerate(settings.paths.get(side), 1):
                if position.squares[player] >> square & 1:
                    board.set(tile, Piece(side, square - 1))
        states = [
            PlayerState(
                side,
                game.pieces - position.squares[player].bit_count() - position.home[player],
                position.home[player],
            )
            for player, side in enumerate(sides)
        ]
        return WaitingForRollGameState(board, *states, sides[position.mover])

    def shown(state):
        return (
            str(state.board),
            *((p.piece_count, p.score) for p in (state.light_player, state.dark_player)),
        )

    compared = 0
    for seed in range(10):
        for position, _ in random_walk(game, seed):
            if position.roll == TO_ROLL:
                continue
            after = theirs.apply_roll(theirs_of(position), Roll(position.roll))[-1]
            actions = list(game.actions(position))
            if actions == [game.home]:
                assert type(after) is WaitingForRollGameState
                following = {game.home: after}
            else:
                following = {
                    (move.source_piece.path_index + 1 if move.source_piece else 0): theirs.apply_move(
                        after, move
                    )[-1]
                    for move in after.available_moves
                }
            assert sorted(following) == actions
            for action, reached in following.items():
                ours = game.apply(position, action)
                assert shown(reached) == shown(theirs_of(ours))
                if game.player(ours) == CHANCE:
                    assert reached.get_turn() == sides[ours.mover]
                compared += 1
    assert compared > 1000
