"""Reactions of joints on bodies b; a rope of two strands acts on both its loads."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from mbplugin.results import Array, RawResult
from mbplugin.viz.lines import STRANDS, looks_of_lines
from mbplugin.viz.sources import Forces

REACTION = "#C2185B"


class Reactions:
    """Reaction forces as arrows."""

    dots = False

    def __init__(self, raw: RawResult) -> None:
        self.raw = raw
        joints = raw.names("joints")
        self.kinds = [("reaction", REACTION)] if joints and "joints/force" in raw else []
        #: of each rope of two strands: its joint, the first of its two lines, strands at its last marker
        self.ropes = []
        lines, strands = raw.names("lines"), raw.attribute("lines/strands", [])
        for line in [k for k, look in enumerate(looks_of_lines(raw)) if look == STRANDS][::2]:
            self.ropes.append((joints.index(lines[line]), line, strands[line]))

    def at(self, index: int, frame: Mapping[str, Array]) -> Forces:
        """Those of all joints, then those of the first loads of ropes."""
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
