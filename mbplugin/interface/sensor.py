"""Sensors: numbers of a frame that a result stores, computed in plain numpy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar


class SensorKind:
    """Base of sensors: a `[[sensor]]` with this `type`. It is asked at frames, after the step, so that it
    changes nothing of the motion.

    outputs:    component -> unit; {"": "m"} for one number without a name of its own
    parameters: pydantic class of its keys, or None
    examples:   keys for the conformance kit
    scene:      TOML of a scene without sensors for the kit; "": two bodies, a hinge and a spring
    """

    name: ClassVar[str]
    outputs: ClassVar[Mapping[str, str]] = {}
    parameters: ClassVar[Any] = None
    examples: ClassVar[Sequence[Mapping[str, Any]]] = ()
    scene: ClassVar[str] = ""

    @classmethod
    def check(cls, params: Any, system: Any) -> None:
        """Raise SceneError, with the key, for params that do not fit the `mbplugin.System`."""

    @classmethod
    def sample(cls, params: Any, frame: Any) -> Sequence[float]:
        """The numbers of a frame in the order of `outputs`, finite. params: validated; frame: a `FrameView`,
        which has every quantity of the result but those of sensors.
        """
        raise NotImplementedError
