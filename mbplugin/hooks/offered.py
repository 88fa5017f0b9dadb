"""What a plugin may register: things of the right base, whose attributes are known, and whose compiled
functions read no lists, texts or tables.
"""

from __future__ import annotations

import difflib
import inspect
import re
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any

from mbplugin.errors import PluginError
from mbplugin.hooks.specs import BASES, VALUES
from mbplugin.interface import analysis as analyses
from mbplugin.interface import command as commands
from mbplugin.interface.derived import Derived
from mbplugin.interface.outputs import state_names
from mbplugin.model.shape import ENGINE_SHAPES
from mbplugin.model.tabulated import SplineTable, mark_of

#: category -> the function that a kind must define, a classmethod
FUNCTIONS = {
    "exporter": "write",
    "importer": "read",
    "analysis": "analyze",
    "sensor": "sample",
    "drawing": "draw",
    "watcher": "start",
    "command": "run",
}
#: category whose names are typed on the command line -> names that the engine has taken
TYPED = {"analysis": analyses.BUILT_IN, "command": commands.BUILT_IN, "drawing": (), "watcher": ()}


def check_offer(category: str, name: str, thing: Any) -> None:
    """Raises PluginError where a plugin registers what it should not."""
    base = BASES[category]
    if category in VALUES:
        if not isinstance(thing, base) and not (category == "tableau" and callable(thing)):
            raise PluginError(f'"{name}" is registered as a {category}, but is not a {base.__name__}')
        return
    if not (isinstance(thing, type) and issubclass(thing, base)):
        raise PluginError(f'"{name}" is registered as a {category}, but is not a subclass of {base.__name__}')
    check_attributes(category, name, thing, base)
    check_parameters(category, name, thing)
    if category in CHECKS:
        CHECKS[category](name, thing)
    if category in TYPED:
        check_name(category, name)
    if category in FUNCTIONS:
        check_function(category, name, thing, base)


def check_results(name: str, kind: Any) -> None:
    """Raises PluginError where a state and an output of an element would have one name in results."""
    for both in [state for state, _ in state_names(kind.states) if state in kind.outputs]:
        raise PluginError(f'"{name}": "{both}" is a state and an output; give one of them another name')


def check_exporter(name: str, kind: Any) -> None:
    """Raises PluginError where an exporter lacks what `mbplugin export` needs."""
    suffix = str(getattr(kind, "suffix", ""))
    if not suffix.startswith(".") or suffix != suffix.lower():
        raise PluginError(f'"{name}": an exporter needs the `suffix` of its files, such as ".csv"')


def check_importer(name: str, kind: Any) -> None:
    """Raises PluginError where an importer lacks what `mbplugin import` needs."""
    suffixes = getattr(kind, "suffixes", ())
    right = isinstance(suffixes, tuple) and suffixes
    if not right or not all(isinstance(s, str) and s.startswith(".") and s == s.lower() for s in suffixes):
        raise PluginError(f'"{name}": an importer needs the `suffixes` of its files, such as (".urdf",)')


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


def check_shape(name: str, kind: Any) -> None:
    """Raises PluginError where a kind would replace the keys of a shape of the engine."""
    if name in ENGINE_SHAPES and kind.parameters is not None:
        mend = "leave out `parameters`, or choose another name"
        raise PluginError(f'"{name}": the engine has a shape of this name, and reads its keys; {mend}')


#: category -> what else is checked of its kinds
CHECKS: dict[str, Callable[[str, Any], None]] = {
    "force element": check_results,
    "constraint type": check_results,
    "exporter": check_exporter,
    "importer": check_importer,
    "sensor": check_sensor,
    "shape": check_shape,
}


def check_name(category: str, name: str) -> None:
    """Raises PluginError for a name that cannot be typed or is taken."""
    if name in TYPED[category]:
        raise PluginError(f'"{name}": the engine has one of this name as {category}; choose another one')
    if not re.fullmatch(r"[a-z][a-z0-9_-]*", name):
        mend = "choose small letters, digits, _ and -, and begin with a letter"
        raise PluginError(f'"{name}": the name of the {category} is typed on the command line; {mend}')


def check_function(category: str, name: str, kind: Any, base: Any) -> None:
    """Raises PluginError where a kind lacks its function."""
    function = FUNCTIONS[category]
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


#: functions of kinds that get `p`
COMPILED = (
    *("phi", "psi", "equations", "output_values", "potential", "dissipation"),
    *("kernel", "tangent", "accept", "event", "sample"),
)
#: categories whose functions get lists, matrices and tables
OF_ELEMENTS = ("constraint type", "force element")
#: what compiled functions get, of other categories and of these
ACCEPTED = (
    "numbers, `Vector` (three numbers) and `Function`; declare a parameter for each number",
    'numbers, `Vector` (three numbers), `Function`, `Annotated[Numbers, Entries("N", 3)]` and '
    '`Annotated[SplineTable, Columns("m", "N")]`',
)
#: types of what is no number
REFUSED = (list, tuple, dict, set, str, SplineTable)


def check_parameters(category: str, name: str, thing: Any) -> None:
    """Raises PluginError where a compiled function reads `p.x` and x is neither a number, nor three numbers
    (`Vector`), nor a list, matrix or table marked as such, nor a function.
    """
    parameters = getattr(thing, "parameters", None)
    fields = getattr(parameters, "model_fields", {})
    for role in COMPILED:
        if isinstance(inspect.getattr_static(thing, role, None), Derived):
            continue  # from other functions of the kind
        function = getattr(thing, role, None)
        code = getattr(getattr(function, "py_func", function), "__code__", None)
        if code is None or "p" not in code.co_varnames[: code.co_argcount]:
            continue
        for field in fields.keys() & set(code.co_names):
            marked = category in OF_ELEMENTS and mark_of(fields[field]) is not None
            if not marked and is_refused(fields[field].annotation):
                raise PluginError(
                    f'"{name}": the {role} of this {category} reads p.{field}, and its type is no number: '
                    f"compiled functions get {ACCEPTED[category in OF_ELEMENTS]}"
                )


def is_refused(annotation: Any) -> bool:
    """Whether a parameter of this type, or of one of a union, is no number for compiled functions."""
    union = typing.get_origin(annotation) in (typing.Union, types.UnionType)
    return any(map(is_list_or_text, typing.get_args(annotation) if union else (annotation,)))


def is_list_or_text(annotation: Any) -> bool:
    origin = typing.get_origin(annotation) or annotation
    vector = origin is tuple and typing.get_args(annotation) == (float, float, float)
    return isinstance(origin, type) and issubclass(origin, REFUSED) and not vector
