"""Base classes of the scene's tables: pydantic models that raise SceneError with the path of the key.

- `Table`: every table of a scene
- `Element`: a table with a kind; it holds the common keys, and in `raw` the unchecked keys of the kind
- `Parameters`: the keys of a kind, defined by its plugin
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import NoneType
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, model_validator
from pydantic_core import ErrorDetails

from mbplugin.errors import NOT_GIVEN, NotGiven, SceneError, did_you_mean, suggestion
from mbplugin.model.elsewhere import instead

T = TypeVar("T", bound=BaseModel)


#: what pydantic adds to a class, and no reader of a scene looks for
OF_PYDANTIC = frozenset(name for name in dir(BaseModel) if not name.startswith("__"))


class Table(BaseModel):
    """A table; unknown keys are an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, validate_default=True)

    def __init__(self, **data: Any) -> None:
        try:
            super().__init__(**data)
        except ValidationError as error:
            raise scene_error(error, type(self).__name__, data) from None

    # tells pydantic that `__init__` does not change the data; otherwise it is called for nested tables too
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    @classmethod
    def __pydantic_init_subclass__(cls, **options: Any) -> None:
        """Give `help` the keys with their defaults, without the annotations of the validation library."""
        cls.__signature__ = signature_of(cls)

    def __getattr__(self, name: str) -> Any:
        # pydantic first looks for descriptors among the private attributes, which takes four times as long
        private = object.__getattribute__(self, "__pydantic_private__")
        if private is not None and name in private:
            return private[name]
        return super().__getattr__(name)  # type: ignore[misc]

    def __dir__(self) -> list[str]:
        return sorted(set(super().__dir__()) - OF_PYDANTIC)

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        """What was given, for `repr`; the type, which a subclass may fix, always."""
        given = self.model_fields_set | ({"type"} & type(self).model_fields.keys())
        return [(name, getattr(self, name)) for name in type(self).model_fields if name in given]

    def __setattr__(self, name: str, value: Any) -> None:
        try:
            super().__setattr__(name, value)
        except ValidationError as error:
            if error.errors()[0]["type"] == "frozen_instance":
                mend = "cannot be changed; make a new one"
                raise SceneError(f"{type(self).__name__}.{name}", value, mend) from None
            raise scene_error(error, type(self).__name__, {name: value}) from None
        except ValueError:
            mend = f"unknown key{suggestion(name, type(self).model_fields, 20)}"
            raise SceneError(f"{type(self).__name__}.{name}", value, mend) from None

    @classmethod
    def keys(cls) -> list[str]:
        """The keys in a scene file."""
        return list(keys_of(cls))

    @model_validator(mode="before")
    @classmethod
    def known_keys(cls, data: Any, info: ValidationInfo) -> Any:
        """Check the keys, and replace attribute names (`shapes`) by the keys in a file (`shape`)."""
        if not isinstance(data, dict):
            return data
        key_of = aliases(cls)
        if not key_of.keys().isdisjoint(data):
            for name, alias in key_of.items():
                if name in data and alias in data:
                    raise SceneError(name, data[name], f"is another name of `{alias}`; give only one of them")
            data = {key_of.get(key, key): value for key, value in data.items()}
        check_booleans(cls, data)
        if issubclass(cls, Element):
            return cls.split(data)
        known = keys_of(cls)
        if not data.keys() <= known.keys():
            key, value = next(item for item in data.items() if item[0] not in known)
            others = [*known, *(info.context or {}).get("also_known", ())]
            hint = f"; {other}" if (other := instead(str(key), others)) else suggestion(str(key), others, 20)
            raise SceneError(str(key), value, f"unknown key{hint}")
        return data


def check_booleans(table: type[BaseModel], data: Mapping[str, Any]) -> None:
    """Raises SceneError for a truth value that is written as a word or a number, such as "yes" or 1, and for
    one in the place of a whole number.
    """
    for key, types in strict_types(table).items():
        value = data.get(key)
        if bool not in types:
            if isinstance(value, bool):
                raise SceneError(key, value, "must be a number, not true or false")
        elif not isinstance(value, types):
            or_text = ", or a condition in quotes" if str in types else ""
            raise SceneError(key, value, f"must be true or false, without quotes{or_text}")


@functools.cache
def strict_types(table: type[BaseModel]) -> dict[str, tuple[type, ...]]:
    """Types of the keys that are truth values or whole numbers, perhaps texts, and None."""
    found = {}
    for name, field in table.model_fields.items():
        types = get_args(field.annotation) or (field.annotation,)
        plain = all(one in (bool, int, str, NoneType) for one in types)
        if plain and (bool in types or int in types):
            found[aliases(table).get(name, name)] = (*types, NoneType)
    return found


def signature_of(table: type[BaseModel]) -> inspect.Signature:
    """The keys of a table in a scene file as keywords."""
    parameters = []
    for name, field in table.model_fields.items():
        if name != "raw":
            key, default = str(field.validation_alias or name), field.get_default(call_default_factory=False)
            given = inspect.Parameter.empty if field.is_required() else default
            parameters.append(inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=given))
    return inspect.Signature(parameters)


class Parameters(Table):
    """Base class of the parameters of a constraint, force, body or solver kind."""


