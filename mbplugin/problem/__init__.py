"""The compiled system: tables, names, and their evaluation."""

from mbplugin.problem.names import ActivityInfo, CoordinateInfo, EnforcedInfo, JointInfo, Names, RowName
from mbplugin.problem.problem import Problem

__all__ = ["ActivityInfo", "CoordinateInfo", "EnforcedInfo", "JointInfo", "Names", "Problem", "RowName"]
