"""JSON Schema of a scene, with the keys of all kinds that the plugins offer."""

from __future__ import annotations

from typing import Any

from mbplugin.hooks.describe import key_texts
from mbplugin.hooks.registry import Registry
from mbplugin.model import System
from mbplugin.model.shape import ENGINE_SHAPES

#: name in the schema -> category of its kinds
CATEGORIES = {
    "Body": "body kind",
    "Joint": "constraint type",
    "Force": "force element",
    "Contact": "contact law",
    "Solver": "solver",
    "Sensor": "sensor",
    "Drawing": "drawing",
}


OTHER = {"$ref": "#/$defs/OtherShape"}


def scene_schema(registry: Registry) -> dict[str, Any]:
    """JSON Schema (2020-12) of a scene, in which each `type` has the keys of its kind."""
    schema = System.model_json_schema()
    definitions = schema["$defs"]
    for name, category in CATEGORIES.items():
        table = definitions[name]
        kinds = registry.names(category)
        table["allOf"] = [kind_rule(registry, category, kind, definitions) for kind in kinds]
        table["properties"]["type"]["enum"] = kinds
    add_shapes(registry, definitions)
    definitions["Joint"]["properties"]["enforce"].update(enforcement_schema(registry, definitions))
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    return schema


def add_shapes(registry: Registry, definitions: dict[str, Any]) -> None:
    """Let a shape be one of the engine's, or one of those that plugins offer, with the keys of its kind."""
    kinds = [
        name for name in registry.names("shape") if name not in ENGINE_SHAPES and registry.shape(name).written
    ]
    if kinds:
        table = definitions["OtherShape"]
        table["allOf"] = [kind_rule(registry, "shape", kind, definitions) for kind in kinds]
        table["properties"]["type"]["enum"] = kinds
        return
    for owner in ("Body", "Scene"):
        shapes = definitions[owner]["properties"]["shape"]["items"]
        shapes["oneOf"] = [one for one in shapes["oneOf"] if one != OTHER]
    del definitions["OtherShape"]


def kind_rule(registry: Registry, category: str, kind: str, definitions: dict[str, Any]) -> dict[str, Any]:
    """The rule "if `type` is `kind`, then these keys". Adds to `definitions`."""
    thing = registry.find(category, kind)
    params = parameter_schema(thing.parameters, definitions)
    choices = {"method": "method", **thing.choices} if category == "solver" else {}
    for key, chosen in choices.items():
        if key in params["properties"]:
            params["properties"][key]["enum"] = registry.names(chosen)
    for key, text in key_texts(thing.parameters).items():
        params["properties"].get(key, {}).setdefault("description", text)
    keys: dict[str, Any] = {"properties": params["properties"]}
    if params.get("required"):
        keys["required"] = params["required"]
    return {"if": {"properties": {"type": {"const": kind}}, "required": ["type"]}, "then": keys}


def enforcement_schema(registry: Registry, definitions: dict[str, Any]) -> dict[str, Any]:
    """Schema of `enforce`: a name, or a table of an enforcement's keys. Adds to `definitions`."""
    names = registry.names("enforcement")
    tables: list[dict[str, Any]] = []
    for name in names:
        params = parameter_schema(registry.enforcement(name).parameters, definitions)
        tables.append(
            {
                "type": "object",
                "properties": {"type": {"const": name}, **params["properties"]},
                "required": ["type", *params.get("required", [])],
                "additionalProperties": False,
            }
        )
    return {"anyOf": [{"enum": names}, *tables]}


def parameter_schema(parameters: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    """Schema of a class of parameters, or of no keys for None. Moves its "$defs" into `definitions`."""
    if parameters is None:
        return {"properties": {}}
    schema: dict[str, Any] = parameters.model_json_schema()
    definitions.update(schema.pop("$defs", {}))
    return schema
