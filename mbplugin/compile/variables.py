"""Lets frames store the variables of a scene."""

from __future__ import annotations

from mbplugin.compile.builder import Builder
from mbplugin.compile.references import resolve


def add_variables(build: Builder) -> None:
    """Make each variable a function of its own, besides the expressions that it is part of. Raises
    SceneError.

    An input that nothing else reads stays unread: it would act on nothing.
    """
    read = set(build.inputs_read)
    for k, one in enumerate(build.system.variables):
        key = f"variable[{k}].value"
        expression = resolve(build, build.expression(one.name, key), key)
        build.names.variables.append(
            (one.name, one.unit, build.draft.bind_all([expression], of_kernel=False))
        )
    build.inputs_read = read
