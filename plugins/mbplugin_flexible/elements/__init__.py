"""Finite elements: `hex8`, `hex27`, `tet4` and `tet10`."""
