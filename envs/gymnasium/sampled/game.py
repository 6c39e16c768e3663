"""A Gymnasium environment of which only `step` is known, as a Game whose chances are drawn, not listed.

A state holds a clone of the environment. The clone's random generators are seeded afresh before every step it
takes, from the search's own generator, so that a search meets other dice than the ones the environment itself
is going to throw.
"""

import random
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import gymnasium
import numpy as np

from starspiel.envs.base import CHANCE, TERMINAL
from starspiel.envs.errors import StarspielError, UnsupportedGameError
from starspiel.envs.gymnasium.action_names import action_names
from starspiel.envs.gymnasium.aec import AECTurns
from starspiel.envs.gymnasium.masks import legal_actions, where_masks_are
from starspiel.envs.gymnasium.numbering import NumberedActions, numbering_of
from starspiel.envs.gymnasium.observation import in_words, observation_names
from starspiel.envs.gymnasium.options import EnvOptions
from starspiel.envs.gymnasium.players import Players
from starspiel.envs.gymnasium.sampled.clone import After, AnyEnv, advance, clone, take_step
from starspiel.envs.gymnasium.sampled.copying import ClonedBy
from starspiel.envs.gymnasium.sampled.faithful import Copies
from starspiel.envs.gymnasium.sampled.global_dice import lent
from starspiel.envs.gymnasium.sampled.redraw import History, Redraws, Seen, remembered
from starspiel.envs.gymnasium.sampled.visible import View


class SampledGame:
    """A game played on clones of an environment; the return is the discounted sum of player 0's rewards.

    A clone holds everything the environment holds, so a search sees what an observation may hide, unless
    `hidden` is "redraw". Random numbers not yet drawn are kept from it.

    Attributes:
        horizon: the game ends after this many actions, besides where the environment ends it.
        utility_range: as promised by whoever made the game; otherwise None, as rewards are not known.
        mask: the user's own function for the legal actions, where there is one.
        players: who is to move and whose rewards are paid, where two players share the environment.
        numbering: how the environment's own actions are numbered, if they are no numbers; None if they are.
        action_names: what people call the actions, where that is known.
        observation_names: what they call the numbers of an observation, where that is known.
        own_dice: whether the environment throws dice that no seed decides.
        copier: the owner's own function that copies the environment, where there is one.
        copies: what is known of the copies that it makes.
        env: a clone to start episodes from; it is never stepped.
        view: how what the environment shows is read.
        hidden: what is done about hidden state, one of `hidden.WAYS`.
        source: where the chances come from and why not from something better, for people.
    """

    explicit_chance = False
    step_rewards = True

    def __init__(
        self,
        env: AnyEnv,
        *,
        name: str,
        options: EnvOptions | None = None,
        players: Players | None = None,
        why: str = "",
    ) -> None:
        space = env.action_space
        assert isinstance(space, gymnasium.spaces.Discrete), "load_gymnasium checks the action space"
        played = (options or EnvOptions()).settled(env)
        self.name = name
        self.discount = played.discount
        self.horizon = played.horizon
        self.utility_range = played.utility_range
        self.mask = played.mask
        self.own_dice = played.own_dice
        self.players = players
        self.num_players = 1 if players is None else 2
        notes = "; ".join(str(note) for note in (why, players) if note and why)
        self.source = f"samples: reseeded clones of the environment{f' ({notes})' if notes else ''}"
        self.first_action = int(space.start)
        self.num_distinct_actions = int(space.start + space.n)
        self.numbering = numbering_of(env)
        self.action_names = action_names(env)
        self.observation_names = observation_names(env)
        self.copier = played.clone
        self.env = clone(self.adopted(env), 0, name)
        self.view = View(name, self.mask)
        self.copies = None if self.copier is None else Copies(self.env, self.view, self.own_dice)
        self.hidden = played.hidden
        self.redraws = Redraws(self.env, self.view) if self.hidden == "redraw" else None
        if self.redraws is not None:
            self.source += "; what is hidden is redrawn"

    @property
    def settings(self) -> str:
        """The numbers and texts that the environment holds, where its name does not say its parameters."""
        if self.env.spec is not None or ":" in self.name:
            return ""
        held = vars(self.env.unwrapped).items()
        return repr(sorted((name, value) for name, value in held if isinstance(value, int | float | str)))

    @property
    def classes(self) -> tuple[type, ...]:
        """The classes of the environment and its wrappers, from the outside in."""
        layer, found = self.env, [type(self.env)]
        while isinstance(layer, gymnasium.Wrapper):
            layer = layer.env
            found.append(type(layer))
        return tuple(found)

    def adopted(self, env: AnyEnv) -> AnyEnv:
        """An environment as it is cloned: with the owner's own function, where there is one."""
        return env if self.copier is None or isinstance(env, ClonedBy) else ClonedBy(env, self.copier)

    def new_initial_state(self) -> "SampledChance":
        """The chance node of `reset`."""
        return SampledChance(EnvState(self, self.env, None, {}, self.horizon), None)

    def state_of(
        self, env: AnyEnv, info: dict[str, Any] | None, observation: Any = None, elapsed: int = 0
    ) -> "EnvState":
        """The situation of an environment that has been reset, with `elapsed` actions of the horizon used.

        `info` and `observation` are what `reset` or `step` returned last; one that holds the legal actions
        must be given. Raises `StarspielError` where it is not, or the environment has not been reset.

        Where what is hidden is redrawn by replays, `env` is one that remembers what it has shown (`Seen`).
        """
        if env.has_wrapper_attr("has_reset") and not env.get_wrapper_attr("has_reset"):
            raise StarspielError(f"{self.name}: the environment has not been reset; call env.reset()")
        left = None if self.horizon is None else self.horizon - elapsed
        if left is not None and left <= 0:
            raise StarspielError(f"{self.name}: {elapsed} actions taken, but the horizon is {self.horizon}")
        history: History = ()
        if isinstance(env, Seen):
            history, env = env.history, env.env
        if self.redraws is not None:
            self.redraws.check(history)
        if self.numbering is not None:
            env = NumberedActions(env, self.numbering)
        twin = clone(self.adopted(env), 0, self.name)
        if isinstance(twin.unwrapped, AECTurns):
            twin.unwrapped.paid = None  # what was paid before is not known
            observation, info = twin.unwrapped.check_running()
        else:
            self._check_masks_given(info, observation)
            if self.copies is not None:
                self.copies.check(env, twin, observation, info)
        return EnvState(self, twin, observation, info or {}, left, history=history)

    def _check_masks_given(self, info: Any, observation: Any) -> None:
        given = {"info": info, "observation": observation}
        for place in self._masks_in:
            if given[place] is None:
                raise StarspielError(
                    f"{self.name}: its legal actions are in {place}, so that must be given as well, as reset "
                    "or step returned it last: act(info, observation)"
                )

    @cached_property
    def _masks_in(self) -> set[str]:
        """Where the legal actions are after `reset`, of what a clone does not tell again."""
        if self.mask is not None:
            return set()
        begun = advance(self.env, None, 0, self.name)
        return where_masks_are(begun.env, begun.observation, begun.info)

    def key(self, state: Any) -> None:
        """None: an observation may hide what the future depends on."""
        return None

    def frame(self, state: "EnvState | SampledChance") -> tuple[float, float]:
        """(return so far, discount^actions): an action counts once its outcome is known."""
        at = state.before if isinstance(state, SampledChance) else state
        return at.collected, at.scale

    def remembered(self, before: History, action: int | None, at: After) -> History:
        """What has been seen of an episode after a step, where that is needed; else nothing."""
        return () if self.redraws is None else remembered(self.view, before, action, at)

    def returns_at(self, collected: float) -> list[float]:
        """Each player's return where player 0's is `collected`."""
        return [collected] if self.num_players == 1 else [collected, -collected]

    def reroot(self, state: "EnvState | SampledChance") -> "EnvState | SampledChance":
        """The same situation with nothing collected yet, as the agent knows it: the root of a search.

        Where what is hidden is redrawn, every sample of a step from there redraws it first.
        """
        if isinstance(state, SampledChance):
            return SampledChance(self._restarted(state.before), state.action)
        return self._restarted(state)

    def _restarted(self, state: "EnvState") -> "EnvState":
        return EnvState(
            self,
            state.env,
            state.observation,
            state.info,
            state.left,
            over=state.over,
            history=state.history,
            redrawn=self.redraws is not None,
        )

    def __repr__(self) -> str:
        return f"load_game({self.name!r})"


