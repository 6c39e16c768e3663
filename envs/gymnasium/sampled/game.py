"""`SampledGame`: a Gymnasium environment as a Game whose chance outcomes are sampled, not listed."""

import warnings
from dataclasses import replace
from functools import cached_property
from typing import Any

import gymnasium

from starspiel.envs.base import has_vector_values
from starspiel.envs.errors import HiddenStateWarning, StarspielError, UnsupportedGameError, shown
from starspiel.envs.gymnasium.action_names import action_names
from starspiel.envs.gymnasium.aec import AECTurns
from starspiel.envs.gymnasium.budget import LOADING_SECONDS, Budget
from starspiel.envs.gymnasium.cloning.clone import After, advance, clone, has_own_copies
from starspiel.envs.gymnasium.cloning.copying import OBSERVING_WRAPPERS, AnyEnv, ClonedBy, layers
from starspiel.envs.gymnasium.masks import where_masks_are
from starspiel.envs.gymnasium.numbering import NumberedActions, numbering_of
from starspiel.envs.gymnasium.observation import observation_names
from starspiel.envs.gymnasium.options import EnvOptions
from starspiel.envs.gymnasium.players import Players
from starspiel.envs.gymnasium.sampled.faithful import refuse_others
from starspiel.envs.gymnasium.sampled.redraw import History, Redraws, Seen
from starspiel.envs.gymnasium.sampled.states import EnvState, SampledChance
from starspiel.envs.gymnasium.sampled.trust import Trust, look
from starspiel.envs.gymnasium.sampled.visible import TurnsView, View

#: Wrappers that `gymnasium.make` puts around an environment, or that change no rules.
_OF_MAKE = (gymnasium.wrappers.OrderEnforcing, gymnasium.wrappers.TimeLimit, *OBSERVING_WRAPPERS)

#: Attributes of layers that lead to the next one, or repeat what it holds.
_OF_LAYERS = ("env", "aec", "_cached_spec")


