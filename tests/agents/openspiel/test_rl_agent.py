"""Agents in OpenSpiel's RL environment: its usual loop, beside its own agents."""

import pyspiel
import pytest
from open_spiel.python import rl_agent, rl_agent_policy, rl_environment

from starspiel import StarspielError, as_rl_agent, make_bot

GAMES = [
    *("pig(winscore=20)", "backgammon", "einstein_wurfelt_nicht", "tic_tac_toe", "2048(max_tile=16)"),
    *("star_pig(goal=20)", "knucklebones", "catch"),
    *("pig(players=3,winscore=20)", "maedn(players=4)"),
]


def episode(env, agents):
    """The last time step of one episode, as in OpenSpiel's examples."""
    time_step = env.reset()
    while not time_step.last():
        player = time_step.observations["current_player"]
        output = agents[player].step(time_step, is_evaluation=True)
        assert isinstance(output, rl_agent.StepOutput)
        assert output.action in time_step.observations["legal_actions"][player]
        assert output.probs.shape == (env.action_spec()["num_actions"],)
        assert output.probs.sum() == pytest.approx(1.0)
        assert output.probs[output.action] > 0
        others = [agents[other].step(time_step) for other in range(env.num_players) if other != player]
        assert all(other.action is None for other in others if isinstance(agents[0], type(agents[-1])))
        time_step = env.step([output.action])
    assert all(agent.step(time_step) is None for agent in agents)
    return time_step


@pytest.mark.parametrize("game", GAMES)
def test_the_usual_loop(game):
    env = rl_environment.Environment(game, include_full_state=True)
    env.seed(1)
    specs = ["star2(depth=1)", "random", "greedy", "star1(depth=1,opponents=paranoid)"][: env.num_players]
    agents = [as_rl_agent(spec, game, seat, seed=seat) for seat, spec in enumerate(specs)]
    assert all(isinstance(agent, rl_agent.AbstractAgent) for agent in agents)
    assert [agent.player_id for agent in agents] == list(range(env.num_players))
    assert len(episode(env, agents).rewards) == env.num_players


def test_probabilities_are_the_policy():
    env = rl_environment.Environment("tic_tac_toe", include_full_state=True)
    step = env.reset()
    assert as_rl_agent("random", "tic_tac_toe").step(step).probs == pytest.approx([1 / 9] * 9)
    bot = make_bot("star2(depth=2,ties=first)", "tic_tac_toe")
    output = as_rl_agent(bot).step(step)
    assert output.probs[output.action] == 1.0
    theirs = as_rl_agent(pyspiel.make_uniform_random_bot(0, 1), pyspiel.load_game("catch"))
    assert (
        theirs.step(rl_environment.Environment("catch", include_full_state=True).reset()).probs.sum() == 1.0
    )


def test_without_the_full_state_it_says_how_to_give_it():
    env = rl_environment.Environment("pig")
    with pytest.raises(StarspielError, match=r"Environment\(game, include_full_state=True\)"):
        as_rl_agent("star2", "pig").step(env.reset())
    game = pyspiel.load_game("tic_tac_toe")
    policy = rl_agent_policy.RLAgentPolicy(game, as_rl_agent("star2(depth=1)", game, 0), 0, True)
    with pytest.raises(StarspielError, match=r"starspiel\.as_policy\(agent, game\)"):
        policy.action_probabilities(game.new_initial_state())


def test_what_is_refused_in_words():
    with pytest.raises(StarspielError, match=r"player must be in 0\.\.1 for pig, got 2"):
        as_rl_agent("star2", "pig", 2)
    other = rl_environment.Environment("tic_tac_toe", include_full_state=True)
    with pytest.raises(StarspielError, match="was made for pig, but the state is of tic_tac_toe"):
        as_rl_agent("star2", "pig").step(other.reset())


def test_a_state_is_read_without_the_line_break_after_it():
    """Hive's cannot be read with one; the others ignore it."""
    env = rl_environment.Environment("hive", include_full_state=True)
    agent, time_step = as_rl_agent("random", env.game, 0, seed=1), env.reset()
    for _ in range(6):
        if time_step.observations["current_player"] == 0:
            legal, action = time_step.observations["legal_actions"][0], agent.step(time_step).action
            assert action in legal
        else:
            action = time_step.observations["legal_actions"][1][0]
        time_step = env.step([action])
