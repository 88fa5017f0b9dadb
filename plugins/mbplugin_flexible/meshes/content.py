"""Content of a file of a mesh, before a mesh is made of it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from mbplugin.interface import Array


@dataclass
class Content:
    """Points, cells and sets as they stand in a file.

    points:    (n, 3), in the units of the file
    blocks:    (type of meshio, (nc, k) points of each cell) of the cells of one type, several times perhaps
    cell_sets: name -> for each block the cells in the set, numbered in the block
    node_sets: name -> points
    face_sets: name -> corners of faces, (., 3) or (., 4)
    surfaces:  names of face sets of which only outer faces are meant
    remarks:   sentences on what was left out
    """

    points: Array
    blocks: list[tuple[str, np.ndarray]]
    cell_sets: dict[str, list[np.ndarray]] = field(default_factory=dict)
    node_sets: dict[str, np.ndarray] = field(default_factory=dict)
    face_sets: dict[str, list[np.ndarray]] = field(default_factory=dict)
    surfaces: set[str] = field(default_factory=set)
    remarks: list[str] = field(default_factory=list)

    def add_cells(self, name: str, block: int, cells: np.ndarray) -> None:
        """Add cells of a block to a set of cells."""
        parts = self.cell_sets.setdefault(name, [np.zeros(0, int) for _ in self.blocks])
        parts[block] = np.union1d(parts[block], cells).astype(int)

    def add_nodes(self, name: str, nodes: np.ndarray) -> None:
        """Add points to a set of nodes."""
        self.node_sets[name] = np.union1d(self.node_sets.get(name, np.zeros(0, int)), nodes).astype(int)
