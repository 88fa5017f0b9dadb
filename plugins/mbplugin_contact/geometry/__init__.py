"""Geometry of contacts: pairs that are near each other, and the points between two shapes.

| file | what |
|---|---|
| `tables.py` | arrays of polyhedra and of the points found |
| `hulls.py` | faces and edges of a polyhedron from its points |
| `grid.py` | pairs of shapes that may touch |
| `sphere_pairs.py`, `plane_pairs.py`, `capsule_pairs.py` | points between shapes of these types |
| `box_box.py`, `convex.py`, `hull_distance.py` | two boxes; two polyhedra |
| `clipping.py` | points where the faces of two polyhedra lie opposite each other |
| `simplex.py`, `gjk.py`, `epa.py`, `nearest_points.py` | any two convex bodies, by their support functions |
| `faces.py`, `normals.py`, `face_points.py`, `face_pair.py` | the same, by supporting faces too |
"""
