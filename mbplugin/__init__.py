"""Multibody dynamics in which everything physical is a plugin."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from mbplugin.api import System
    from mbplugin.model import (
        Body,
        Curve,
        Force,
        Input,
        Joint,
        Motion,
        Output,
        Scene,
        Solver,
        Spline,
        State,
        StateSpace,
        TransferFunction,
        Variable,
    )
    from mbplugin.result import Result, load
    from mbplugin.run.control_law import ControlLaw, control
    from mbplugin.sweeps import Sweep, sweep

#: module -> names of it
_OFFERED = {
    "api": ("System",),
    "simulation": ("Simulation",),
    "run.control_law": ("control", "ControlLaw"),
    "sweeps": ("Sweep", "sweep"),
    "result": ("Result", "load"),
    "model": (
        "Body",
        "Joint",
        "Motion",
        "Force",
        "Input",
        "Variable",
        "State",
        "TransferFunction",
        "StateSpace",
        "Spline",
        "Curve",
        "Scene",
        "Solver",
        "Output",
        "Material",
        "Contact",
        "Drawing",
        "Sensor",
        "Marker",
        "Box",
        "Sphere",
        "Cylinder",
        "Capsule",
        "Cone",
        "Ellipsoid",
        "Plane",
        "Convex",
        "Mesh",
    ),
}


def __getattr__(name: str) -> Any:
    """Imported on first use, so that the command line starts quickly."""
    for module, names in _OFFERED.items():
        if name in names:
            return getattr(importlib.import_module(f"mbplugin.{module}"), name)
    raise AttributeError(f"module 'mbplugin' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *(name for names in _OFFERED.values() for name in names)]
