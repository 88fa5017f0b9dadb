"""Scenes of beams of finite elements along x, held at one end or free."""

from __future__ import annotations

import numpy as np

from mbplugin import System
from mbplugin.hooks.load import load_plugins
from mbplugin.run.analyze import analyze

TIP = '{ name = "tip", nodes = "x+", coupling = "rbe2" }'
HELD = 'fix = [{ nodes = "x-", axes = "xyz" }]'


def beam(
    size,
    divisions,
    young,
    poisson,
    density=1000.0,
    fix=HELD,
    markers=TIP,
    gravity=0.0,
    more="",
    elements="hex8",
):
    """Scene text of a beam with edges `size` [m]."""
    return f"""
[scene]
gravity = [0, 0, {-gravity}]
[[material]]
name = "metal"
young = {young}
poisson = {poisson}
density = {density}
[[body]]
name = "beam"
type = "finite_element"
material = "metal"
mesh = {{ shape = "box", size = {list(size)}, divisions = {list(divisions)}, elements = "{elements}" }}
{fix}
marker = [{markers}]
{more}
"""


def tip_force(z, marker="tip"):
    """Scene text of a vertical force at a marker [N]."""
    return f'[[force]]\nname = "load"\ntype = "force"\nbody = "beam.{marker}"\nforce_z = "{z}"\n'


def done(text, what, **options):
    """The analysis of a scene, with its problem."""
    return analyze(System.from_text(text), what, load_plugins()[0], **options)


def height(problem, x):
    """z of the marker nearest to x (3,) [m]."""
    from mbplugin.tables.groups import Markers

    place = problem[Markers].x
    return float(place[np.argmin(np.linalg.norm(place - x, axis=1)), 2])
