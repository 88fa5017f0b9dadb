"""The compiled system: tables, names, and their evaluation."""

from mbplugin.problem.names import CoordinateInfo, EnforcedInfo, JointInfo, Names, RowName
from mbplugin.problem.problem import Problem

__all__ = ["CoordinateInfo", "EnforcedInfo", "JointInfo", "Names", "Problem", "RowName"]
