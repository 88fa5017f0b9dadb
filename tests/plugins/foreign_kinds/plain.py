"""A spring whose kernel numba cannot compile: it asks an object of a class for its stiffness."""

from __future__ import annotations

from mbplugin.interface import ForceKind, NonNegative, Parameters


class Material:
    """Something that a compiler knows nothing of."""

    def __init__(self) -> None:
        self.laws = {"linear": lambda stiffness, stretch: stiffness * stretch}

    def force(self, law: str, stiffness: float, stretch: float) -> float:
        return self.laws[law](stiffness, stretch)


STEEL = Material()


class PlainParameters(Parameters):
    stiffness: NonNegative
    """Stiffness [N/m]."""
    length: NonNegative
    """Free length [m]."""


class PlainSpring(ForceKind):
    name = "foreign_plain_spring"
    parameters = PlainParameters

    @staticmethod
    def kernel(a, b, p, wrench, energy):
        d = [y - x for x, y in zip(a.x, b.x)]
        length = sum(c * c for c in d) ** 0.5
        pull = STEEL.force("linear", p.stiffness, length - p.length)
        for k in range(3):
            wrench[0, k], wrench[0, 3 + k] = pull * d[k] / length, 0.0
            wrench[1, k], wrench[1, 3 + k] = -pull * d[k] / length, 0.0
        energy[0] = 0.5 * p.stiffness * (length - p.length) ** 2
