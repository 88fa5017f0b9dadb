"""A table of a scene as a pydantic model whose problems are told as SceneError, with the path of the key.

`Table` is the base of everything in a scene, `Parameters` of every kind's own keys (in plugins), `Element` of
the
tables that hold common keys and, in `raw`, the raw keys of their kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, model_validator
from pydantic_core import ErrorDetails

from mbplugin.errors import NOT_GIVEN, NotGiven, SceneError, did_you_mean, listed

T = TypeVar("T", bound=BaseModel)


class Table(BaseModel):
    """A table whose keys are all known."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, validate_default=True)

    def __init__(self, **data: Any) -> None:
        try:
            super().__init__(**data)
        except ValidationError as error:
            raise scene_error(error, type(self).__name__, data) from None

    # pydantic calls `__init__` for nested tables too unless told that it does nothing to the data
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    def __setattr__(self, name: str, value: Any) -> None:
        try:
            super().__setattr__(name, value)
        except ValidationError as error:
            if error.errors()[0]["type"] == "frozen_instance":
                mend = "cannot be changed after it was made; make a new one"
                raise SceneError(f"{type(self).__name__}.{name}", value, mend) from None
            raise scene_error(error, type(self).__name__, {name: value}) from None
        except ValueError:
            known = list(type(self).model_fields)
            mend = f"unknown key{did_you_mean(name, known) or f'; known are {listed(known, 20)}'}"
            raise SceneError(f"{type(self).__name__}.{name}", value, mend) from None

    @classmethod
    def keys(cls) -> list[str]:
        """The keys as they stand in a scene file."""
        return [aliases(cls).get(name, name) for name in cls.model_fields if name != "raw"]

    @model_validator(mode="before")
    @classmethod
    def known_keys(cls, data: Any, info: ValidationInfo) -> Any:
        """Each key is known and given once; a list under its other name (`shapes` for `shape`) is the same."""
        if not isinstance(data, dict):
            return data
        other_names = aliases(cls)
        for name, alias in other_names.items():
            if name in data and alias in data:
                raise SceneError(name, data[name], f"`{alias}` and `{name}` are the same; give one")
        data = {other_names.get(key, key): value for key, value in data.items()}
        if issubclass(cls, Element):
            return cls.split(data)
        known = cls.keys()
        for key, value in data.items():
            if key not in known:
                also = (info.context or {}).get("also_known", ())
                near = did_you_mean(str(key), [*known, *also])
                raise SceneError(
                    str(key), value, f"unknown key{near or f'; known are {listed([*known, *also], 20)}'}"
                )
        return data


class Parameters(Table):
    """Base of the own keys of a constraint, force, body or solver kind."""


class Element(Table):
    """A table whose further keys belong to its kind: they are kept raw in `raw` and checked by the kind."""

    raw: dict[str, Any] = Field(
        default={}, description="the keys that belong to the kind, as they were given"
    )

    @classmethod
    def split(cls, data: dict[str, Any]) -> dict[str, Any]:
        known = cls.keys()
        given = data.get("raw", {})
        if not isinstance(given, Mapping):
            raise SceneError("raw", given, "must be a table")
        raw = {**given, **{key: value for key, value in data.items() if key not in known and key != "raw"}}
        common = {key: value for key, value in data.items() if key in known}
        return {**common, "raw": raw} if raw else common

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: Any, handler: Any) -> dict[str, Any]:
        schema: dict[str, Any] = handler(core_schema)
        table = handler.resolve_ref_schema(schema)
        table["properties"].pop("raw", None)
        table["additionalProperties"] = True
        return schema


def aliases(table: type[BaseModel]) -> dict[str, str]:
    """{attribute: key in a file} of the fields where they differ."""
    return {
        name: str(field.validation_alias)
        for name, field in table.model_fields.items()
        if field.validation_alias
    }