@dataclass(slots=True, eq=False)
class EnvState:
    """A situation of an environment in which the agent acts, or the end.

    Attributes:
        env: the clone that holds the situation; it is never stepped, only cloned again.
        observation, info: what `reset` or `step` returned with it; None and empty where that is not known.
        left: actions left before the horizon, None without one.
        collected, scale: the return so far and the factor on what follows.
        history: what has been seen of the episode, where that is needed.
        redrawn: whether what is hidden is drawn anew for every step that is sampled from here.
    """

    game: SampledGame
    env: AnyEnv
    observation: Any
    info: dict[str, Any]
    left: int | None
    collected: float = 0.0
    scale: float = 1.0
    over: bool = False
    history: History = ()
    redrawn: bool = False
    _mover: int | None = None
    _legal: list[int] | None = None

    def current_player(self) -> int:
        if self.over:
            return TERMINAL
        if self._mover is None:
            players = self.game.players
            self._mover = 0 if players is None else players.mover(self.env, self.info, self.game.name)
        return self._mover

    def is_terminal(self) -> bool:
        return self.over

    def is_chance_node(self) -> bool:
        return False

    def legal_actions(self) -> list[int]:
        """Those that the environment says to be legal (see `masks.legal_actions`), or all of the space."""
        if self.over:
            return []
        if self._legal is None:
            game = self.game
            self._legal = legal_actions(self.env, self.observation, self.info, game.mask, game.name)
        return list(self._legal)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        raise AssertionError("chance_outcomes asked at a decision node")

    def child(self, action: int) -> Any:
        return SampledChance(self, action)

    def apply_action(self, action: int) -> None:
        raise UnsupportedGameError(
            f"{self.game.name} is known by samples only, and a situation of it is not changed: "
            f"state = state.child({action}).sample(numpy.random.default_rng())"
        )

    def situation(self, rng: np.random.Generator) -> AnyEnv:
        """What is stepped from here: the clone, or, where what is hidden is drawn anew, another like it."""
        redraws = self.game.redraws
        return self.env if redraws is None or not self.redrawn else redraws.draw(self.env, self.history, rng)

    def after(self, action: int, step: After) -> "EnvState":
        """The situation that an action from this one has led to."""
        game = self.game
        left = None if self.left is None else self.left - 1
        gain = step.reward if game.players is None else game.players.gain(self.current_player(), step.reward)
        collected = self.collected + self.scale * gain
        over = step.over or left == 0
        bounds = game.utility_range
        if over and bounds is not None and not bounds[0] <= collected <= bounds[1]:
            raise StarspielError(
                f"{game.name}: a sampled return of {collected:g} is outside the utility_range {bounds} "
                "it was given; widen it, or leave it out"
            )
        scale = self.scale * game.discount
        history = game.remembered(self.history, action, step)
        return EnvState(game, step.env, step.observation, step.info, left, collected, scale, over, history)

    def play_on(self, rng: np.random.Generator, actions: int) -> "EnvState":
        """The situation after so many actions drawn with equal chances, or the end before.

        The actions are taken on one clone, seeded once: many times faster than a clone for each.
        """
        return _played_on(self, None, rng, actions)

    def returns(self) -> list[float]:
        return self.game.returns_at(self.collected)

    def action_to_string(self, player: int, action: int) -> str:
        return self.game.action_names.get(action, f"action {action}")

    def get_game(self) -> SampledGame:
        return self.game

    def __str__(self) -> str:
        """What the environment shows, and the return so far."""
        shown = in_words(self.observation, self.game.observation_names)
        told = f"{'over, ' if self.over else ''}return {self.collected:g}"
        return f"{shown}\n{told}" if shown else told


