"""The body kind of trees."""

from __future__ import annotations

from mbplugin.interface.body import BodyKind


class Tree(BodyKind):
    """Bodies that joints carry, below one root: a body of the tables, of the engine's own kind."""

    name = "tree"
    nq = nv = None
    scratch, record = 0, 15
