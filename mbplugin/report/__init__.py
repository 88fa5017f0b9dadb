"""A page about a result: one HTML file that loads nothing else."""

from mbplugin.report.page import write_report
