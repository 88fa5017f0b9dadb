"""Boxes of finite elements with loads on their faces, as compiled problems whose nodes tests place."""

from __future__ import annotations

import numpy as np
from mbplugin_flexible.elements import KINDS as ELEMENT_KINDS

import mbplugin as mb
from mbplugin.compile import compile_system
from mbplugin.hooks.load import load_plugins
from mbplugin.tables.groups import Elements, Markers, State, Wrenches

SIX = ("x-", "x+", "y-", "y+", "z-", "z+")
SIZE = np.array([0.4, 0.3, 0.2])
YOUNG, POISSON = 1e6, 0.3
ELEMENTS = ("hex8", "tet4", "tet10", "hex27")

SCENE = """
[scene]
gravity = [0, 0, 0]
[[material]]
name = "rubber"
young = {young}
poisson = {poisson}
density = 1000
elasticity = "{law}"
[[body]]
name = "block"
type = "finite_element"
material = "rubber"
mesh = {{ shape = "box", size = [0.4, 0.3, 0.2], divisions = [2, 1, 2], elements = "{elements}" }}
position = [1, 2, 3]
orientation = {{ axis = [1, 1, 0], angle_deg = 40 }}
{body}
[solver]
type = "rk"
end = 0.1
"""


def law_of(elements):
    """The law of large strain where the elements have it."""
    return "neo_hookean" if "neo_hookean" in ELEMENT_KINDS[elements].laws else "linear"


def text(elements="hex8", forces="", body=""):
    return (
        SCENE.format(young=YOUNG, poisson=POISSON, law=law_of(elements), elements=elements, body=body)
        + forces
    )


def pressure(faces, value, **keys):
    more = "".join(f"{key} = {number}\n" for key, number in keys.items())
    return f'[[force]]\ntype = "pressure"\nbody = "block"\nfaces = "{faces}"\npressure = "{value}"\n{more}'


def traction(faces, **components):
    lines = "".join(f'traction_{axis} = "{value}"\n' for axis, value in components.items())
    return f'[[force]]\ntype = "traction"\nbody = "block"\nfaces = "{faces}"\n{lines}'


class Loaded:
    """A compiled scene. Where the block is free, q are the positions of its nodes in its axes at t = 0."""

    def __init__(self, scene):
        self.system = mb.System.from_text(scene)
        self.problem = compile_system(self.system, load_plugins()[0])
        body = self.system.body("block")
        self.mesh, self.R0, self.x0 = body.content.data.mesh, body.axes(), np.array(body.position)
        self.q = self.problem[State].q.copy()
        self.rest = self.mesh.points

    def loads(self, y, t=0.0, v=None):
        """Positions and forces (slots, 3) at nodes y (n, 3) in the axes of the body, world axes."""
        v = np.zeros(self.problem.nv) if v is None else np.ravel(v)
        self.problem.evaluate(t, np.ravel(y), v)
        wrench, elements = self.problem[Wrenches], self.problem[Elements]
        markers = np.zeros(len(wrench.wrench) // 6, int)
        for e in elements.index:
            first = wrench.index[e.force].first_slot
            markers[first : first + e.slots] = elements.marker[e.first_slot : e.first_slot + e.slots]
        x = self.problem[Markers].x[markers]
        return x.copy(), wrench.wrench.reshape(-1, 6)[:, :3].copy()

    def deformed(self, seed=0, size=0.03):
        """Nodes at random places near those at rest."""
        return self.rest + size * np.random.default_rng(seed).uniform(-1.0, 1.0, self.rest.shape)

    def forces(self, y):
        """(n, 3) generalized forces of the nodes, loads and stress together, in the axes of the body."""
        return self.problem.forces(0.0, np.ravel(y), np.zeros(self.problem.nv)).reshape(-1, 3)
