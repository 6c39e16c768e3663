"""Tests whether an evaluator is a positive linear function of the expected return."""

from starspiel.agents.calibration.calibrate import calibrate
from starspiel.agents.calibration.depths import fit_depths
from starspiel.agents.calibration.result import Calibration

__all__ = ["Calibration", "calibrate", "fit_depths"]
