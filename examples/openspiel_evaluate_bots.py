"""A Star2 agent against OpenSpiel's MCTS in OpenSpiel's own match loop.

Run: python examples/openspiel_evaluate_bots.py [GAME]
"""

import sys

import pyspiel

import starspiel


def main() -> None:
    """Plays ten games, each agent five times from each seat."""
    game = pyspiel.load_game(sys.argv[1] if len(sys.argv) > 1 else "einstein_wurfelt_nicht")
    points = 0.0
    for number in range(10):
        seat = number % 2
        bots = [None, None]
        bots[seat] = starspiel.make_bot("star2(depth=3)", game, player=seat, seed=number)
        bots[1 - seat] = starspiel.make_bot("mcts(simulations=100)", game, player=1 - seat, seed=number)
        points += pyspiel.evaluate_bots(game.new_initial_state(), bots, number)[seat]
    print(f"star2(depth=3) against mcts(simulations=100): {points:+g} in 10 games")


if __name__ == "__main__":
    main()
