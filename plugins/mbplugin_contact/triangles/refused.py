"""Height fields that may meet: two do not touch, nor do one and a half-space."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.errors import SceneError
from mbplugin.stepping.shapes import Shapes

#: type of shapes that are terrain
FIELD = "heightfield"


def refuse_surfaces(problem: Any) -> None:
    """Raises SceneError if two shapes that cannot touch are on bodies that may meet."""
    names, collisions = problem.names, problem.names.collisions
    bodies, shapes = problem[Shapes].index.body, names.shapes
    joined = set(map(tuple, collisions.joined.tolist()))
    fields = [k for k in np.flatnonzero(collisions.surface >= 0) if shapes[k].contact_type == FIELD]
    others = [k for k, shape in enumerate(shapes) if shape.kind is not None and not shape.kind.bounded]
    for i in fields:
        for j in (*fields, *others):
            a, b = sorted((int(bodies[i]), int(bodies[j])))
            apart = collisions.pass_through[collisions.surface[i], collisions.surface[j]]
            if a == b or apart or (a, b) in joined or collisions.surface[j] < 0:
                continue
            owners = [names.body(k) if k >= 0 else "ground" for k in (a, b)]
            kinds = " and ".join(f"a {shapes[k].type}" for k in (i, j))
            mend = (
                f'{kinds} do not touch each other, and those of "{owners[0]}" and "{owners[1]}" may meet; '
                "give a [[contact]] of both bodies `collide = false`"
            )
            raise SceneError("type", "contact", f"{shapes[i]._key}: {mend}")
