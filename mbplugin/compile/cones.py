"""Bounds the rows of a joint of the type "cone": a gap, and slip functions whose friction it presses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mbplugin.compile.bearings import pressed_by
from mbplugin.compile.bounded import PUSHES, Law, bound
from mbplugin.compile.builder import Builder
from mbplugin.compile.draft import DraftBlock
from mbplugin.errors import PluginError
from mbplugin.interface import ConstraintKind
from mbplugin.model import Joint
from mbplugin.tables.records import OFF, POSITION_LEVEL, VELOCITY_LEVEL

#: slip rows of a gap, at most: directions in the plane of a contact
MOST_SLIPS = 2


def bound_cone(
    build: Builder,
    joint: Joint,
    kind: type[ConstraintKind],
    params: Any,
    block: DraftBlock,
    origins: Sequence[tuple[str, Any]],
) -> None:
    """Bound the rows of a block. Raises PluginError.

    origins: of each row, the key of the scene and its value, for messages
    """
    draft, slips = build.draft, block.rows - 1
    if fault := fault_of_cone(kind, params, slips):
        raise PluginError(f'constraint type "{kind.name}" {fault}')
    for row in draft.rows[block.first_row : block.first_row + block.rows]:
        row.mode = OFF
    number, gap = draft.blocks.index(block), draft.rows[block.first_row].level == POSITION_LEVEL
    law = Law("gap", *origins[0], PUSHES, PUSHES, gap, restitution=kind.restitution(params), bends=gap)
    bound(build, joint.name, block.first_row, number, law)
    kinetic, static = kind.friction(params)
    for k in range(slips):
        place = block.first_row + 1 + k
        draft.rows[place].level = VELOCITY_LEVEL
        what = "slip" if slips == 1 else f"slip {k + 1}"
        law = Law(what, *origins[1 + k], (-kinetic, kinetic), (-static, static), bearing=len(draft.bearings))
        if slips == 2:
            law = law._replace(partner=len(draft.bounded) + 1 - 2 * k)
        draft.bearings.append(pressed_by(build, block, block.first_row))
        bound(build, joint.name, place, number, law)


def fault_of_cone(kind: type[ConstraintKind], params: Any, slips: int) -> str:
    """Fault in the numbers of a kind with so many slip rows; "" for nothing."""
    restitution, (kinetic, static) = kind.restitution(params), kind.friction(params)
    if not 0.0 <= restitution <= 1.0:
        return f"has the restitution {restitution:g}; it must be from 0 to 1"
    if not 0.0 <= kinetic <= static:
        return f"has the friction {kinetic:g} and the static friction {static:g}, which must be at least that"
    if slips > MOST_SLIPS:
        return f"has {slips} slip rows behind its gap; it may have one or two"
    return ""
