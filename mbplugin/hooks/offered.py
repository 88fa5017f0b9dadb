"""What a plugin may register: things of the right base, whose attributes are known."""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Mapping
from typing import Any

from mbplugin.errors import PluginError
from mbplugin.hooks.kernel_parameters import check_parameters
from mbplugin.interface import (
    AnalysisKind,
    BodyKind,
    Command,
    ConstraintKind,
    ContactLaw,
    DrawingKind,
    EnforcementKind,
    Exporter,
    ExpressionFunction,
    ForceKind,
    Importer,
    Measure,
    MethodKind,
    SensorKind,
    ShapeKind,
    SolverKind,
    Tableau,
    Watcher,
)
from mbplugin.interface import analysis as analyses
from mbplugin.interface import command as commands
from mbplugin.interface.outputs import state_names
from mbplugin.model.shape import ENGINE_SHAPES

#: category -> base class of kinds
KINDS: dict[str, type] = {
    "body kind": BodyKind,
    "constraint type": ConstraintKind,
    "force element": ForceKind,
    "shape": ShapeKind,
    "contact law": ContactLaw,
    "function": ExpressionFunction,
    "solver": SolverKind,
    "method": MethodKind,
    "enforcement": EnforcementKind,
    "exporter": Exporter,
    "importer": Importer,
    "analysis": AnalysisKind,
    "command": Command,
    "sensor": SensorKind,
    "drawing": DrawingKind,
    "watcher": Watcher,
}
#: category -> class of offers that are values
VALUES: dict[str, type] = {"measure": Measure, "tableau": Tableau}


def check_offer(category: str, name: str, thing: Any) -> None:
    """Raises PluginError where a plugin registers what it should not."""
    if category in KINDS:
        base = KINDS[category]
        if not (isinstance(thing, type) and issubclass(thing, base)):
            raise PluginError(
                f'"{name}" is registered as a {category}, but is not a subclass of {base.__name__}'
            )
        check_attributes(category, name, thing, base)
        check_parameters(category, name, thing)
        if category in ("force element", "constraint type"):
            check_results(name, thing)
        if category == "exporter":
            check_exporter(name, thing)
        if category == "importer":
            check_importer(name, thing)
        if category == "analysis":
            check_function(category, name, thing, AnalysisKind, "analyze", analyses.BUILT_IN)
        if category == "sensor":
            check_sensor(name, thing)
        if category == "drawing":
            check_function(category, name, thing, DrawingKind, "draw", ())
        if category == "watcher":
            check_function(category, name, thing, Watcher, "start", ())
        if category == "command":
            check_function(category, name, thing, Command, "run", commands.BUILT_IN)
        if category == "shape" and name in ENGINE_SHAPES and getattr(thing, "parameters", None) is not None:
            mend = "leave out `parameters`, or choose another name"
            raise PluginError(f'"{name}": the engine has a shape of this name, and reads its keys; {mend}')
        return
    value = VALUES[category]
    made_later = category == "tableau" and callable(thing)
    if not isinstance(thing, value) and not made_later:
        raise PluginError(f'"{name}" is registered as a {category}, but is not a {value.__name__}')


def check_results(name: str, kind: Any) -> None:
    """Raises PluginError where a state and an output of an element would have one name in results."""
    for both in [state for state, _ in state_names(kind.states) if state in kind.outputs]:
        raise PluginError(f'"{name}": "{both}" is a state and an output; give one of them another name')


def check_exporter(name: str, kind: Any) -> None:
    """Raises PluginError where an exporter lacks what `mbplugin export` needs."""
    suffix = str(getattr(kind, "suffix", ""))
    if not suffix.startswith(".") or suffix != suffix.lower():
        raise PluginError(f'"{name}": an exporter needs the `suffix` of its files, such as ".csv"')
    if kind.write.__func__ is Exporter.write.__func__:  # type: ignore[attr-defined]
        raise PluginError(f'"{name}": an exporter needs `write`, a classmethod')


def check_importer(name: str, kind: Any) -> None:
    """Raises PluginError where an importer lacks what `mbplugin import` needs."""
    suffixes = getattr(kind, "suffixes", ())
    right = isinstance(suffixes, tuple) and suffixes
    if not right or not all(isinstance(s, str) and s.startswith(".") and s == s.lower() for s in suffixes):
        raise PluginError(f'"{name}": an importer needs the `suffixes` of its files, such as (".urdf",)')
    if kind.read.__func__ is Importer.read.__func__:  # type: ignore[attr-defined]
        raise PluginError(f'"{name}": an importer needs `read`, a classmethod')


def check_sensor(name: str, kind: Any) -> None:
    """Raises PluginError where a sensor lacks what a frame needs."""
    outputs = kind.outputs
    right = isinstance(outputs, Mapping) and outputs
    if not right or not all(isinstance(text, str) for pair in outputs.items() for text in pair):
        raise PluginError(f'"{name}": a sensor needs `outputs`, such as {{"x": "m"}}: component -> unit')
    if "" in outputs and len(outputs) > 1:
        raise PluginError(f'"{name}": a component without a name must be the only one of `outputs`')
    wrong = [part for part in outputs if part and not re.fullmatch(r"\w+", part)]
    if wrong:
        raise PluginError(f'"{name}": the component "{wrong[0]}" must be one word of letters, digits and _')
    if not inspect.ismethod(kind.sample) or kind.sample.__func__ is SensorKind.sample.__func__:  # type: ignore[attr-defined]
        raise PluginError(f'"{name}": a sensor needs `sample`, a classmethod')


def check_function(
    category: str, name: str, kind: Any, base: Any, function: str, taken: tuple[str, ...]
) -> None:
    """Raises PluginError where a kind lacks its function, or has a name that cannot be typed or is taken."""
    if name in taken:
        raise PluginError(f'"{name}": the engine has one of this name as {category}; choose another one')
    if not re.fullmatch(r"[a-z][a-z0-9_-]*", name):
        mend = "choose small letters, digits, _ and -, and begin with a letter"
        raise PluginError(f'"{name}": the name of the {category} is typed on the command line; {mend}')
    given = getattr(kind, function)
    if getattr(given, "__func__", given) is getattr(base, function).__func__:
        raise PluginError(f'"{name}": the {category} lacks `{function}`, a classmethod')
    if not inspect.ismethod(given):
        raise PluginError(f'"{name}": `{function}` of the {category} must be a classmethod')


def check_attributes(category: str, name: str, thing: type, base: type) -> None:
    """Raises PluginError where a kind has a public attribute unknown to its base class."""
    bases = [cls for cls in thing.__mro__ if issubclass(cls, base) and is_ours(cls)]
    known = {name for cls in bases for name in (*vars(cls), *inspect.get_annotations(cls))}
    for cls in thing.__mro__:
        if cls is base or not issubclass(cls, base) or is_ours(cls):
            continue
        for attribute, value in vars(cls).items():
            if attribute.startswith("_") or attribute in known:
                continue
            near = difflib.get_close_matches(attribute, known, 1, cutoff=0.75)
            if near or not callable(getattr(value, "__func__", value)):
                hint = (
                    f'; did you mean "{near[0]}"?'
                    if near
                    else "; begin the names of your own with an underscore"
                )
                raise PluginError(f'"{name}": a {category} has no attribute "{attribute}"{hint}')


def is_ours(cls: type) -> bool:
    """Whether a class is one of the engine's bases."""
    return cls.__module__.partition(".")[0] == "mbplugin"
