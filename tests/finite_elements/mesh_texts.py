"""Files of one small mesh, as other programs write them: two cubes of 1 along x, from 0 to 2.

Nodes 1 to 12, by x, then y, then z: 1 (0 0 0), 2 (0 0 1), 3 (0 1 0), 4 (0 1 1), 5 (1 0 0), ... 12 (2 1 1).
"""

from __future__ import annotations

import numpy as np

POINTS = np.array([[x, y, z] for x in (0, 1, 2) for y in (0, 1) for z in (0, 1)], float)
#: nodes of the cubes, from 1
CUBES = ((1, 5, 7, 3, 2, 6, 8, 4), (5, 9, 11, 7, 6, 10, 12, 8))
LEFT, RIGHT = {1, 2, 3, 4}, {9, 10, 11, 12}


def row(numbers, between: str = " ") -> str:
    return between.join(map(str, numbers))


GMSH = f"""$MeshFormat
4.1 0 8
$EndMeshFormat
$PhysicalNames
3
0 4 "tip"
2 1 "left"
3 2 "bar"
$EndPhysicalNames
$Entities
1 0 2 1
1 2 1 1 1 4
1 0 0 0 0 1 1 1 1 0
2 2 0 0 2 1 1 1 3 0
1 0 0 0 2 1 1 1 2 0
$EndEntities
$Nodes
1 12 1 12
3 1 0 12
{chr(10).join(map(str, range(1, 13)))}
{chr(10).join(row(p) for p in POINTS)}
$EndNodes
$Elements
4 5 1 5
0 1 15 1
1 12
2 1 3 1
2 1 2 4 3
2 2 3 1
3 9 10 12 11
3 1 5 2
4 {row(CUBES[0])}
5 {row(CUBES[1])}
$EndElements
"""

GMSH_22 = f"""$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
2
2 1 "left"
3 2 "bar"
$EndPhysicalNames
$Nodes
12
{chr(10).join(f"{k + 1} {row(p)}" for k, p in enumerate(POINTS))}
$EndNodes
$Elements
4
1 3 2 1 1 1 2 4 3
2 3 2 3 2 9 10 12 11
3 5 2 2 1 {row(CUBES[0])}
4 5 2 2 1 {row(CUBES[1])}
$EndElements
"""

NASTRAN = """SOL 103
CEND
BEGIN BULK
{grids}
CHEXA   1       4       1       5       7       3       2       6       +
+       8       4
CHEXA   2       4       5       9       11      7       6       10      +
+       12      8
CQUAD4  3       9       1       2       4       3
ENDDATA
""".format(
    grids="\n".join(
        f"GRID    {k + 1:<8d}        {x:<8.1f}{y:<8.1f}{z:<8.1f}" for k, (x, y, z) in enumerate(POINTS)
    )
)

ABAQUS = f"""*HEADING
two cubes
** numbers of nodes need not be those of lines
*NODE, NSET=ALL
{chr(10).join(f"{100 + k}, {row(p, ', ')}" for k, p in enumerate(POINTS, 1))}
*ELEMENT, TYPE=C3D8R, ELSET=first
7, {row([100 + n for n in CUBES[0]], ", ")}
*Element, type=C3D8R
8, {row([100 + n for n in CUBES[1][:5]], ", ")},
{row([100 + n for n in CUBES[1][5:]], ", ")}
*NSET, NSET=left
101, 102, 103
104,
*NSET, NSET=right, GENERATE
109, 112, 1
*NSET, NSET=ends
LEFT, right
*ELSET, ELSET=both
first, 8
*SURFACE, NAME=wall, TYPE=ELEMENT
first, S6
*SURFACE, NAME=tip
8, S4
*SURFACE, NAME=skin
both,
*SURFACE, NAME=at, TYPE=NODE
left,
*MATERIAL, NAME=steel
*ELASTIC
210e9, 0.3
"""
