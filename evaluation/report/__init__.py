"""Writes reports of tournaments as self-contained HTML pages."""

from starspiel.evaluation.report.page import write_report, write_reports

__all__ = ["write_report", "write_reports"]
