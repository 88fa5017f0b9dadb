"""Methods that are right, and methods that go wrong in each of the ways that the engine must survive."""

from __future__ import annotations

import numpy as np
from mbplugin_least_constraint import LeastConstraint

from mbplugin.interface import MethodKind, hookimpl

right = LeastConstraint.acceleration


class Wanders(MethodKind):
    """Looks at other states on its way."""

    name = "foreign_wanders"

    @staticmethod
    def acceleration(problem, t, q, v):
        problem.forces(t + 0.3, q, 2.0 * v)
        problem.residuals(t - 0.1, 1.01 * q, v)
        found = right(problem, t, q, v)
        problem.mass(0.99 * q)
        return found


class Writes(MethodKind):
    """Changes the arrays that it gets."""

    name = "foreign_writes"

    @staticmethod
    def acceleration(problem, t, q, v):
        found = right(problem, t, q, v)
        q[:], v[:] = 7.0, np.nan
        return found


def wrong(kind, change):
    def acceleration(problem, t, q, v):
        v_dot, lam = right(problem, t, q, v)
        return change(v_dot, lam) if t > 0.25 else (v_dot, lam)

    return type(kind, (MethodKind,), {"name": f"foreign_{kind}", "acceleration": staticmethod(acceleration)})


def late(v_dot, lam):
    raise ValueError("too late")


WRONG = [
    wrong("raises", late),
    wrong("leaves", lambda v_dot, lam: exit("of here")),
    wrong("says_one", lambda v_dot, lam: v_dot),
    wrong("is_short", lambda v_dot, lam: (v_dot, lam[:-1])),
    wrong("is_a_column", lambda v_dot, lam: (v_dot[:, None], lam)),
    wrong("is_nan", lambda v_dot, lam: (np.where(np.arange(len(v_dot)) == 2, np.nan, v_dot), lam)),
    wrong("is_infinite", lambda v_dot, lam: (v_dot, lam / 0.0 if len(lam) else lam)),
]


@hookimpl
def mbplugin_methods(register):
    for kind in (Wanders, Writes, *WRONG):
        register(kind)
