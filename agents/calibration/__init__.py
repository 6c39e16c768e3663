"""Tests whether an evaluator is a positive linear function of the expected return."""

from starspiel.agents.calibration.calibrate import calibrate
from starspiel.agents.calibration.result import Calibration

__all__ = ["Calibration", "calibrate"]
