"""What a kind says of itself, for `mbplugin plugins show`: its docstring, what it is made of, coordinates,
free directions, keys.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from itertools import pairwise
from typing import Any

from pydantic_core import PydanticUndefined

from mbplugin.errors import SceneError, did_you_mean
from mbplugin.hooks.registry import Offer, Registry
from mbplugin.interface import ConstraintKind, Measure, Tableau


def key_texts(parameters: Any) -> dict[str, str]:
    """The text below each key of a class of parameters; nothing where the source is not to be had."""
    found: dict[str, str] = {}
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
                found[key.target.id] = inspect.cleandoc(str(text.value.value))
    return found


def offers_of(registry: Registry, name: str) -> list[tuple[str, Offer]]:
    """(category, offer) of all that has this name. Raises SceneError."""
    found = [
        (category, offer) for category, names in registry.offers.items() for offer in names.get(name, [])
    ]
    if not found:
        known = [known for names in registry.offers.values() for known in names]
        raise SceneError(
            "plugins show",
            name,
            f"no plugin offers that{did_you_mean(name, known) or '; `mbplugin plugins` lists what there is'}",
        )
    return found


def doc_of(thing: Any) -> str:
    """Its docstring; without one, and for a measure, that of its module."""
    params = thing.__dict__.get("__doc__") if isinstance(thing, type) else None
    return inspect.cleandoc(
        params
        or getattr(inspect.getmodule(thing.kernel if isinstance(thing, Measure) else thing), "__doc__", None)
        or ""
    )


def key_of(field: Any, text: str) -> dict[str, Any]:
    default = None if field.default is PydanticUndefined else field.default
    return {"needed": field.is_required(), "default": default, "is": text or field.description or ""}


def described(category: str, offer: Offer) -> dict[str, Any]:
    """One offer as a document."""
    thing = offer.thing() if category == "tableau" and callable(offer.thing) else offer.thing
    found: dict[str, Any] = {
        "name": offer.name,
        "category": category,
        "plugin": offer.plugin,
        "is": doc_of(thing),
    }
    if isinstance(thing, Measure):
        return found | {"unit": thing.unit, "rows": thing.rows}
    if isinstance(thing, Tableau):
        return found | {
            "is": thing.source,
            "stages": len(thing.b),
            "order": thing.order,
            "adaptive": thing.adaptive,
        }
    if issubclass(thing, ConstraintKind):
        found |= {
            "made of": thing.primitives(),
            "free": list(thing.free),
            "coordinates": list(thing.coordinates),
        }
        if thing.planar_basics:
            coordinates = thing.coordinates if thing.planar_coordinates is None else thing.planar_coordinates
            found |= {
                "planar": thing.primitives(planar=True),
                "planar free": list(thing.planar_free),
                "planar coordinates": list(coordinates),
            }
    parameters = getattr(thing, "parameters", None)
    if parameters is not None:
        texts = key_texts(parameters)
        found["keys"] = {
            key: key_of(field, texts.get(key, "")) for key, field in parameters.model_fields.items()
        }
    return found


def lines_of(found: dict[str, Any]) -> list[str]:
    """The same in words."""
    first, *more = found["is"].splitlines() or [""]
    lines = [
        f"{found['category']} {found['name']}  (of {found['plugin']})",
        f"  {first}".rstrip(),
        *(f"  {line}".rstrip() for line in more),
    ]
    for key in ("made of", "free", "coordinates", "planar", "planar free", "planar coordinates"):
        if found.get(key):
            word = {"planar": "between planar bodies"}.get(key, key)
            lines.append(
                f"  {word}: {' + '.join(found[key]) if key in ('made of', 'planar') else ', '.join(found[key])}"
            )
    for key, what in found.get("keys", {}).items():
        state = (
            "needed"
            if what["needed"]
            else f"default {what['default']}"
            if what["default"] is not None
            else "optional"
        )
        lines.append(f"  key {key} ({state}): {what['is']}".rstrip(": "))
    return lines
