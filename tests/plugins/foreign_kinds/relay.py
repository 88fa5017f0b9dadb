"""A force that pushes until a speed is reached, pulls until it is lost, then rests: its stage is memory."""

from __future__ import annotations

from mbplugin.interface import ForceKind, Number, Parameters


class RelayParameters(Parameters):
    size: Number
    """Force [N]."""

    speed: Number
    """Speed at which it turns [m/s]."""

    broken: Number = 0.0
    """Where it is not 0, the event function is not a number beyond x = 0.3 m."""


class Relay(ForceKind):
    name = "foreign_relay"
    parameters = RelayParameters
    markers = 1
    memory = 1
    events = 1

    @staticmethod
    def kernel(a, p, mem, wrench):
        for k in range(6):
            wrench[0, k] = 0.0
        if mem[0] == 0.0:
            wrench[0, 0] = p.size
        elif mem[0] == 1.0:
            wrench[0, 0] = -p.size

    @staticmethod
    def event(a, p, event):
        event[0] = a.v[0] - p.speed
        if p.broken != 0.0 and a.x[0] > 0.3:
            event[0] = event[0] * 1e308 * 1e308 * 0.0

    @staticmethod
    def accept(a, p, mem, mem_new):
        mem_new[0] = mem[0]
        if mem[0] == 0.0 and a.v[0] >= p.speed:
            mem_new[0] = 1.0
        elif mem[0] == 1.0 and a.v[0] < p.speed:
            mem_new[0] = 2.0
