"""Descriptions of kinds for `mbplugin plugins show`: docstring, basics, coordinates, freedoms, keys."""

from __future__ import annotations

import ast
import inspect
import textwrap
from itertools import pairwise
from typing import Any

from pydantic_core import PydanticUndefined

from mbplugin.errors import SceneError, did_you_mean
from mbplugin.hooks.registry import Offer, Registry
from mbplugin.interface import ROW_TYPES, ConstraintKind, Measure, ShapeKind, SolverKind, Tableau
from mbplugin.model.shape import ENGINE_SHAPES, ShapeBase
from mbplugin.model.tabulated import mark_of


def key_texts(parameters: Any) -> dict[str, str]:
    """{key: docstring below it} of a class of parameters; empty if the source is not available."""
    texts: dict[str, str] = {}
    for cls in reversed(parameters.__mro__ if parameters is not None else ()):
        if not getattr(cls, "__annotations__", None) or cls.__module__.startswith("pydantic"):
            continue
        try:
            body = ast.parse(textwrap.dedent(inspect.getsource(cls))).body[0].body  # type: ignore[attr-defined]
        except (OSError, TypeError, SyntaxError):
            continue
        for key, text in pairwise(body):
            if (
                isinstance(key, ast.AnnAssign)
                and isinstance(key.target, ast.Name)
                and isinstance(text, ast.Expr)
                and isinstance(text.value, ast.Constant)
            ):
                texts[key.target.id] = inspect.cleandoc(str(text.value.value))
    return texts


def offers_of(registry: Registry, name: str) -> list[tuple[str, Offer]]:
    """(category, offer) of all offers with this name or, with a dot, for files of this suffix. Raises
    SceneError if there is none.
    """
    offers = [
        (category, offer)
        for category, names in registry.offers.items()
        for known, its in names.items()
        for offer in its
        if name == known or (name.startswith(".") and name in suffixes_of(offer.thing))
    ]
    if not offers:
        known = [known for names in registry.offers.values() for known in names]
        hint = did_you_mean(name, known) or "; `mbplugin plugins` lists all offers"
        raise SceneError("plugins show", name, f"no plugin offers this{hint}")
    return offers


def suffixes_of(thing: Any) -> tuple[str, ...]:
    """Suffixes of the files of an exporter or importer."""
    one = getattr(thing, "suffix", None)
    return (one,) if one else getattr(thing, "suffixes", ())


def doc_of(thing: Any) -> str:
    """The docstring of a kind; for a measure, and for a kind without docstring, that of its module."""
    text = thing.__dict__.get("__doc__") if isinstance(thing, type) else None
    if not text:
        module = inspect.getmodule(thing.function if isinstance(thing, Measure) else thing)
        text = getattr(module, "__doc__", None)
    return inspect.cleandoc(text or "")


def key_description(field: Any, text: str) -> dict[str, Any]:
    default = None if field.default is PydanticUndefined else field.default
    described = {"needed": field.is_required(), "default": default, "is": text or field.description or ""}
    mark = mark_of(field)
    return described if mark is None else {**described, "holds": mark.text}


def description(category: str, offer: Offer) -> dict[str, Any]:
    """One offer as a JSON document."""
    thing = offer.thing() if category == "tableau" and callable(offer.thing) else offer.thing
    document: dict[str, Any] = {
        "name": offer.name,
        "category": category,
        "plugin": offer.plugin,
        "is": doc_of(thing),
    }
    if isinstance(thing, Measure):
        return document | {"unit": thing.unit, "rows": thing.rows}
    if isinstance(thing, Tableau):
        return document | {
            "is": thing.source,
            "stages": len(thing.b),
            "order": thing.order,
            "adaptive": thing.adaptive,
        }
    if issubclass(thing, ConstraintKind):
        document |= {
            "made of": thing.primitives(),
            "free": list(thing.free_directions),
            "coordinates": list(thing.coordinates),
        }
        if thing.Planar is not None and thing.kernel is None:
            form = thing.form(planar=True)
            document |= {
                "planar": form.primitives(),
                "planar free": list(form.free_directions),
                "planar coordinates": list(form.coordinates),
            }
        if thing.row_type != ROW_TYPES[0]:
            document["row_type"] = [thing.row_type] if isinstance(thing.row_type, str) else [*thing.row_type]
    if issubclass(thing, SolverKind):
        document["row_types"] = list(thing.row_types)
    if issubclass(thing, ShapeKind):
        document |= {"closed forms": list(thing.pairs), "others": [other_shapes(thing)]}
    outputs = getattr(thing, "outputs", {})
    if outputs:
        document["outputs"] = [f"{name} [{unit}]" for name, unit in outputs.items()]
    parameters = getattr(thing, "parameters", None)
    if parameters is not None:
        texts = key_texts(parameters)
        document["keys"] = {
            key: key_description(field, texts.get(key, "")) for key, field in parameters.model_fields.items()
        }
    elif category == "shape" and offer.name in ENGINE_SHAPES:
        fields = ENGINE_SHAPES[offer.name].model_fields.items()
        own = {key: field for key, field in fields if key != "type" and key not in ShapeBase.model_fields}
        document["keys"] = {key: key_description(field, "") for key, field in own.items()}
    return document


def other_shapes(kind: type[ShapeKind]) -> str:
    """How shapes of a kind touch those with which it has no closed form."""
    if not kind.bounded:
        return "a half-space, which every shape with a support function touches"
    if kind.support is None:
        return "only by closed forms of theirs, for it has no support function"
    if kind.face is not None:
        return "by its support function and its faces"
    return "by its support function"


#: key of a description -> (its name in the listing, separator)
LISTED = {
    "made of": ("made of", " + "),
    "row_type": ("type of its rows", ", "),
    "row_types": ("types of rows that it serves", ", "),
    "outputs": ("outputs", ", "),
    "free": ("free", ", "),
    "coordinates": ("coordinates", ", "),
    "closed forms": ("closed forms of its own with", ", "),
    "others": ("other shapes", ", "),
    "planar": ("between planar bodies", " + "),
    "planar free": ("planar free", ", "),
    "planar coordinates": ("planar coordinates", ", "),
}


def lines_of(document: dict[str, Any]) -> list[str]:
    """A description as lines of text."""
    first, *more = document["is"].splitlines() or [""]
    lines = [
        f"{document['category']} {document['name']}  (from {document['plugin']})",
        f"  {first}".rstrip(),
        *(f"  {line}".rstrip() for line in more),
    ]
    for key, (title, separator) in LISTED.items():
        if document.get(key):
            lines.append(f"  {title}: {separator.join(document[key])}")
    for key, entry in document.get("keys", {}).items():
        state = "optional"
        if entry["needed"]:
            state = "required"
        elif entry["default"] is not None:
            state = f"default {entry['default']}"
        holds = f", {entry['holds']}" if "holds" in entry else ""
        lines.append(f"  key {key} ({state}{holds}): {entry['is']}".rstrip(": "))
    return lines
