"""Constraint forces by Lagrange multipliers; Runge-Kutta methods with projection, and generalized-α."""

from mbplugin.interface import hookimpl
from mbplugin_lagrange import tableaus
from mbplugin_lagrange.exact import Lagrange
from mbplugin_lagrange.galpha import GeneralizedAlpha
from mbplugin_lagrange.kkt import ConstraintForce, Kkt, NewtonEuler
from mbplugin_lagrange.rk import RungeKutta


@hookimpl
def mbplugin_solvers(register):
    register(RungeKutta)
    register(GeneralizedAlpha)


@hookimpl
def mbplugin_tableaus(register):
    register("rk4", tableaus.classical)
    register("dp5", tableaus.dormand_prince_5)
    register("dop853", tableaus.dormand_prince_8)


@hookimpl
def mbplugin_enforcements(register):
    register(Lagrange)


@hookimpl
def mbplugin_methods(register):
    for kind in (ConstraintForce, Kkt, NewtonEuler):
        register(kind)
