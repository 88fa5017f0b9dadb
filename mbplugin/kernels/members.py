"""Members of a block of transient rows: the bodies of its two sides, or the parts of them that move.

Each side has the same number of places, one in most scenes; of a face of a body that deforms, one for each
corner that moves. Places that are not used have no velocities, as the ground has none.
"""

from __future__ import annotations

from mbplugin.math.jit import inlined

#: numbers in `TransientRows.width`
RECORD, VELOCITIES, PARTS = range(3)


@inlined
def first_member(transient, k, s):
    """Place of the first member of a side of block k; s: 0 body a, 1 body b. It moves if any of the side
    does.
    """
    return (2 * k + s) * transient.width[PARTS]


@inlined
def members_of(transient, k):
    """Places of all members of block k, those of body a first."""
    return range(first_member(transient, k, 0), first_member(transient, k + 1, 0))
