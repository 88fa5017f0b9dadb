"""A system as the machine has it: tables, names, and what can be asked of them."""

from mbplugin.problem.names import CoordinateInfo, EnforcedInfo, JointInfo, Names, RowName
from mbplugin.problem.problem import Problem

__all__ = ["CoordinateInfo", "EnforcedInfo", "JointInfo", "Names", "Problem", "RowName"]
