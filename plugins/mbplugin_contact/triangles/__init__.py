"""Surfaces of triangles that touch as they are: meshes and height fields.

`surface.py` finds what the contacts need of triangles (planes, edges, corners), `boxes.py` makes the tree of
their boxes, `tables.py` says how both are stored. Compiled: `near.py` finds the triangles near a box,
`directions.py` says along which normals an edge or a corner touches, `cores.py`, `polyhedra.py` and
`supports.py` find points with one triangle, and `merged.py` makes few points of those of all triangles.
Of two surfaces `descent.py` finds pairs of triangles, `opposite.py` the points of one, `twos.py` keeps them,
and `names.py` says what touches.
"""
