"""Provides `encoder_of`, which finds the encoder of a game."""

from starspiel.agents.encoders.base import Encoder
from starspiel.agents.encoders.features import FeaturesEncoder, has_features
from starspiel.agents.encoders.observation import ObservationEncoder
from starspiel.envs.base import Game
from starspiel.envs.kits import BY_NAME, kit_of_rules
from starspiel.envs.modules import resolve
from starspiel.envs.openspiel.game import OpenSpielGame
from starspiel.envs.rules import Rules


def encoder_of(game: Game) -> Encoder | None:
    """Returns the encoder of a game: its own, its rules' `features`, OpenSpiel's observation tensor, or None.

    OpenSpiel games with more than two players use the observation tensor.

    Raises SpecError if the observation tensor is too large.
    """
    made: Encoder | None = None
    if isinstance(game, Rules):
        kit = kit_of_rules(type(game))
        if kit is not None and kit.encoder:
            made = resolve(kit.encoder)(game)
        elif has_features(game):
            made = FeaturesEncoder(game)
    elif isinstance(game, OpenSpielGame):
        kind = game.pyspiel_game.get_type()
        kit = BY_NAME.get(kind.short_name)
        if kit is not None and kit.encoder and not kit.rules and game.num_players <= 2:
            made = resolve(kit.encoder)(game)
        elif kind.provides_observation_tensor:
            made = ObservationEncoder(game)
    return made
