"""Motions that are the same but for an isometry, names or what is far away, and which motions are unique.

A motion is left out, by its own states and impulses in plain numpy, where at some step

- it *grazes*: a contact with friction that is open, loaded, sticking or sliding is within `NEAR` g h of being
  the other; or a speed of approach is within that of 2 g h, from which on bodies rebound;
- it *shares*: impulses of loaded contacts and joints do not follow from what they do to the velocities, while
  one of these contacts slides. A contact that sticks has three columns, one that slides has one;
- it *misses*: no impulses were found that obey the law, as where a body on a joint jams in an impact.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import mechanics
import numpy as np
from checker import Law, Miss, known, worst
from generated import GRAVITY, Scene
from images import SAME, Image
from recorded import Run

Array = Any
#: of g h, within which a contact is at a switch; `Scene.keys` ask for a residual of 1e-9
NEAR = 1e-5
#: of g h, above which a step misses its residual by far
MISSED = 1e-6
#: smallest singular value of a determined step, of unit columns
RANK = 1e-8


class Judged(NamedTuple):
    """Of a motion: why it is left out, "" if it is not; the condition of its worst step."""

    reason: str
    condition: float


def judged(run: Run, scene: Scene) -> Judged:
    law, condition = Law(run, scene), 1.0
    if scene.start == "sunk":
        return Judged("starts where `separate` puts it, to its own tolerance", condition)
    for k, step in known(run):
        h = step.end - step.start
        if step.residual > MISSED * GRAVITY * h:
            return Judged(f"misses in step {k}", condition)
        poses = law.mechanism.middle(k)
        inverse = mechanics.inverse_mass(run, poses)
        v0, v1 = law.velocities(k)
        near, slides, columns = NEAR * GRAVITY * h, False, []
        past = law.past(k - 1)
        for touch in mechanics.touches(run, k, poses):
            n, u, r = touch.normal, touch.G @ v1, touch.impulse
            rho = 3.0 / mechanics.trace(touch, inverse)
            normal, u0 = float(n @ r), float(n @ touch.G @ v0)
            _, a, b = law.stated(touch, v0, v1, inverse, h, past.get(touch.identity), False)
            slip = u - (n @ u) * n + b
            speed, load = float(np.linalg.norm(slip)), float(np.linalg.norm(r - normal * n))
            if scene.restitution > 0.0 and abs(u0 + 2.0 * GRAVITY * h) < near:
                return Judged(f"grazes in step {k}: at the speed of rebounds", condition)
            open_by = abs(float(n @ u) + a)
            between = (normal == 0.0 and open_by < near) or 0.0 < normal < rho * near
            if between and touch.friction > 0.0:
                return Judged(f"grazes in step {k}: between open and loaded", condition)
            if normal == 0.0:
                continue
            if touch.friction == 0.0:
                columns.append(touch.G.T @ n)
            elif speed > near:
                slides = True
                columns.append(touch.G.T @ (n - touch.friction * slip / speed))
            elif touch.friction * normal - load < rho * near:
                return Judged(f"grazes in step {k}: between sticking and sliding", condition)
            else:
                columns += list(touch.G)
        if not columns:
            continue
        rows, _ = law.mechanism.rows(poses, 0.5 * (step.start + step.end))
        values, axes = np.linalg.eigh(inverse)
        columns = np.vstack([columns, rows]) @ (axes * np.sqrt(np.maximum(values, 0.0)))
        lengths = np.linalg.norm(columns, axis=1)
        # nothing moves across the plane of planar bodies
        columns = columns[lengths > 0.0] / lengths[lengths > 0.0, None]
        sizes = np.linalg.svd(columns, compute_uv=False)
        if (len(columns) > len(sizes) or sizes[-1] < RANK) and slides:
            return Judged(f"shares in step {k}", condition)
        masses = [body.mass for body in run.bodies]
        condition = max(condition, np.sqrt(max(masses) / min(masses)) / float(sizes[sizes > RANK].min()))
    return Judged("", condition)


def alike(run: Run, other: Run, allowed: float, image: Image = SAME) -> Miss:
    """The other motion is the image of this one, within `allowed` [m/s] of velocities."""
    misses = []
    for body in run.bodies:
        size = float(np.abs(body.inertia).max() / body.mass) ** 0.5 if body.type == "spatial" else 0.0
        v = run.v[body.name] @ image.Q.T + image.drift - other.v[body.name]
        w = size * (image.side * run.w[body.name] @ image.Q.T - other.w[body.name])
        off = np.maximum(np.abs(v).max(axis=1), np.abs(w).max(axis=1))
        k = int(np.argmax(off))
        misses.append(
            Miss(float(off[k]) / allowed, f"at t = {run.time[k]:g} s, {body.name}: {off[k]:.3g} m/s")
        )
    return worst(misses)
