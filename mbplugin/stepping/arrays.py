"""Declaration of the arrays of a solver: its own group of tables, their types and records."""

from mbplugin.kernels.view import solver_tables
from mbplugin.tables.spec import Floats, Floats3, Floats9, Ints, Ints2, Records, Spec, records, specs

__all__ = [
    "Floats",
    "Floats3",
    "Floats9",
    "Ints",
    "Ints2",
    "Records",
    "Spec",
    "records",
    "solver_tables",
    "specs",
]
