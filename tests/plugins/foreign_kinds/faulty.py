"""Kinds that go wrong half a second into a run, in each of the ways that the engine must survive."""

from __future__ import annotations

from math import nan

from mbplugin.interface import ConstraintKind, ForceKind, hookimpl

UNKNOWN = {"numba": lambda: None}


class Raises(ForceKind):
    name = "foreign_raises"
    markers = 1

    @staticmethod
    def kernel(a, t, wrench):
        for k in range(6):
            wrench[0, k] = 0.0
        if t > 0.5:
            raise ValueError("too late")


class RaisesInPython(ForceKind):
    name = "foreign_raises_in_python"
    markers = 1

    @staticmethod
    def kernel(a, t, wrench):
        UNKNOWN["numba"]()
        wrench[0, :] = 0.0
        if t > 0.5:
            raise ValueError("too late")


class Nan(ForceKind):
    name = "foreign_nan"
    markers = 1

    @staticmethod
    def kernel(a, t, wrench):
        for k in range(6):
            wrench[0, k] = 0.0
        if t > 0.5:
            wrench[0, 2] = nan


class NanInPython(ForceKind):
    name = "foreign_nan_in_python"
    markers = 1

    @staticmethod
    def kernel(a, t, wrench):
        UNKNOWN["numba"]()
        wrench[0, :] = 0.0
        if t > 0.5:
            wrench[0, 2] = nan


class NanRow(ConstraintKind):
    name = "foreign_nan_row"
    labels = ("height",)

    @staticmethod
    def kernel(a, b, t, phi, G, gamma):
        for k in range(12):
            G[k] = 0.0
        G[2], G[8] = -1.0, 1.0
        phi[0] = b.x[2] - a.x[2]
        gamma[0] = nan if t > 0.5 else 0.0


class Asks(ForceKind):
    name = "foreign_asks"
    markers = 1

    @staticmethod
    def kernel(a, temperature, wrench):
        wrench[0, 0] = temperature


@hookimpl
def mbplugin_force_elements(register):
    for kind in (Raises, RaisesInPython, Nan, NanInPython, Asks):
        register(kind)


@hookimpl
def mbplugin_constraint_types(register):
    register(NanRow)