def validated(
    table: type[T],
    data: Mapping[str, Any],
    key: str,
    parameters: Mapping[str, Any] | None = None,
    also_known: Iterable[str] = (),
) -> T:
    """`data` as a `table`; problems are SceneErrors whose keys begin with `key`, such as "joint[2]".

    `parameters` are what names in expressions mean. `also_known` are keys that a misspelt one may have meant,
    though they belong to another table.
    """
    context = {"parameters": dict(parameters or {}), "also_known": tuple(also_known)}
    try:
        return table.model_validate(dict(data), context=context)
    except ValidationError as error:
        raise scene_error(error, key, data) from None


def scene_error(error: ValidationError, key: str, data: Any) -> SceneError:
    """What pydantic found wrong with `data`, in our words; `key` is the path of `data`."""
    problems = [problem(details, key, data) for details in error.errors(include_url=False)]
    first, rest = problems[0], problems[1:]
    first.also = tuple(rest)
    return first


def problem(details: ErrorDetails, key: str, data: Any) -> SceneError:
    kind, context = details["type"], details.get("ctx", {})
    path = joined(key, real_path(details["loc"], data, missing=kind in ("missing", "union_tag_not_found")))
    raised = context.get("error")
    if isinstance(raised, SceneError):
        value = details["input"] if isinstance(raised.value, NotGiven) and not raised.key else raised.value
        return SceneError(
            joined(path, [raised.key] if raised.key else []), value, raised.mend, also=raised.also
        )
    if kind == "missing":
        given = details["input"] if isinstance(details["input"], dict) else {}
        near = did_you_mean(str(details["loc"][-1]), map(str, {**given, **given.get("raw", {})}))
        return SceneError(path, NOT_GIVEN, f"is missing{near.replace('did you mean', 'was it meant by')}")
    if kind == "union_tag_not_found":
        return SceneError(joined(path, ["type"]), NOT_GIVEN, "is missing")
    if kind == "union_tag_invalid":
        expected = [tag.strip(" '") for tag in str(context["expected_tags"]).split(",")]
        near = did_you_mean(str(context["tag"]), expected)
        return SceneError(
            joined(path, ["type"]), context["tag"], f"unknown type{near or f'; known are {listed(expected)}'}"
        )
    return SceneError(path, details["input"], mend(kind, context, details["msg"]))


def mend(kind: str, context: Mapping[str, Any], message: str) -> str:
    """What would be accepted instead."""
    if kind == "literal_error":
        return f"must be {context['expected']}".replace("'", '"')
    known = {
        "string_type": "must be a text in quotes",
        "bool_type": "must be true or false",
        "bool_parsing": "must be true or false",
        "list_type": "must be a list (in TOML: [[name]] or [ ... ])",
        "tuple_type": "must be a list [ ... ]",
        "dict_type": "must be a table (in TOML: [name] or { key = value })",
        "model_type": "must be a table (in TOML: [name] or { key = value })",
        "model_attributes_type": "must be a table (in TOML: [name] or { key = value })",
    }
    return known.get(kind, message[:1].lower() + message[1:])


def real_path(location: Sequence[int | str], data: Any, missing: bool) -> list[int | str]:
    """The part of pydantic's location that is a path in `data` (it also names union members)."""
    path: list[int | str] = []
    for k, part in enumerate(location):
        if isinstance(data, Mapping | list | tuple) and part in (
            data if isinstance(data, Mapping) else range(len(data))
        ):
            data = data[part]  # type: ignore[index,call-overload]
        elif isinstance(data, BaseModel) and hasattr(data, str(part)):
            data = getattr(data, str(part))
        elif not (missing and k == len(location) - 1):
            continue
        path.append(part)
    return path


def joined(key: str, path: Iterable[int | str]) -> str:
    """joined("body[1]", ["shape", 0, "size", "[2]"]) = "body[1].shape[0].size[2]"."""
    for part in path:
        if isinstance(part, int):
            key += f"[{part}]"
        elif part.startswith("[") or not key:
            key += part
        else:
            key += f".{part}"
    return key
