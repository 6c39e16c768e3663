"""A tournament as one self-contained HTML page."""

from starspiel.evaluation.report.page import write_report, write_reports

__all__ = ["write_report", "write_reports"]
