"""Multibody dynamics in which everything physical is a plugin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from mbplugin.api import Simulation as Simulation
    from mbplugin.api import System as System
    from mbplugin.model import Body as Body
    from mbplugin.model import Force as Force
    from mbplugin.model import Input as Input
    from mbplugin.model import Joint as Joint
    from mbplugin.model import Motion as Motion
    from mbplugin.model import Output as Output
    from mbplugin.model import Scene as Scene
    from mbplugin.model import Solver as Solver
    from mbplugin.model import Spline as Spline
    from mbplugin.model import State as State
    from mbplugin.model import Variable as Variable
    from mbplugin.result import Result as Result
    from mbplugin.result import load as load
    from mbplugin.sweeps import Sweep as Sweep
    from mbplugin.sweeps import sweep as sweep

_API = ("System", "Simulation")
_SWEEPS = ("Sweep", "sweep")
_RESULT = ("Result", "load")
_MODEL = (
    "Body",
    "Joint",
    "Motion",
    "Force",
    "Input",
    "Variable",
    "State",
    "Spline",
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
    "Plane",
    "Convex",
    "Mesh",
)


def __getattr__(name: str) -> Any:
    """Imported on first use, so that the command line starts quickly."""
    if name in _API:
        from mbplugin import api

        return getattr(api, name)
    if name in _SWEEPS:
        from mbplugin import sweeps

        return getattr(sweeps, name)
    if name in _RESULT:
        from mbplugin import result

        return getattr(result, name)
    if name in _MODEL:
        from mbplugin import model

        return getattr(model, name)
    raise AttributeError(f"module 'mbplugin' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *_API, *_SWEEPS, *_RESULT, *_MODEL]
