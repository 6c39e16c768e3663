"""Errors of incorrect use of an environment."""

from gymnasium.error import InvalidAction, ResetNeeded

from starspiel.envs.errors import StarspielError


class IllegalActionError(StarspielError, InvalidAction):
    """An action that the position does not allow."""


class EpisodeOverError(StarspielError, ResetNeeded):
    """A step before the first reset, or after the end of the episode."""
