"""Constraint forces by Lagrange multipliers, and Runge-Kutta integrators with projection."""

from mbplugin.interface import hookimpl
from mbplugin_lagrange.rk import RungeKutta


@hookimpl
def mbplugin_solvers(register):
    register(RungeKutta)
