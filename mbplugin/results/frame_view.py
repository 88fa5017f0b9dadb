"""One frame of a result, as sensors, drawings and callbacks get it: places by name, quantities by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

from mbplugin.decoder.deformed import GRADIENT
from mbplugin.decoder.rotation import Array, rotation
from mbplugin.results.events import SWITCHES
from mbplugin.results.layout import STATUSES
from mbplugin.results.quantities import index_of
from mbplugin.results.stored_names import find_place

BODY = (
    *("position", "orientation", "velocity", "angular_velocity", "acceleration", "angular_acceleration"),
    *("center_of_mass", "center_of_mass_velocity", "kinetic_energy"),
)


class FrameView:
    """A frame, read only.

    time:          [s]
    bodies:        names of the bodies
    body(name):    position, velocity, acceleration (3,) of the origin of its frame; orientation (4,),
                   rotation (3, 3) from body to world axes, angular_velocity, angular_acceleration (3,);
                   center_of_mass, center_of_mass_velocity (3,), kinetic_energy [J]
    point(name, p): world position (3,) [m] of a point p (3,) in the body's frame
    status(name):  what a row that switches does, as a word: "sticks" of "pin.angle.friction"
    frame[what]:   any stored quantity by the name that `mbplugin plot` takes: a number, or an array of its
                   components
    system:        the `mbplugin.System`
    inputs:        in the function `on_frame` of a run whose scene has inputs without a table: its inputs by
                   name, which it may set; new values hold from this frame on
    """

    inputs: Any

    def __init__(
        self, arrays: Mapping[str, Any], attribute: Callable[[str], Any], system: Callable[[], Any]
    ) -> None:
        """arrays: without the frame axis, by the keys of the layout; attribute: "bodies/name" -> names."""
        self._arrays, self._attribute, self._system = arrays, attribute, system
        self.time = float(arrays["time"])

    @property
    def system(self) -> Any:
        return self._system()

    @property
    def bodies(self) -> list[str]:
        return self.names("bodies")

    def names(self, group: str) -> list[str]:
        """Names of a group of the result format, such as "joints"."""
        return list(self._attribute(f"{group}/name") or [])

    def body(self, name: str) -> SimpleNamespace:
        """The arrays of a body. Raises SceneError."""
        k = index_of(self.bodies, name, "body")
        arrays = {
            key: np.array(self._arrays[f"bodies/{key}"][k]) for key in BODY if f"bodies/{key}" in self._arrays
        }
        return SimpleNamespace(rotation=rotation(arrays["orientation"]), **arrays)

    def point(self, name: str, place: Any) -> Array:
        """(3,) a point of a body in the world [m]; place (3,): in the body's frame. Raises SceneError."""
        body, deformed = self.body(name), self.names("deformations")
        A = body.rotation
        if name in deformed:
            A = np.asarray(self._arrays[GRADIENT][deformed.index(name)]).reshape(3, 3)
        return np.asarray(body.position + A @ np.asarray(place, float))

    def status(self, name: str) -> str:
        """Status of a limit, friction, clutch or motion of limited effort. Raises SceneError."""
        key, k = place_of_status(self.names, name)
        return STATUSES[int(self._arrays[key][k])]

    def __getitem__(self, what: str) -> Any:
        """A quantity by name. Raises SceneError with the nearest names."""
        place = find_place(list(self._arrays), self.names, what)
        value = np.asarray(self._arrays[place.key])
        if place.member is not None:
            value = value[place.member]
        if place.component is not None:
            value = value[place.component]
        return float(value) if value.ndim == 0 else value.copy()


def place_of_status(names_of: Callable[[str], list[str]], name: str) -> tuple[str, int]:
    """Key of the array of statuses, and place in it, of what acts under a condition, or of a row that
    switches. names_of: "bounds" -> names. Raises SceneError.
    """
    if name in (conditional := names_of("activities")):
        return "activities/status", conditional.index(name)
    return "bounds/status", index_of(names_of("bounds"), name, SWITCHES, "bound")