class SampledGame:
    """A game played on clones of an environment; returns are discounted sums of rewards.

    A clone holds everything that the environment holds. A search therefore sees state that observations hide,
    unless `hidden` is "redraw". It does not see random numbers that are not drawn yet.

    Attributes:
        horizon, discount, utility_range, own_dice, hidden: as in `EnvOptions`.
        players: who is to move and whose rewards are paid, if several players share the environment.
        nothing: every player's return before the first move.
        utility_sum: 0 for two players who play against each other, otherwise None.
        numbering: how the environment's own actions are numbered; None if they are numbers.
        action_names, observation_names: the names of actions and of an observation's numbers, if known.
        copier: the user's own function that copies the environment, if there is one.
        env: a clone to start episodes from; it is never stepped.
        view: reads what the environment shows.
        source: where the chances come from, and why not from a better source, as text for people.
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
        played = options or EnvOptions()
        self._options = played
        self.name = name
        self.discount = played.discount
        self.horizon = played.horizon or None
        self.utility_range = played.utility_range
        self.own_dice = played.own_dice
        self.hidden = played.hidden
        self.players = players
        self.num_players = 1 if players is None else len(players.names)
        self.nothing = (0.0,) * self.num_players
        self.utility_sum = 0.0 if players is not None and players.zero_sum else None
        self.num_distinct_actions = int(space.start + space.n)
        self.numbering = numbering_of(env)
        self.action_names = action_names(env)
        self.observation_names = observation_names(env)
        self.copier = played.clone
        self.env = clone(self.adopted(env), 0, name)
        self.view = View(name, played.mask)
        turns = TurnsView(name, played.mask, players)
        self.redraws = Redraws(self.env, turns) if self.hidden == "redraw" else None
        notes = "; ".join(str(note) for note in (why, players) if note and why)
        self.source = f"samples: reseeded clones of the environment{f' ({notes})' if notes else ''}"
        if self.redraws is not None:
            self.source += "; what is hidden is redrawn"

    @property
    def settings(self) -> tuple[Any, ...]:
        """Returns what its name may leave out: the options, and what the environment and its wrappers hold.

        They are read from a clone that is reset, because earlier episodes must not matter. If the name makes
        the environment, only wrappers are read.
        """
        found: list[Any] = [self._options]
        if ":" in self.name:
            return tuple(found)
        *outer, inside = layers(advance(self.env, None, 0, self.name).env)
        for layer in [*outer, inside] if self.env.spec is None else outer:
            if not isinstance(layer, _OF_MAKE):
                held = sorted(vars(layer).items())  # in whatever order they were set
                found.append([(name, value) for name, value in held if name not in _OF_LAYERS])
        return tuple(found)

    @property
    def classes(self) -> tuple[type, ...]:
        """The classes of the environment and its wrappers, from the outside in."""
        return tuple(type(layer) for layer in layers(self.env) if isinstance(layer, gymnasium.Env))

    def adopted(self, env: AnyEnv) -> AnyEnv:
        """Returns an environment that is cloned by the user's own function, if there is one."""
        return env if self.copier is None or isinstance(env, ClonedBy) else ClonedBy(env, self.copier)

    @property
    def hidden_is_declared(self) -> bool:
        """Whether hidden state and stored dice are declared, so that they are not errors."""
        return self.hidden in ("redraw", "seen")

    def look(self, episodes: int, steps: int, budget: Budget) -> Trust:
        """Returns what so many episodes and steps on clones show about dice and hidden state."""
        return look(
            self.env, self.view, episodes=episodes, steps=steps, budget=budget, own_dice=self.own_dice
        )

    def refuse_untrusted(self) -> None:
        """Tests the clones briefly.

        Raises UnsupportedGameError if a search would foresee or change the dice, or if copies are not
        faithful. Depending on `hidden`, warns (HiddenStateWarning) about hidden state, or raises.
        """
        own = has_own_copies(self.env)
        if own:
            refuse_others(self.env, self.view, self.players)
        try:
            found = self.look(episodes=48, steps=12, budget=Budget(LOADING_SECONDS))
            if not own and found.shared is None:
                refuse_others(self.env, self.view, self.players)
        except UnsupportedGameError:
            raise
        except Exception:  # an environment that cannot be stepped will raise when it is played
            return
        reason = found.shared or (None if self.hidden_is_declared else found.stored)
        if reason is not None:
            raise UnsupportedGameError(f"{self.name} cannot be sampled: {reason}")
        if not found.settled:
            self.source += "; whether its dice can be foreseen is not settled: too slow to try"
        if not found.compared and not self.hidden_is_declared:
            self.source += "; no two episodes looked alike, so hidden state would not have been noticed"
        if self.hidden_is_declared or found.hidden is None:
            return
        if self.hidden == "refuse":
            raise UnsupportedGameError(f"{self.name} has hidden state: {found.hidden}")
        warnings.warn(
            f"{self.name} has hidden state, which a search on its clones sees: {found.hidden}. An agent that "
            "may know only what is shown (info is not) needs hidden='redraw'; hidden='seen' lets it see, "
            "without this warning",
            HiddenStateWarning,
            stacklevel=4,
        )

    def new_initial_state(self) -> SampledChance:
        """Returns the chance node of `reset`."""
        return SampledChance(EnvState(self, self.env, None, {}, self.horizon, self.nothing), None)

    def state_of(
        self, env: AnyEnv, info: dict[str, Any] | None, observation: Any = None, elapsed: int = 0
    ) -> EnvState:
        """Returns the situation of an environment, with `elapsed` actions of the horizon used.

        `info` and `observation` are what `reset` or `step` returned last; one that contains the legal actions
        must be given. If hidden state is redrawn by replays, `env` must be a `Seen`. Raises `StarspielError`
        if something is missing, or if the environment has not been reset.
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
            self.redraws.check(history, None if isinstance(env.unwrapped, AECTurns) else observation)
        if self.numbering is not None:
            env = NumberedActions(env, self.numbering)
        duplicate = clone(self.adopted(env), 0, self.name)
        if isinstance(duplicate.unwrapped, AECTurns):
            duplicate.unwrapped.paid = None  # earlier rewards are not known
            observation, info = duplicate.unwrapped.check_running()
        else:
            self._check_masks_given(info, observation)
        redrawn = self.redraws is not None
        state = EnvState(
            self, duplicate, observation, info or {}, left, self.nothing, history=history, redrawn=redrawn
        )
        if self.copier is not None and replace(state, env=env).legal_actions() != state.legal_actions():
            raise UnsupportedGameError(
                f"{self.name}: what clone= returns allows the actions {shown(state.legal_actions())}, and "
                "the environment others. Return one that goes on from the same situation"
            )
        return state

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
        """Which of "info" and "observation" contain the legal actions, which a clone cannot return again."""
        if self.view.mask is not None:
            return set()
        begun = advance(self.env, None, 0, self.name)
        return where_masks_are(begun.env, begun.observation, begun.info)

    def key(self, state: Any) -> None:
        """Returns None, because observations may hide state."""
        return None

    def frame(self, state: EnvState | SampledChance) -> tuple[float, float]:
        """Returns (return so far, discount^actions); an action counts once its outcome is known."""
        at = state.before if isinstance(state, SampledChance) else state
        return at.collected[0], at.scale

    def gains(self, mover: int, after: After) -> tuple[float, ...]:
        """Returns each player's reward for a step of `mover`."""
        if self.players is None:
            return (after.reward,)
        inside = after.env.unwrapped
        if isinstance(inside, AECTurns) and not self.players.zero_sum:
            return inside.rewards
        return self.players.gains(mover, after.reward)

    def reroot(self, state: EnvState | SampledChance) -> EnvState | SampledChance:
        """Returns the same situation, as the agent knows it, as the root of a search.

        Nothing is collected there yet, unless values are vectors. If hidden state is redrawn, each sample of
        a step from the root redraws it first.
        """
        if isinstance(state, SampledChance):
            return SampledChance(self._restarted(state.before), state.action)
        return self._restarted(state)

    def _restarted(self, state: EnvState) -> EnvState:
        known = replace(state, redrawn=self.redraws is not None)
        return known if has_vector_values(self) else replace(known, collected=self.nothing, scale=1.0)

    def __repr__(self) -> str:
        return f"load_game({self.name!r})"
