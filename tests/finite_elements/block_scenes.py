"""Texts of scenes with a block of finite elements, and its runs from a given deformation."""

from __future__ import annotations

import numpy as np

import mbplugin as mb
from mbplugin import api
from mbplugin.kernels import entries
from mbplugin.run.prepare import prepare
from mbplugin.tables.groups import State

YOUNG, POISSON = 1e6, 0.3
LAM, MU = YOUNG * POISSON / ((1 + POISSON) * (1 - 2 * POISSON)), YOUNG / (2 * (1 + POISSON))
SIZE = (0.4, 0.1, 0.2)

MATERIAL = """
[scene]
gravity = [0, 0, 0]
[[material]]
name = "rubber"
young = 1e6
poisson = 0.3
density = 1000
elasticity = "{law}"
"""
BLOCK = """
[[body]]
name = "{name}"
type = "finite_element"
material = "rubber"
position = {position}
orientation = {{ axis = [1, 2, -1], angle = 0.7 }}
mesh = {{ shape = "box", size = [0.4, 0.1, 0.2], divisions = {divisions}, elements = "{elements}" }}
{more}
"""
SOLVER = """
[solver]
type = "rk"
coordinates = "maximal"
end = 1e-3
[output]
frames = 4
{output}
"""


def block(name="block", elements="hex8", divisions=(2, 1, 1), position=(1, 2, 3), more=""):
    return BLOCK.format(
        name=name, elements=elements, divisions=list(divisions), position=list(position), more=more
    )


def scene(*bodies, law="linear", output=""):
    return MATERIAL.format(law=law) + "".join(bodies) + SOLVER.format(output=output)


def deformed_run(text, F, w=(0.0, 0.0, 0.0)):
    """The result of a run of one block without held nodes from y = F X, with ẏ = w × y."""
    prepared = prepare(mb.System.from_text(text), api.plugins()[0])
    problem = prepared.problem
    X = problem.names.nodal[0].mesh.points
    problem[State].q[:] = (X @ np.asarray(F).T).ravel()
    problem[State].v[:] = np.cross(w, X @ np.asarray(F).T).ravel()
    problem.check(entries.evaluate(problem.addresses))
    return api.without_files(prepared, None)
