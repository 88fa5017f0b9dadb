"""The kit tries an element with the memory that it writes, so it finds what is wrong only there."""

from __future__ import annotations

from mbplugin.derive.comparison import POWER_WHAT
from mbplugin.interface import ForceKind, Parameters, Positive
from mbplugin.math.vec3 import dot, scale, sub
from mbplugin.testing import check_force


class CrackedKeys(Parameters):
    strength: Positive
    """Distance at which it cracks [m]."""


class Cracked(ForceKind):
    """A spring of 50 N/m between markers; beyond a distance it cracks and keeps half its stiffness."""

    name = "test_cracked"
    parameters = CrackedKeys
    memory = 1
    events = 1
    examples = ({"strength": 0.5},)

    @staticmethod
    def kernel(a, b, mem, wrench, energy):
        d = sub(b.x, a.x)
        stiffness = 50.0 if mem[0] == 0.0 else 25.0
        f = scale(-stiffness, d)
        for k in range(3):
            wrench[0, k], wrench[0, 3 + k] = -f[k], 0.0
            wrench[1, k], wrench[1, 3 + k] = f[k], 0.0
        energy[0] = 0.5 * stiffness * dot(d, d)

    @staticmethod
    def event(a, b, p, mem, event):
        event[0] = 1.0 if mem[0] > 0.0 else p.strength**2 - dot(sub(b.x, a.x), sub(b.x, a.x))

    @staticmethod
    def accept(a, b, p, mem, mem_new):
        beyond = dot(sub(b.x, a.x), sub(b.x, a.x)) >= p.strength**2
        mem_new[0] = 1.0 if beyond else mem[0]


class Forgotten(Cracked):
    """Its energy is right only while it is whole."""

    name = "test_forgotten"

    @staticmethod
    def kernel(a, b, mem, wrench, energy):
        d = sub(b.x, a.x)
        stiffness = 50.0 if mem[0] == 0.0 else 25.0
        f = scale(-stiffness, d)
        for k in range(3):
            wrench[0, k], wrench[0, 3 + k] = -f[k], 0.0
            wrench[1, k], wrench[1, 3 + k] = f[k], 0.0
        energy[0] = 25.0 * dot(d, d)


def failed(kind, keys=None):
    return [(check.kind, check.what) for check in check_force(kind, keys).checks if not check.ok]


def test_an_error_that_only_memory_shows_is_found():
    assert failed(Cracked) == []
    with_memory = f'force "{Forgotten.name}" with memory'
    assert failed(Forgotten) == [
        (f'force "{Forgotten.name}"', POWER_WHAT),  # in the branch of the memory
        (with_memory, "power of the wrenches = power - rate of energy"),
    ]


def test_a_memory_that_no_example_changes_is_said():
    assert failed(Cracked, {"strength": 1e3}) == [(f'force "{Cracked.name}"', "its memory changes")]
