"""Laws of contact: the set of impulses that a contact may have, and how they depend on its velocity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

#: status of a contact: no impulse but what the law has of its own, no sliding, sliding
OPEN, STICK, SLIP = range(3)


class ContactLaw:
    """Base of laws of contact: `type` of a `[[contact]]`.

    r is the impulse on b and u the velocity of b relative to a, both in the frame of the contact: the normal
    from a to b and two tangents. The law is the fixed point r = S(r − ρ u) for every ρ > 0. u contains the
    restitution, and the speed that closes a gap. In all functions p are four numbers of a contact in one
    step.

    begin(friction, friction_static, own, gap, h, stuck): p, before a step of length h [s]. own: `numbers` of
    the pair, four of them; gap [m]; stuck: whether the contact has stuck in the last step. p[0] is the
    coefficient of friction that results show.
    map(x, y, z, p): S, three numbers, and OPEN, STICK or SLIP.
    slope(x, y, z, p): ∂S/∂x, nine numbers row by row.
    solve(W, q_n, q_1, q_2, p): the r of one contact with u = W r + q, and its status; W: nine numbers, row by
    row, symmetric and positive semidefinite.

    If the law is that of a convex set K, with ũ = u + p[0] |u_T| n and K* ∋ ũ ⊥ r ∈ K as Coulomb's is, the
    solver begins with a convex problem. Then it has also
    projection(x, y, z, p): the nearest point of K, and the status.
    slope_of_projection(x, y, z, p): its derivative, nine numbers, symmetric.

    If K is the cone |r_T| ≤ μ (r_N + c), the solver follows a path inside it from far:
    cone(p): μ and c ≥ 0 [N·s].

    A law with memory keeps three numbers of each contact from step to step, such as whether a bond is
    intact; above 0 the first one says that the contact is bonded, which results show as its status. `begin`
    has them as a seventh argument, `memory`, and there are
    start(own, begins): memory of a contact that is new; begins: whether the run begins with it, closed.
    accept(own, memory, r_n, r_1, r_2, h, status): that at the end of a step, by the impulse in it [N·s];
    status: STICK where bodies have not moved at the contact, SLIP where they slide, OPEN where they part.

    All are compiled: plain functions of a module.
    """

    name: ClassVar[str]
    parameters: ClassVar[Any] = None  # pydantic class of the law's keys in a `[[contact]]`
    begin: ClassVar[Any] = None
    map: ClassVar[Any] = None
    slope: ClassVar[Any] = None
    solve: ClassVar[Any] = None
    projection: ClassVar[Any] = None
    slope_of_projection: ClassVar[Any] = None
    cone: ClassVar[Any] = None
    start: ClassVar[Any] = None
    accept: ClassVar[Any] = None
    examples: ClassVar[Sequence[dict[str, Any]]] = ()  # keys used by the conformance kit

    @classmethod
    def numbers(cls, keys: Any) -> Sequence[float]:
        """Up to four numbers of a pair of surfaces, which `begin` gets as `own`."""
        return ()
