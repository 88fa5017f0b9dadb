"""Results without forces: of a kinematic analysis in which a body has no mass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mbplugin.errors import SceneError, listed
from mbplugin.results.read import RawResult


def without_forces(massless: Sequence[str]) -> str:
    """Why there are none. massless: names of the bodies without a mass."""
    return (
        f"without masses there are no reactions, drives and energies: no mass is given for {listed(massless)}"
    )


def massless(raw: RawResult) -> list[str]:
    """Names of the bodies of a result that have no mass."""
    masses: list[Any] = raw.attribute("bodies/mass", [])
    return [name for name, mass in zip(raw.names("bodies"), masses) if mass is None]


def refuse_without_forces(raw: RawResult) -> None:
    """Raises SceneError where arrows of forces are asked for and bodies have no mass."""
    if "joints/force" not in raw and (bare := massless(raw)):
        raise SceneError("forces", True, f"this result has none: {without_forces(bare)}")
