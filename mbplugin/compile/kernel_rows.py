"""Adds the rows and the element of the kernel of a constraint kind."""

from __future__ import annotations

from typing import Any

from mbplugin.compile.builder import Builder
from mbplugin.compile.draft import NOWHERE, DraftBlock, DraftElement, DraftRow, shape_of
from mbplugin.compile.parameters import split
from mbplugin.compile.references import of_time
from mbplugin.errors import PluginError
from mbplugin.interface import ConstraintKind
from mbplugin.interface.outputs import state_names
from mbplugin.interface.tangent import tangent_of
from mbplugin.tables.purposes import CONSTRAINT


def add_kernel(
    build: Builder, key: str, name: str, kind: type[ConstraintKind], params: Any, block: DraftBlock
) -> None:
    """Add the rows and the element of the kernel of a joint with this `key`. Raises PluginError."""
    if not kind.labels or isinstance(kind.labels, str):
        raise PluginError(
            f'constraint type "{kind.name}" has a `kernel`, which needs `labels = ("...",)`: one for each row'
        )
    layout, values, functions = split(params)
    functions = {
        parameter: of_time(build, function, f"{key}.{parameter}") for parameter, function in functions.items()
    }
    draft = build.draft
    row = len(draft.rows)
    for i, label in enumerate(kind.labels):
        unit = kind.units[i] if i < len(kind.units) else "m"
        build.add_row(
            block, DraftRow(name, label, unit, kind.level if isinstance(kind.level, int) else kind.level[i])
        )
    shape = shape_of(
        parameters=tuple(layout),
        functions=tuple(functions),
        markers=kind.markers,
        rows=len(kind.labels),
        states=len(state_names(kind.states)),
        outputs=tuple(kind.outputs),
        memory=kind.memory,
        events=kind.events,
    )
    element = DraftElement(
        CONSTRAINT,
        "constraint",
        kind.kernel,
        shape,
        f'constraint type "{kind.name}"',
        name,
        block.points,
        values,
        NOWHERE._replace(
            first_row=row,
            first_G=row - block.first_row,
            first_function=draft.bind_all(list(functions.values())),
        ),
        accept=kind.accept,
        memory_acts=kind.memory_acts,
        event=kind.event,
        tangent=tangent_of(kind, "tangent", "kernel"),
    )
    build.place_inner(element, kind, name)
    draft.elements.append(element)
