"""A tournament as one self-contained HTML page."""

from starspiel.evaluation.report.page import write_report

__all__ = ["write_report"]
