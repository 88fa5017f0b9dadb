"""A body kind: coordinates, mass, forces of its own, and markers on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from mbplugin.tables.spec import Array


@dataclass(frozen=True)
class BodyPlan:
    """What a body kind makes of one body before the run.

    mass: (nv,) the diagonal of M, or (nv, nv) M itself; both constant. None where the kind has an `inertia`
    function.
    parameters: (n,) numbers that its functions see as `p`.
    origin: (3,) mass centre, and axes: (3, 3) columns of the state's frame, both in the body's frame.
    """

    mass: Array | None
    parameters: Array
    origin: Array = field(default_factory=lambda: np.zeros(3))
    axes: Array = field(default_factory=lambda: np.eye(3))


class BodyKind:
    """Base of body kinds. Required: plan, coordinates, point, locate, to_generalized_force, rate, retract; the rest as
    needed.

    plan(params, mass, plane) gets the kind's own parameters, the MassProperties, and (3, 3) the axes of the
    plane of planar motion as columns. geometric, tangent: derivatives of `to_generalized_force` and of `internal` in closed
    form, for static and eigen analyses; where they are missing, differences are taken. turning(q, v, p, spin)
    gives (S, C), (nv, nv) each, for modes about a motion: with S δ the increment δ of q turns as the world
    does at the angular velocity `spin`, and the velocities of q ⊕ δ are v + δ̇ + C δ to first order.
    nq, nv: coordinates and velocities; scratch: numbers that `prepare` leaves for the others; record: numbers
    of a point record.
    """

    name: ClassVar[str]
    nq: ClassVar[int]
    nv: ClassVar[int]
    scratch: ClassVar[int] = 0
    record: ClassVar[int] = 12
    in_plane: ClassVar[bool] = False
    parameters: ClassVar[Any] = None

    plan: ClassVar[Callable[..., BodyPlan]]
    coordinates: ClassVar[Callable[..., tuple[Array, Array]]]
    point: ClassVar[Callable[..., Array]]

    #: compiled functions, named arguments out of `interface.names`
    prepare: ClassVar[Any] = None
    locate: ClassVar[Any] = None
    to_generalized_force: ClassVar[Any] = None
    rate: ClassVar[Any] = None
    retract: ClassVar[Any] = None
    normalise: ClassVar[Any] = None
    inertia: ClassVar[Any] = None
    internal: ClassVar[Any] = None
    elastic: ClassVar[Any] = None
    geometric: ClassVar[Any] = None
    tangent: ClassVar[Any] = None

    examples: ClassVar[Sequence[dict[str, Any]]] = ()  # keys with which the conformance kit tries it
    turning: ClassVar[Callable[..., tuple[Array, Array]] | None] = None
