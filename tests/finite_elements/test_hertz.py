"""Hertz: a rigid sphere pressed on a block of finite elements."""

from __future__ import annotations

from math import pi, sqrt
from typing import NamedTuple

import numpy as np
import pytest
from bodies_of_elements import material
from scene_text import body, joint, motion, solver, table, world

import mbplugin as mb

RADIUS, APPROACH, YOUNG, POISSON = 1.0, 0.01, 1e6, 0.3
#: radius of the contact, and edge of the block [m]
CONTACT, EDGE = sqrt(RADIUS * APPROACH), 3.2
TIME = 0.8


def graded(n: int) -> np.ndarray:
    """Places of nodes from the middle outward: n elements in the radius of the contact, then ever larger."""
    h = CONTACT / n
    x = list(np.arange(0.0, 1.4 * CONTACT + 0.5 * h, h))
    while x[-1] < EDGE:
        h *= 1.6
        x.append(x[-1] + h)
    return np.array(x) * EDGE / x[-1]


def write_quarter(path, x) -> None:
    """A quarter of a block below z = 0, an .inp file with the sets left, front and bottom."""
    n = len(x)
    number = np.arange(1, n**3 + 1).reshape(n, n, n)  # along z, y, x
    z, y, x = (one.ravel() for one in np.meshgrid(-x[::-1], x, x, indexing="ij"))
    lines = ["*NODE", *(f"{k + 1}, {x[k]:.17g}, {y[k]:.17g}, {z[k]:.17g}" for k in range(n**3))]
    corners = [
        number[c : n - 1 + c, b : n - 1 + b, a : n - 1 + a].ravel()
        for c in (0, 1)
        for a, b in ((0, 0), (1, 0), (1, 1), (0, 1))
    ]
    lines.append("*ELEMENT, TYPE=C3D8")
    lines += [", ".join(map(str, (e + 1, *row))) for e, row in enumerate(np.column_stack(corners))]
    for name, nodes in (("left", number[:, :, 0]), ("front", number[:, 0]), ("bottom", number[0])):
        flat = nodes.ravel().tolist()
        lines.append(f"*NSET, NSET={name}")
        lines += [", ".join(map(str, flat[k : k + 12])) for k in range(0, len(flat), 12)]
    path.write_text("\n".join(lines) + "\n")


class Pressed(NamedTuple):
    force: float  # over that of Hertz
    radius: float


def pressed(folder, n: int) -> Pressed:
    """Force and radius over Hertz's, n elements in the radius of the contact. The approach is that of the
    sphere less the way of the clamped lower end of the block in a half-space under this force (Boussinesq),
    (1 + ν)(3 − 2ν) F / 2π E z. The radius follows from the second moment of the pressure, 2/5 a².
    """
    write_quarter(folder / "block.inp", graded(n))
    held = [{"nodes": "left", "axes": "x"}, {"nodes": "front", "axes": "y"}, {"nodes": "bottom"}]
    text = world(gravity=[0, 0, 0]) + material(young=YOUNG, poisson=POISSON, stiffness_damping=2e-4)
    text += body("block", type="finite_element", material="elastic", mesh={"file": "block.inp"},
                 collide=True, fix=held)  # fmt: skip
    text += body("ball", mass=1.0, inertia=[1, 1, 1], position=[0, 0, RADIUS + 1e-6], collide=True,
                 material="elastic", shape=[{"type": "sphere", "radius": RADIUS}])  # fmt: skip
    text += joint("press", "translational", "ground", "ball", at=[0, 0, 0], axis=[0, 0, -1])
    s = f"min(time/{TIME}, 1)"
    text += motion("press", length=f"{APPROACH + 1e-6}*{s}**3*(10 - 15*{s} + 6*{s}**2)")
    tables = solver(type="contact", end=1.1 * TIME) + table("output", frames=11)
    (folder / "scene.toml").write_text(text + tables)
    result = mb.System.from_file(folder / "scene.toml").run(files=False)
    # vibrations that are left
    F = 4.0 * result.contact("block", "ball").force[-2:, 2].mean()
    approach = APPROACH - F * (1 + POISSON) * (3 - 2 * POISSON) / (2 * pi * YOUNG * EDGE)
    hertz = 4 / 3 * YOUNG / (1 - POISSON**2) * sqrt(RADIUS) * approach**1.5
    contacts = result.list("contacts").at(-1)
    w, r = np.abs(contacts.local_force[:, 0]), np.hypot(*contacts.point[:, :2].T)
    return Pressed(F / hertz, sqrt(2.5 * (w * r**2).sum() / w.sum()) / sqrt(RADIUS * approach))


def test_radius_of_contact_is_that_of_hertz(tmp_path):
    """Of three elements in the radius; facets, which touch inside themselves, make the block too stiff."""
    found = pressed(tmp_path, 3)
    assert found.radius == pytest.approx(1.0, abs=0.03)
    assert 1.0 < found.force < 1.1


@pytest.mark.slow
def test_force_of_a_fine_mesh_is_that_of_hertz(tmp_path):
    """Errors fall with the square of the size of elements."""
    found = pressed(tmp_path, 6)
    assert found.radius == pytest.approx(1.0, abs=0.03)
    assert found.force == pytest.approx(1.0, abs=0.03)