class SampledChance:
    """A `SampledState`: an action, or `reset`, whose outcome can only be drawn."""

    __slots__ = ("action", "before")

    def __init__(self, before: EnvState, action: int | None) -> None:
        self.before = before
        self.action = action

    def current_player(self) -> int:
        return CHANCE

    def is_terminal(self) -> bool:
        return False

    def is_chance_node(self) -> bool:
        return True

    def legal_actions(self) -> list[int]:
        raise self._unlisted()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        raise self._unlisted()

    def child(self, action: int) -> Any:
        raise self._unlisted()

    def apply_action(self, action: int) -> None:
        raise self._unlisted()

    def _unlisted(self) -> UnsupportedGameError:
        return UnsupportedGameError(
            f"{self.before.game.name} is known by samples only, so its chance outcomes cannot be listed, "
            "only drawn: state.sample(numpy.random.default_rng()). Use a sampling search (expss, star1ss, "
            "star2ss), or give the environment a table P or declared rules"
        )

    def sample(self, rng: np.random.Generator) -> EnvState:
        """The situation after one step (or `reset`) of a clone that is seeded from `rng` alone."""
        env = self.before.env if self.action is None else self.before.situation(rng)
        return self.settled(advance(env, self.action, int(rng.integers(2**63)), self.before.game.name))

    def settled(self, after: After) -> EnvState:
        """The situation after what `step` or `reset` made of an environment that was in `before`."""
        before, game = self.before, self.before.game
        if self.action is None:
            history = game.remembered((), None, after)
            return EnvState(game, after.env, after.observation, after.info, before.left, history=history)
        return before.after(self.action, after)

    def play_on(self, rng: np.random.Generator, actions: int) -> EnvState:
        """As `EnvState.play_on`, from the outcome of this action on."""
        if self.action is None:
            return self.sample(rng).play_on(rng, actions)
        return _played_on(self.before, self.action, rng, actions + 1)

    def returns(self) -> list[float]:
        return self.before.returns()

    def action_to_string(self, player: int, action: int) -> str:
        return f"sample {action}"

    def get_game(self) -> SampledGame:
        return self.before.game

    def __str__(self) -> str:
        return f"{self.before}, {'before reset' if self.action is None else f'after {self.action}'}"


def _played_on(state: EnvState, first: int | None, rng: np.random.Generator, actions: int) -> EnvState:
    """The situation after `actions` actions, the first one given or drawn as the others are."""
    draw = random.Random(int(rng.integers(2**63)))
    name = state.game.name
    env = clone(state.situation(rng), draw.getrandbits(63), name)
    with lent(draw.getrandbits(63)):
        for taken in range(actions):
            if state.over:
                break
            action = draw.choice(state.legal_actions()) if first is None or taken else first
            state.current_player()  # asked before the step, which is taken in place
            state = state.after(action, take_step(env, action, 0, name))
    return state
