"""Body kinds: coordinates, mass matrix, internal forces, and markers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from mbplugin.tables.spec import Array


@dataclass(frozen=True)
class BodyPlan:
    """Constant data of one body, computed by its kind before the run.

    mass:       (nv,) diagonal of M, or (nv, nv) M; None if the kind has an `inertia` function
    parameters: (n,) numbers that the kind's functions get as `p`
    origin:     (3,) mass centre in the body frame [m]
    axes:       (3, 3) columns: axes of the state's frame in the body frame
    """

    mass: Array | None
    parameters: Array
    origin: Array = field(default_factory=lambda: np.zeros(3))
    axes: Array = field(default_factory=lambda: np.eye(3))


class BodyKind:
    """Base of body kinds.

    Required: plan, coordinates, point, locate, to_generalized_force, rate, retract.

    Plain Python:

    plan(params, mass, plane)
        The BodyPlan, from the kind's parameters, the MassProperties and (3, 3) the axes e₁, e₂, n of the
        scene's plane as columns.
    coordinates(position, R, velocity, w, plan, plane)
        q (nq,) and v (nv,), from pose and velocities of the body frame in world axes.
    point(position, axes, plan)
        (record,) point record of a marker, from its position (3,) [m] and axes (3, 3) in the body frame.
    turning(q, v, p, spin)
        (S, C), (nv, nv) each, for modes about a motion: S δ is the rate of the increment δ of q in a world
        that rotates with the angular velocity `spin` (3,) [rad/s]; the velocities of q ⊕ δ are v + δ̇ + C δ
        to first order.

    Compiled functions take the arguments that they name, out of `interface.names`. `geometric` and `tangent`
    are the derivatives of `to_generalized_force` and `internal`, for analyses and implicit solvers; if
    missing, the engine takes differences. `retract_tangent` is that of `retract`; without it T = 1, as for
    q ⊕ dq = q + dq.
    """

    name: ClassVar[str]
    nq: ClassVar[int]  # coordinates
    nv: ClassVar[int]  # velocities
    scratch: ClassVar[int] = 0  # numbers that `prepare` computes for the other functions
    record: ClassVar[int] = 12  # numbers of a point record
    in_plane: ClassVar[bool] = False  # moves in the scene's plane only
    parameters: ClassVar[Any] = None  # pydantic class of the kind's keys

    plan: ClassVar[Callable[..., BodyPlan]]
    coordinates: ClassVar[Callable[..., tuple[Array, Array]]]
    point: ClassVar[Callable[..., Array]]

    # compiled
    prepare: ClassVar[Any] = None
    locate: ClassVar[Any] = None
    point_at: ClassVar[Any] = None  # `point` of a marker in the world, for contacts; None: there can be none
    to_generalized_force: ClassVar[Any] = None
    rate: ClassVar[Any] = None
    retract: ClassVar[Any] = None
    retract_tangent: ClassVar[Any] = None
    normalise: ClassVar[Any] = None
    inertia: ClassVar[Any] = None
    internal: ClassVar[Any] = None
    elastic: ClassVar[Any] = None
    geometric: ClassVar[Any] = None
    tangent: ClassVar[Any] = None

    examples: ClassVar[Sequence[dict[str, Any]]] = ()  # keys used by the conformance kit
    turning: ClassVar[Callable[..., tuple[Array, Array]] | None] = None
