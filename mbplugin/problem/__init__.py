"""The compiled system: tables, names, and their evaluation."""

from mbplugin.problem.names import (
    ActivityInfo,
    CoordinateInfo,
    EnforcedInfo,
    JointInfo,
    LineInfo,
    Names,
    RowName,
)
from mbplugin.problem.problem import Problem
