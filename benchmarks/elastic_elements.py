"""Bushings, beams and springs between as many bodies and the ground: what an evaluation and a tangent cost
beside those of the bodies alone.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from timing import seconds, sized, table

import mbplugin as mb
from mbplugin.kernels import entries

#: keys of each kind
KINDS: dict[str, dict[str, Any]] = {
    "none": {},
    "spring_damper": {"stiffness": 1e4, "damping": 10.0, "length": 0.1},
    "bushing": {
        "stiffness": [1e4, 2e4, 3e4],
        "angular_stiffness": [10.0, 20.0, 30.0],
        "damping": [1.0, 2.0, 3.0],
        "angular_damping": [0.1, 0.2, 0.3],
        "offset": [0.0, 0.0, 0.0],
        "rotation": [0.1, 0.05, 0.02],
    },
    "bushing, matrices": {
        "stiffness_matrix": (10.0 * np.eye(6) + 1.0).tolist(),
        "damping_matrix": (10.0 * np.eye(6) + 1.0).tolist(),
    },
    "beam": {"young": 1e6, "section": {"radius": 0.01}},
}
ROUNDS = 9


def problem(kind: str, count: int) -> Any:
    """So many moving bodies, each with an element of a kind to the ground; ready for tangents."""
    rng = np.random.default_rng(1)
    system = mb.System(scene={"gravity": [0, 0, 0]}, solver={"end": 1.0})
    for k in range(count):
        x, v, w = rng.normal(size=(3, 3)).tolist()
        given = {"mass": 1.0, "inertia": [1.0, 1.0, 1.0], "position": x}
        system.add(mb.Body(name=f"b{k}", velocity=v, angular_velocity=w, **given))
        if kind != "none":
            given = {"type": kind.partition(",")[0], "a": "ground", "b": f"b{k}"}
            system.add(mb.Force(name=f"f{k}", **given, **KINDS[kind]))
    found = system.compile()
    found.check(entries.evaluate(found.addresses))
    found.prepare_tangents()
    return found


def elastic_elements() -> None:
    count = sized(10_000, 2)
    made = {kind: problem(kind, count) for kind in KINDS}
    spans: dict[tuple[str, str], list[float]] = {}
    for _ in range(sized(ROUNDS, 1)):
        for kind, one in made.items():
            for what, work in (
                ("evaluation", partial(entries.evaluate, one.addresses)),
                ("tangent", partial(one.form_tangent, 0.0, 0.3, 1.0)),
            ):
                spans.setdefault((kind, what), []).append(1e3 * seconds(work))
    best = {key: min(each) for key, each in spans.items()}
    rows: list[list[object]] = []
    for kind in KINDS:
        two = [best[kind, what] for what in ("evaluation", "tangent")]
        beside = [best[kind, what] - best["none", what] for what in ("evaluation", "tangent")]
        rows.append([kind, *two, sum(beside)])
    table(
        f"{count:,} elastic elements and as many bodies: ms, and both beside those of the bodies alone",
        ["element", "evaluation", "tangent", "elements"],
        rows,
    )
