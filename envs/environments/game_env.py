"""`GameEnv`: a Game as a Gymnasium environment, with masks, seeding, and opponents or self-play."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

import gymnasium
import numpy as np
from gymnasium.utils import seeding
from numpy.typing import NDArray

from starspiel.envs.arguments import finite_number, whole_number
from starspiel.envs.base import CHANCE, SIMULTANEOUS, TERMINAL, Game
from starspiel.envs.environments.errors import EpisodeOverError, IllegalActionError
from starspiel.envs.environments.joint_choice import JointChoice
from starspiel.envs.environments.legal_discrete import LegalDiscrete, masks_of
from starspiel.envs.environments.opponents import Opponent, Seated, answer_of, inform, make_opponents, whole
from starspiel.envs.environments.throw import throw
from starspiel.envs.errors import StarspielError, UnsupportedGameError
from starspiel.envs.modules import resolve

#: The number of events without a turn of the agent after which a game counts as stuck.
MAX_EVENTS = 100_000
#: The number of games ending before the agent's first decision after which reset() gives up.
_MAX_BEGINNINGS = 1_000


class Settings(TypedDict, total=False):
    """The keyword arguments of `GameEnv`, which its subclasses pass on."""

    opponent: Opponent | None
    seat: int
    illegal_reward: float | None
    max_steps: int | None
    render_mode: str | None


class GameEnv(gymnasium.Env[NDArray[np.float32], np.int64]):
    """A game with explicit chances as an environment, whose own generator throws the dice.

    Each step plays one decision of the agent, then everything up to its next decision: dice, and the
    opponents' moves. `info["action_mask"]` (int8) marks the legal actions, as does `action_masks()` (bool).
    `info["current_player"]` is the player to move (-4 after the end). The reward is the increase of the
    agent's return, or of player 0's return in self-play. In the first step, it is the increase since the
    start of the game.

    If all players move at once, opponents choose at the same state as the agent and are told its action
    afterwards. In self-play, the agent decides for one seat after the other. The state then stays the same,
    and does not show the choices, until the last one has been made.

    Args:
        game: the game to play.
        opponent: who plays the other seats: an agent spec such as `star2(depth=2)`, a callable
            `state -> action`, an object with `step(state) -> action`, or a list of these with one for each
            other seat, in seat order. None is self-play: the agent decides for all seats in turn.
        seat: the agent's seat, from 0. Only with an opponent.
        illegal_reward: None raises `IllegalActionError` on an illegal action. A number is the reward for an
            illegal action, and the position stays as it is.
        max_steps: truncate the episode after this many steps.
        render_mode: None, "ansi" or "rgb_array".

    Attributes:
        game: the Game. For a `Rules` game, starspiel's searches play this environment by it.
        state: the current State.
        opponent: who plays the other seats, as given; None in self-play and in one-player games.
    """

    metadata = {"render_modes": ["ansi", "rgb_array"], "render_fps": 2}  # noqa: RUF012

    def __init__(
        self,
        game: Game,
        *,
        opponent: Opponent | None = None,
        seat: int = 0,
        illegal_reward: float | None = None,
        max_steps: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        if not game.explicit_chance:
            raise UnsupportedGameError(f"{game.name}: chances that are not listed cannot be drawn here.")
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise StarspielError(f"render_mode must be None, 'ansi' or 'rgb_array', got {render_mode!r}.")
        if whole(seat) not in range(game.num_players):
            raise StarspielError(f"seat must be in 0..{game.num_players - 1} in {game.name}, got {seat!r}.")
        self.seat = seat
        if opponent is None and seat != 0:
            raise StarspielError(
                f"seat={seat} needs an opponent: in self-play (opponent=None) the agent has all seats."
            )
        if opponent is not None and game.num_players == 1:
            raise StarspielError(
                f"{game.name} has one player, so there is no seat for opponent={opponent!r}."
            )
        self.max_steps = None if max_steps is None else whole_number("max_steps", max_steps, 1)
        self.illegal_reward = (
            None if illegal_reward is None else finite_number("illegal_reward", illegal_reward)
        )
        self.game = game
        self.state: Any = None
        self.render_mode = render_mode
        self.opponent = opponent
        self._others: Mapping[int, Seated] = {}
        if opponent is not None:
            make_opponents(opponent, game, seat, lambda: 0)  # raises if a spec is invalid
        self._steps, self._choice = 0, self._no_choice()
        # The states up to which rewards were paid before and after the last step; None for the start.
        self._since, self._paid = None, None
        self._running = False
        # A state, its player to move and legal actions: cached, because they are needed to show and to play.
        self._turn_of: tuple[Any, int, Sequence[int]] = None, TERMINAL, ()
        actions = game.num_distinct_actions
        self._masks = masks_of(actions)
        # An opponent object plays one game at a time, so no game can be started just to get the first mask.
        given = opponent if isinstance(opponent, list | tuple) else [opponent]
        first_mask = None if any(hasattr(each, "step") for each in given) else self._mask_after_reset
        self._actions = LegalDiscrete(actions, first_mask)
        self.action_space = self._actions

    @abstractmethod
    def observe(self, state: Any, player: int) -> NDArray[np.float32]:
        """Returns the state as an array in `observation_space`, from `player`'s side."""

    def shown(self) -> NDArray[np.float32]:
        """Returns the current observation, from the agent's side or, in self-play, the player to move's."""
        return self._seen_by(self._turn()[0])

    def picture(self, state: Any) -> NDArray[np.uint8]:
        """Returns the state as an image, height x width x 3, always of the same size."""
        image: NDArray[np.uint8] = resolve("starspiel.envs.boards:board_pixels")(state, *self.text_size)
        return image

    @property
    def turn(self) -> tuple[int, Sequence[int]]:
        """The player whose action `step` takes next (TERMINAL after the end), and the legal actions."""
        return self._turn()

    @property
    def text_size(self) -> tuple[int, int]:
        """The columns and rows of the picture of a state that has no drawing."""
        return 80, 24

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Starts a game and plays it to the agent's first decision; games that end before it are skipped."""
        super().reset(seed=seed)
        self.state, self._others = self._begin(self.np_random)
        self._steps, self._choice = 0, self._no_choice()
        self._paid = None
        self._running = True
        return self._look(at_start=True)

    def step(self, action: np.int64 | int) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Plays the agent's action and everything up to its next decision."""
        if not self._running:
            when = "before the first reset()" if self.state is None else "after the end of the episode"
            raise EpisodeOverError(f"step() was called {when}. Call reset() first.")
        self._steps += 1
        before = self.state
        chosen = whole(action)
        is_legal = False
        if chosen is not None and chosen in self._turn()[1]:
            is_legal = True
            if (mover := before.current_player()) == SIMULTANEOUS:
                after = self._choice.after(before, chosen, self._others)
                self._turn_of = None, TERMINAL, ()
            else:
                inform(self._others, before, mover, chosen)
                after = before.child(chosen)
            self.state = self._play_on(after, self._others, self.np_random)
            self._since, self._paid = self._paid, self.state
        elif self.illegal_reward is None:
            self._steps -= 1
            mover, legal = self._turn()
            names = {int(a): before.action_to_string(mover, a) for a in legal}
            raise IllegalActionError(
                f"action {action} is illegal for player {mover}; legal: {names}. "
                'Use info["action_mask"], or make the environment with illegal_reward=<number> to go on.'
            )
        observation, info = self._look(at_start=False)
        terminated: bool = info["current_player"] == TERMINAL
        reward = 0.0
        if not is_legal:
            reward = self.illegal_reward or 0.0
        elif terminated or self.game.step_rewards:
            reward = self.gain(self.seat)
        truncated = not terminated and self.max_steps is not None and self._steps >= self.max_steps
        self._running = not (terminated or truncated)
        return observation, reward, terminated, truncated, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns the mask of legal actions for sb3-contrib's MaskablePPO; all False after the end."""
        if self.state is None:
            raise EpisodeOverError("action_masks() was called before the first reset(). Call reset() first.")
        return self._masks[tuple(self._turn()[1])].astype(np.bool_)

    def render(self) -> Any:
        """Returns the state as text ("ansi") or as an image ("rgb_array"); None without a render mode."""
        if self.render_mode is None:
            gymnasium.logger.warn(
                'render() draws nothing: make the environment with render_mode="rgb_array".'
            )
            return None
        if self.state is None:
            raise EpisodeOverError("render() was called before the first reset(). Call reset() first.")
        return str(self.state) if self.render_mode == "ansi" else self.picture(self.state)

    def _no_choice(self) -> JointChoice:
        return JointChoice(self.game.num_players, None if self.opponent is None else self.seat)

    def _begin(self, rng: np.random.Generator) -> tuple[Any, Mapping[int, Seated]]:
        for _ in range(_MAX_BEGINNINGS):
            others: Mapping[int, Seated] = {}
            if self.opponent is not None:
                # New opponents for each game, so that a seed repeats a game whatever was played before.
                others = make_opponents(self.opponent, self.game, self.seat, lambda: int(rng.integers(2**31)))
            state = self._play_on(self.game.new_initial_state(), others, rng)
            if not state.is_terminal():
                return state, others
        raise StarspielError(
            f"{self.game.name}: {_MAX_BEGINNINGS} games in a row were over before the agent's first decision."
        )

    def _play_on(self, state: Any, others: Mapping[int, Seated], rng: np.random.Generator) -> Any:
        """Returns the state after all chance events and opponents' moves up to the agent's next decision."""
        for _ in range(MAX_EVENTS):
            player = state.current_player()
            if player == CHANCE:
                outcome = throw(state.chance_outcomes(), rng.random())
                inform(others, state, player, outcome)
                state = state.child(outcome)
            elif player not in others:
                return state
            else:
                action = answer_of(others[player], state, player)
                inform(others, state, player, action)
                state = state.child(action)
        raise StarspielError(f"{self.game.name}: {MAX_EVENTS} events went by without a turn of the agent.")

    def gain(self, player: int) -> float:
        """Returns a player's reward of the last step; in the first step, all rewards before it are added."""
        since, gained = self._since, float(self.state.returns()[player])
        if since is None or not self.game.step_rewards:
            return gained
        gained -= since.returns()[player]
        # Returns are discounted from the start of the game, but rewards are not.
        return gained if self.game.discount == 1 else gained / self.game.frame(since)[1]

    def _look(self, at_start: bool) -> tuple[NDArray[np.float32], dict[str, Any]]:
        space = self._actions
        mover, legal = self._turn()
        mask = space.legal = self._masks[tuple(legal)]
        space.at_start = at_start
        return self._seen_by(mover), {"action_mask": mask.copy(), "current_player": mover}

    def _seen_by(self, mover: int) -> NDArray[np.float32]:
        return self.observe(self.state, mover if self.opponent is None and mover >= 0 else self.seat)

    def _turn(self) -> tuple[int, Sequence[int]]:
        """Returns the player to move and the legal actions."""
        state, mover, legal = self._turn_of
        if state is not self.state:
            state = self.state
            mover, legal = _turn_at(state, self._choice)
            self._turn_of = state, mover, legal
        return mover, legal

    def _mask_after_reset(self, seed: int) -> NDArray[np.int8]:
        state, _ = self._begin(seeding.np_random(seed)[0])
        return self._masks[tuple(_turn_at(state, self._no_choice())[1])]


def _turn_at(state: Any, choice: JointChoice) -> tuple[int, Sequence[int]]:
    mover: int = state.current_player()
    return choice.turn(state) if mover == SIMULTANEOUS else (mover, state.legal_actions())
