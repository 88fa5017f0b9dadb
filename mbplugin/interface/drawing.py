"""Drawings: points, lines and arrows beside the bodies, computed from a frame in plain numpy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar


@dataclass(frozen=True)
class Glyphs:
    """Points, lines and arrows that a drawing shows of one frame. Points without lines and arrows are dots.

    points: (n, 3) [m], world
    lines:  (l, 2) numbers of the points that each line joins
    arrays: name -> (n,) or (n, k) numbers at the points, for ParaView
    arrows: name of the array (n, 3) whose vectors start at the points; "": no arrows
    scale:  length of an arrow for one unit of its array [m]
    color:  red, green and blue from 0 to 1, or (n, 3) for each point
    """

    points: Any
    lines: Any = ()
    arrays: Mapping[str, Any] = field(default_factory=dict)
    arrows: str = ""
    scale: float = 1.0
    color: Any = (0.76, 0.09, 0.36)


class DrawingKind:
    """Base of drawings: a `[[drawing]]` with this `type`. It is asked for pictures and for the ParaView
    series, after the step, so that it changes nothing of the motion.

    parameters: pydantic class of its keys, or None
    examples:   keys for the conformance kit
    scene:      TOML of a scene without drawings for the kit; "": two bodies, a hinge and a spring
    """

    name: ClassVar[str]
    parameters: ClassVar[Any] = None
    examples: ClassVar[Sequence[Mapping[str, Any]]] = ()
    scene: ClassVar[str] = ""

    @classmethod
    def check(cls, params: Any, system: Any) -> None:
        """Raise SceneError, with the key, for params that do not fit the `mbplugin.System`."""

    @classmethod
    def draw(cls, params: Any, frame: Any) -> Glyphs:
        """Glyphs of a frame. params: validated; frame: a `FrameView`, with every quantity of the
        result.
        """
        raise NotImplementedError
