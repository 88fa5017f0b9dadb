"""The JSON Schema of a scene, with the own keys of every kind that plugins offer."""

from __future__ import annotations

from typing import Any

from mbplugin.hooks.describe import key_texts
from mbplugin.hooks.registry import Registry
from mbplugin.model import Body, Force, Joint, Solver, System

TABLES: dict[str, tuple[Any, str]] = {
    "Body": (Body, "body kind"),
    "Joint": (Joint, "constraint type"),
    "Force": (Force, "force element"),
    "Solver": (Solver, "solver"),
}


def enforcement_schema(registry: Registry, definitions: dict[str, Any]) -> dict[str, Any]:
    """The name of an enforcement, or a table of the keys of one."""
    names = registry.names("enforcement")
    tables: list[dict[str, Any]] = []
    for name in names:
        parameters = registry.enforcement(name).parameters
        params = parameters.model_json_schema() if parameters is not None else {"properties": {}}
        definitions.update(params.pop("$defs", {}))
        tables.append(
            {
                "type": "object",
                "properties": {"type": {"const": name}, **params["properties"]},
                "required": ["type", *params.get("required", [])],
                "additionalProperties": False,
            }
        )
    return {"anyOf": [{"enum": names}, *tables]}


def scene_schema(registry: Registry) -> dict[str, Any]:
    """JSON Schema (2020-12): for each `type`, the keys that its kind takes."""
    schema = System.model_json_schema()
    definitions = schema["$defs"]
    for name, (_, category) in TABLES.items():
        table = definitions[name]
        rules = []
        for kind in registry.names(category):
            thing = registry.find(category, kind)
            params = (
                thing.parameters.model_json_schema() if thing.parameters is not None else {"properties": {}}
            )
            choices = {"method": "method", **thing.choices} if category == "solver" else {}
            for key, chosen in choices.items():
                if key in params["properties"]:
                    params["properties"][key]["enum"] = registry.names(chosen)
            definitions.update(params.pop("$defs", {}))
            for key, text in key_texts(thing.parameters).items():
                params["properties"].get(key, {}).setdefault("description", text)
            rule: dict[str, Any] = {"properties": params["properties"]}
            if params.get("required"):
                rule["required"] = params["required"]
            rules.append(
                {"if": {"properties": {"type": {"const": kind}}, "required": ["type"]}, "then": rule}
            )
        table["allOf"] = rules
        table["properties"]["type"]["enum"] = registry.names(category)
    definitions["Joint"]["properties"]["enforce"].update(enforcement_schema(registry, definitions))
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    return schema
