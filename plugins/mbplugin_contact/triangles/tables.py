"""Arrays of surfaces of triangles. Vertices and triangles of all surfaces of a scene are numbered through.

Edge k of a triangle is from its corner k to the next one, and has the number 3 t + k.
"""

from __future__ import annotations

from typing import NamedTuple

from mbplugin.stepping.arrays import Floats3, Ints, Records

#: points that a surface and another shape may have, and two surfaces
SURFACE_POINTS, TWO_SURFACES = 32, 128
#: points of single triangles before they are merged, at most
MOST = 512
#: of `Triangles.edge` and of lists of corners: nothing touches there but faces
SMOOTH = -1

# rows of `Triangles.work`
ON_SURFACE, NORMAL, GAP, DEEPEST = 0, MOST, 2 * MOST, 3 * MOST
WORK_ROWS = 3 * MOST + 2
# places in `Triangles.work_ints`
COUNT, STACK_SIZE, NEXT, LAST, OVERLAPPED, STACK = 0, 1, 2, 3, 4, 8
FEATURE, PLANE, MEMBER, KEPT = 72, 72 + MOST, 72 + 2 * MOST, 72 + 3 * MOST
PAIR_STACK = 72 + 4 * MOST
WORK_INTS = PAIR_STACK + 256


class SurfaceRecord(NamedTuple):
    """A surface of triangles."""

    first: int  # of its triangles
    triangles: int
    first_node: int  # of its tree of boxes; of a height field one box about all
    leaves: int  # of the tree, a power of 2; 0: a height field
    columns: int  # cells of a height field along x
    rows: int  # and along y
    width: float  # of a cell [m]
    length: float  # [m]


class Triangles(NamedTuple):
    """Surfaces of triangles, and work arrays."""

    index: Records[SurfaceRecord]
    vertex: Floats3  # [m], in the frame of the surface
    corner: Ints  # (3 n,) vertices of each triangle, counter-clockwise seen along minus its normal
    normal: Floats3  # of each triangle: that of its plane
    plane: Ints  # (n,) triangles that lie beside each other in one plane have the same number
    both_sides: Ints  # (n,) 1: of an open sheet, which touches from both sides
    across: Ints  # (3 n,) next edge of another triangle at the same place, in a ring; of a border itself
    edge: Ints  # (3 n,) a number that pieces of one straight edge share; SMOOTH: flat or hollow
    corner_first: Ints  # (vertices + 1,) where the list of each vertex begins
    corner_list: Ints  # vertices at the other ends of the edges of a vertex; none where it is smooth
    order: Ints  # (n,) triangles by leaf
    low: Floats3  # corners of boxes; the children of box k are 2 k + 1 and 2 k + 2
    high: Floats3
    work: Floats3
    work_ints: Ints
    home: Ints  # (vertices,) 3 t + k of the first corner k of a triangle t at each
    chain: Ints  # (3 n,) work array: first point of the chain of each number; −1: there is none
