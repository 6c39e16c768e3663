"""Search agents for games with dice, for OpenSpiel and Gymnasium, and tournaments whose verdicts hold up."""
