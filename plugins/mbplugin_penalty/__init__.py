"""Constraints enforced by stiffness and damping (penalty), and the augmented Lagrangian."""

from mbplugin.interface import hookimpl
from mbplugin_penalty.penalty import Penalty


@hookimpl
def mbplugin_enforcements(register):
    register(Penalty)
