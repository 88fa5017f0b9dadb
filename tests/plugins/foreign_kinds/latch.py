"""A force of constant size that always points back to x = 0. Which side the marker is on is memory: an event
finds the crossing, `accept` notes it.
"""

from __future__ import annotations

from mbplugin.interface import ForceKind, Parameters, Positive


class LatchParameters(Parameters):
    size: Positive
    """Force [N]."""


class Latch(ForceKind):
    name = "foreign_latch"
    parameters = LatchParameters
    markers = 1
    memory = 1
    events = 1

    @staticmethod
    def kernel(a, p, mem, wrench):
        for k in range(6):
            wrench[0, k] = 0.0
        wrench[0, 0] = p.size if mem[0] < 0.0 else -p.size

    @staticmethod
    def event(a, event):
        event[0] = a.x[0]

    @staticmethod
    def accept(a, mem_new):
        mem_new[0] = -1.0 if a.x[0] <= 0.0 else 1.0
