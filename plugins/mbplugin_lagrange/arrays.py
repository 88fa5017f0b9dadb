"""Arrays of the Runge-Kutta solver."""

from __future__ import annotations

from typing import NamedTuple

from mbplugin.stepping.arrays import Floats, solver_tables


@solver_tables
class Stages(NamedTuple):
    """The tableau of s stages, their rates, and estimates of the error; (s, n) arrays row by row."""

    A: Floats  # (s, s)
    b: Floats  # (s,)
    c: Floats  # (s,)
    e: Floats  # (s,) weights of the error estimate
    e3: Floats  # (s,) weights of a second one; empty where there is none
    kq: Floats  # (s, nq) rates of the stages
    kv: Floats  # (s, nv)
    ka: Floats  # (s, na)
    fq: Floats  # (nq,) rates at the start of the step
    fv: Floats  # (nv,)
    fa: Floats  # (na,)
    eq: Floats  # (nq,) or (2, nq) estimates of the error
    ev: Floats
    ea: Floats
