"""`GameTests`: a class of tests to inherit for your own game."""

import pickle
from functools import cached_property
from typing import Any

from starspiel.envs.base import Game
from starspiel.envs.conformance.check import check_game
from starspiel.envs.conformance.positions import picture
from starspiel.envs.conformance.report import Report
from starspiel.envs.load import load_game


class GameTests:
    """Tests, for pytest or unittest, that a game meets the contract; define only `make_game`.

        class TestMyGame(GameTests):
            def make_game(self):
                return MyRules(sides=8)

    Attributes:
        games, positions, seconds, seed: as for `check_game`.
    """

    games = 200
    positions = 1000
    seconds = 10.0
    seed = 1

    def make_game(self) -> Any:
        """Returns the game under test: anything that `load_game` takes."""
        raise NotImplementedError(f"{type(self).__name__} inherits GameTests: write its make_game()")

    @cached_property
    def game(self) -> Game:
        """The game under test, cached."""
        return load_game(self.make_game())

    def test_keeps_the_contract(self) -> None:
        report: Report = check_game(
            self.game, games=self.games, positions=self.positions, seconds=self.seconds, seed=self.seed
        )
        assert report.ok, f"\n{report}"

    def test_every_game_starts_alike(self) -> None:
        first, second = (picture(self.game, self.game.new_initial_state()) for _ in range(2))
        assert first == second, (
            f"expected new_initial_state() to be the same each time, got\n{first}\n{second}"
        )

    def test_is_sent_to_other_processes(self) -> None:
        again = pickle.loads(pickle.dumps(self.game))
        # Everything but the text, because drawings may not be pickled.
        mine, theirs = (picture(game, game.new_initial_state())[:-1] for game in (self.game, again))
        assert mine == theirs, f"expected a pickled game to start as it does, got\n{mine}\n{theirs}"
