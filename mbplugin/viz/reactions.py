"""Reactions of joints on bodies b; the rope of a pulley acts on both its loads."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import Any

import numpy as np

from mbplugin.model.expression import evaluate_parameters, number
from mbplugin.results import RawResult
from mbplugin.viz.sources import Forces

Array = np.ndarray[Any, Any]
REACTION = "#C2185B"


class Reactions:
    """Reaction forces as arrows."""

    dots = False

    def __init__(self, raw: RawResult) -> None:
        self.raw = raw
        joints = raw.names("joints")
        self.kinds = [("reaction", REACTION)] if joints and "joints/force" in raw else []
        #: of each pulley: its joint, the first of its two lines, strands of its second leg
        self.ropes = []
        pulleys = [k for k, kind in enumerate(raw.attribute("joints/type", [])) if kind == "pulley"]
        ratios = ratios_of_pulleys(raw) if pulleys else {}
        for k in pulleys:
            if joints[k] in raw.names("lines"):
                self.ropes.append((k, raw.names("lines").index(joints[k]), ratios.get(joints[k], 1.0)))

    def at(self, index: int, frame: Mapping[str, Array]) -> Forces:
        """Those of all joints, then those of the first loads of pulleys."""
        points, forces = [frame["joints/position"]], [frame["joints/force"]]
        for joint, line, ratio in self.ropes:
            (start, end), (second, last) = frame["lines/ends"][line : line + 2]
            legs = np.array([end - start, last - second])
            along = legs / np.maximum(np.linalg.norm(legs, axis=1), 1e-300)[:, None]
            # F₁ = λ e₁, F₃ = c λ e₂
            lam = frame["joints/force"][joint] @ along[1] / ratio
            points.append(end[None])
            forces.append(lam * along[:1])
        point = np.concatenate(points)
        return Forces(point, np.concatenate(forces), np.zeros(len(point), int))

    def largest(self) -> Array:
        """(frames,) [N]. Raises StoreError."""
        return np.asarray(np.linalg.norm(self.raw["joints/force"], axis=2).max(axis=1, initial=0.0))


def ratios_of_pulleys(raw: RawResult) -> dict[str, float]:
    """The ratio of each joint of the stored scene that gives one."""
    scene = tomllib.loads(str(raw.attributes.get("scene", "")))
    parameters = evaluate_parameters(scene.get("parameters", {}))
    tables = [table for table in scene.get("joint", []) if "ratio" in table and "name" in table]
    return {table["name"]: number(table["ratio"], parameters) for table in tables}
