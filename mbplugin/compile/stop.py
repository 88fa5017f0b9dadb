"""Adds the condition that ends a run, `stop` of `[solver]`, as the last event function."""

from __future__ import annotations

from mbplugin.compile.builder import Builder
from mbplugin.compile.references import resolve
from mbplugin.errors import SceneError
from mbplugin.model.expression import parse

KEY = "solver.stop"


def add_stop(build: Builder) -> None:
    """Add the condition of the scene, if there is one, after all elements. Raises SceneError."""
    text = build.system.solver.stop
    if text is None:
        return
    try:
        expression = parse(text, build.symbols, condition=True)
    except SceneError as error:
        raise SceneError(KEY, text, error.mend) from None
    if expression.constant is not None:
        mend = "never changes: it reads neither the motion nor `time`"
        raise SceneError(KEY, text, mend)
    build.draft.stop = build.draft.bind(resolve(build, expression, KEY))
    build.draft.events += 1
