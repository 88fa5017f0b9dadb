"""A constraint kind: a list of basic constraints, or a kernel of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from mbplugin.interface.measure import Basic, Measure
from mbplugin.tables.records import POSITION_LEVEL


class ConstraintKind:
    """Base of constraint kinds.

    Either `basics` (and `planar_basics` for two bodies that move in the plane), or `kernel` with `labels`,
    one per row.
    coordinates: name -> measure (or its registered name) of each free coordinate; motions, `start` and
    results use these names.
    A kind with coordinates alone holds nothing by itself: it has to be driven, and what its motion exerts is
    its reaction.
    planar_form: a kind with a kernel that stands in for this one between planar bodies; z of its markers lies
    in the plane, y is the normal. formula: Φ, and where they are short G and γ, in LaTeX, one equation a
    line; for pages. Those of basic constraints come from their measures. free: the directions in which it
    holds nothing, by name, such as "rotation about z"; the reaction in the joint's axes has zeros there.
    singular: poses that satisfy it and where its rows are not independent, in words.
    markers: how many markers an element has (None: as many as the scene names).
    level: of the kernel's rows, one for all or one for each. states, memory, events: how many of each an
    element has; `start_states` their values at the start. tangent: beside a `kernel`, writes `K`, minus the
    derivative of Gᵀ lam by the places of the markers, from a closed form; None: the engine takes differences.
    length_unit of each row of a kernel: "m" or "rad" in `units`.
    lines: pairs of markers between which pictures and ParaView show a line, such as ((0, 1),) of a rod.
    """

    name: ClassVar[str]
    parameters: ClassVar[Any] = None
    basics: ClassVar[Sequence[Basic]] = ()
    planar_basics: ClassVar[Sequence[Basic]] = ()
    planar_name: ClassVar[str] = ""
    planar_form: ClassVar[type[ConstraintKind] | None] = None
    formula: ClassVar[str] = ""
    spatial: ClassVar[bool] = True
    coordinates: ClassVar[dict[str, Measure | str]] = {}
    planar_coordinates: ClassVar[dict[str, Measure | str] | None] = None
    free: ClassVar[Sequence[str]] = ()
    planar_free: ClassVar[Sequence[str]] = ()
    singular: ClassVar[str] = ""
    lines: ClassVar[Sequence[tuple[int, int]]] = ()
    markers: ClassVar[int | None] = 2
    kernel: ClassVar[Any] = None
    tangent: ClassVar[Any] = None
    labels: ClassVar[Sequence[str]] = ()
    units: ClassVar[Sequence[str]] = ()
    level: ClassVar[int | Sequence[int]] = POSITION_LEVEL
    states: ClassVar[int] = 0
    start_states: ClassVar[Sequence[float]] = ()  # values of the inner states at the start; default 0
    memory: ClassVar[int] = 0
    events: ClassVar[int] = 0
    accept: ClassVar[Any] = None
    event: ClassVar[Any] = None
    examples: ClassVar[Sequence[dict[str, Any]]] = ()  # keys with which the conformance kit tries it

    @classmethod
    def primitives(cls, planar: bool = False) -> list[str]:
        """What it is made of, by name: basic constraints, or the rows of its kernel. `planar`: between planar
        bodies.
        """
        basics = cls.planar_basics if planar else cls.basics
        # with basics, labels are those of the relation that is held beside them
        return [*map(str, basics), *(cls.labels if basics or not planar else ())]

    @classmethod
    def defaults(cls, params: Any, markers: Any) -> Any:
        """Parameters with what the scene left open filled in from the marker poses at t = 0 (list of (x, R))."""
        return params

    @classmethod
    def axes(cls, markers: Any) -> tuple[Any, Any]:
        """Joint axes in which the reaction on the last marker is reported, of the force and of the torque:
        columns x, y, z, world, from the marker poses.

        Where the rows hold, both are the same up to rounding of the state; each is the one in which the zeros
        are exact.
        """
        return markers[0][1], markers[-1][1]

    @classmethod
    def remark(cls, markers: Any) -> str:
        """What is to be said of the assembled marker poses, such as axes that are antiparallel; an empty text
        for nothing.
        """
        return ""

    @classmethod
    def relation(cls, params: Any) -> Sequence[tuple[str, float]]:
        """A further row Σ cᵢ sᵢ = 0 over the kind's own coordinates, [m]: (coordinate, cᵢ); its label is the
        last of `labels`.
        """
        return ()

    @classmethod
    def motions(cls, params: Any) -> dict[str, Any]:
        """Motions of its own coordinates that its parameters give: the key of a `[[motion]]`, such as
        "length_velocity", and its `Function`.
        """
        return {}

    @classmethod
    def coupling(cls, params: Any) -> Sequence[tuple[str, str, float]] | None:
        """For a linear relation Σ cᵢ sᵢ = target of joint coordinates: (joint, coordinate, cᵢ); None for
        other kinds.

        coordinate "": the only one of the joint. The target is the parameter `target`; where that is None or
        missing, the sum at t = 0 as the scene is written.
        """
        return None
