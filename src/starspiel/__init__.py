"""Search agents for games with dice, for OpenSpiel and Gymnasium, and tournaments whose verdicts hold up."""

import starspiel_gymnasium

# Where the start-up file of the installation was not read (`pip install --target`, zipped applications).
starspiel_gymnasium.install()
