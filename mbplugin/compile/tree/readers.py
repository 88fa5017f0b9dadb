"""Bearings and expressions that read the reactions of joints which carry links: `Trees.carried`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbplugin.compile.builder import Builder
from mbplugin.tables.records import REACTION

if TYPE_CHECKING:
    from mbplugin.compile.tree.fold import Folded


def read_links(build: Builder, folded: Folded) -> None:
    """Let what reads the reaction of a carrying joint read it at its link, and mark these links."""
    draft, joints = build.draft, build.names.joints
    of_block = {joints[link.joint].block: k for k, link in enumerate(folded.links) if link.joint >= 0}
    draft.bearings = [one._replace(link=of_block.get(one.block, -1)) for one in draft.bearings]
    draft.implicit_rows = [
        one._replace(link=of_block.get(one.block, -1)) if one.kind == REACTION else one
        for one in draft.implicit_rows
    ]
    for k in ({one.link for one in draft.bearings} | {one.link for one in draft.implicit_rows}) - {-1}:
        folded.links[k].read = True


def measures_of_armatures(build: Builder, folded: Folded) -> set[int]:
    """Measures of the coordinates with armatures of joints whose reactions are read: along these act the
    armatures, which are no part of the reactions.
    """
    return {rotor.measure for link in folded.links if link.read for rotor in link.rotors}
