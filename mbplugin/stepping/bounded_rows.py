"""Rows whose forces have bounds, for solvers that decide on their modes themselves: limits, dry friction,
one-way clutches, motions of limited effort, friction of bearings.
"""

from mbplugin.kernels.bounded import is_off, presser, rates_of_bounded, release_idle
from mbplugin.kernels.cones import aim, follows, leads
from mbplugin.kernels.friction import pressure
from mbplugin.kernels.tree.reactions import BLOW, STEP, find_reactions, reactions_are_read
from mbplugin.stepping.changes import note_impulse
from mbplugin.tables.groups import Bearings, Bounded
from mbplugin.tables.records import ENERGY, IMPULSE, LOWER, OFF, ON, UPPER

__all__ = [
    "BLOW",
    "ENERGY",
    "IMPULSE",
    "LOWER",
    "OFF",
    "ON",
    "STEP",
    "UPPER",
    "Bearings",
    "Bounded",
    "aim",
    "find_reactions",
    "follows",
    "is_off",
    "leads",
    "note_impulse",
    "presser",
    "pressure",
    "rates_of_bounded",
    "reactions_are_read",
    "release_idle",
]