class Element(Table):
    """A table with a kind. Its kind checks the keys in `raw`."""

    raw: dict[str, Any] = Field(default={}, description="the keys of the kind, as given")

    @classmethod
    def split(cls, data: dict[str, Any]) -> dict[str, Any]:
        """`data` with all keys that are not common to all kinds moved into `raw`."""
        known = keys_of(cls)
        if data.keys() <= known.keys():
            return data
        raw = data.get("raw", {})
        if not isinstance(raw, Mapping):
            raise SceneError("raw", raw, "must be a table")
        raw = {**raw, **{key: value for key, value in data.items() if key not in known and key != "raw"}}
        common = {key: value for key, value in data.items() if key in known}
        return {**common, "raw": raw} if raw else common

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: Any, handler: Any) -> dict[str, Any]:
        schema: dict[str, Any] = handler(core_schema)
        table = handler.resolve_ref_schema(schema)
        table["properties"].pop("raw", None)
        table["additionalProperties"] = True
        return schema


@functools.cache
def keys_of(table: type[BaseModel]) -> dict[str, None]:
    """The keys of a table in a scene file, in the order of its fields."""
    return {aliases(table).get(name, name): None for name in table.model_fields if name != "raw"}


@functools.cache
def aliases(table: type[BaseModel]) -> dict[str, str]:
    """{attribute: key in a file} of the fields for which they differ."""
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
    folder: Path | None = None,
    curves: Mapping[str, Any] | None = None,
) -> T:
    """`data` as an instance of `table`. Raises SceneError; its keys begin with `key`, such as "joint[2]".

    `parameters` are the symbols of expressions. `also_known` are keys of the enclosing table, which are
    suggested for misspelt keys. `folder` is that of the scene, with the files of tables; `curves` are its
    curves by name.
    """
    context = {
        "parameters": dict(parameters or {}),
        "also_known": tuple(also_known),
        "folder": folder,
        "curves": curves or {},
    }
    try:
        return table.model_validate(dict(data), context=context)
    except ValidationError as error:
        raise scene_error(error, key, data) from None


def scene_error(error: ValidationError, key: str, data: Any) -> SceneError:
    """A pydantic error as SceneError; `key` is the path of `data`."""
    first, *rest = [problem(details, key, data) for details in error.errors(include_url=False)]
    first.also = tuple(rest)
    return first


def problem(details: ErrorDetails, key: str, data: Any) -> SceneError:
    """One problem of a pydantic error as SceneError."""
    kind, context = details["type"], details.get("ctx", {})
    path = join_path(key, path_in(details["loc"], data, missing=kind in ("missing", "union_tag_not_found")))
    raised = context.get("error")
    if isinstance(raised, SceneError):
        value = details["input"] if isinstance(raised.value, NotGiven) and not raised.key else raised.value
        path = join_path(path, [raised.key] if raised.key else [])
        return SceneError(path, value, raised.mend, also=raised.also)
    match kind:
        case "missing":
            table = details["input"] if isinstance(details["input"], dict) else {}
            similar = did_you_mean(str(details["loc"][-1]), map(str, {**table, **table.get("raw", {})}))
            misspelt = similar.replace("did you mean", "did you misspell it as")
            return SceneError(path, NOT_GIVEN, f"is missing{misspelt}")
        case "union_tag_not_found":
            return SceneError(join_path(path, ["type"]), NOT_GIVEN, "is missing")
        case "union_tag_invalid":
            tag = context["tag"]
            types = [name.strip(" '") for name in str(context["expected_tags"]).split(",")]
            return SceneError(join_path(path, ["type"]), tag, f"unknown type{suggestion(str(tag), types)}")
        case _:
            return SceneError(path, details["input"], mend_of(kind, context, details["msg"]))


def mend_of(kind: str, context: Mapping[str, Any], message: str) -> str:
    """Remedy for pydantic's error `kind`."""
    if kind == "literal_error":
        return f"must be {context['expected']}".replace("'", '"')
    texts = {
        "string_type": "must be text in quotes",
        "bool_type": "must be true or false",
        "bool_parsing": "must be true or false",
        "list_type": "must be a list (in TOML: [[name]] or [ ... ])",
        "tuple_type": "must be a list [ ... ]",
        "dict_type": "must be a table (in TOML: [name] or { key = value })",
        "model_type": "must be a table (in TOML: [name] or { key = value })",
        "model_attributes_type": "must be a table (in TOML: [name] or { key = value })",
    }
    return texts.get(kind, message[:1].lower() + message[1:])


def path_in(location: Sequence[int | str], data: Any, missing: bool) -> list[int | str]:
    """pydantic's `location` without names of union members; `missing`: its last part is not in `data`."""
    path: list[int | str] = []
    for k, part in enumerate(location):
        if (isinstance(data, Mapping) and part in data) or (
            isinstance(data, list | tuple) and part in range(len(data))
        ):
            data = data[part]  # type: ignore[index,call-overload]
        elif isinstance(data, BaseModel) and hasattr(data, str(part)):
            data = getattr(data, str(part))
        elif not (missing and k == len(location) - 1):
            continue
        path.append(part)
    return path


def join_path(key: str, path: Iterable[int | str]) -> str:
    """join_path("body[1]", ["shape", 0, "size", "[2]"]) = "body[1].shape[0].size[2]"."""
    for part in path:
        if isinstance(part, int):
            key += f"[{part}]"
        elif part.startswith("[") or not key:
            key += part
        else:
            key += f".{part}"
    return key
