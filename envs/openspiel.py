"""Any OpenSpiel game that search can play soundly, as a Game; everything else refused by name."""

from collections.abc import Hashable

import pyspiel

from starspiel.envs.errors import StarspielError, UnsupportedGameError


class OpenSpielGame:
    """A `pyspiel.Game` as a Game. Its states are pyspiel's own."""

    explicit_chance = True
    discount = 1.0

    def __init__(self, game: pyspiel.Game) -> None:
        kind = game.get_type()
        if game.num_players() > 2:
            raise UnsupportedGameError(f"{game} has {game.num_players()} players; search plays one or two.")
        self.pyspiel_game = game
        self.name = str(game)
        self.num_players: int = game.num_players()
        self.num_distinct_actions: int = game.num_distinct_actions()
        self.step_rewards: bool = kind.reward_model == pyspiel.GameType.RewardModel.REWARDS
        self.utility_range: tuple[float, float] | None = (game.min_utility(), game.max_utility())

    def new_initial_state(self) -> pyspiel.State:
        return self.pyspiel_game.new_initial_state()

    def key(self, state: pyspiel.State) -> Hashable | None:
        return None

    def frame(self, state: pyspiel.State) -> tuple[float, float]:
        return (state.player_return(0), 1.0) if self.step_rewards else (0.0, 1.0)

    def reroot(self, state: pyspiel.State) -> pyspiel.State:
        return state

    def __repr__(self) -> str:
        return f"load_game({self.name!r})"


def load_openspiel(spec: str) -> OpenSpielGame:
    try:
        return OpenSpielGame(pyspiel.load_game(spec))
    except pyspiel.SpielError as error:
        raise StarspielError(str(error)) from None
