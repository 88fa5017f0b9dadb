"""The quantities of a scene, as types of pydantic fields.

Every number may be written as an expression of `[parameters]` in quotes; the parameters come through the
validation
context {"parameters": {name: value}}. true, false, nan and infinities are no numbers. Validators raise
SceneError;
`table.py` adds the path.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from pydantic import BeforeValidator, PlainSerializer, PlainValidator, ValidationInfo, WithJsonSchema

from mbplugin.errors import SceneError
from mbplugin.model.expression import Expression, number, parse
from mbplugin.model.table import Parameters as Parameters

#: in the place of a number that the engine chooses
AUTO = "auto"
NUMBER_SCHEMA: dict[str, Any] = {
    "anyOf": [{"type": "number"}, {"type": "string", "description": "expression of parameters"}]
}
FUNCTION_SCHEMA: dict[str, Any] = {
    "anyOf": [{"type": "number"}, {"type": "string", "description": "expression of time and parameters"}]
}


def parameters_of(info: ValidationInfo) -> Mapping[str, float]:
    return (info.context or {}).get("parameters", {})


#: such as "90 deg" or "90°"
DEGREES = re.compile(r"\s*([-+.\deE]+)\s*(deg|degree|degrees|°)\s*")


def a_number(value: Any, info: ValidationInfo) -> float:
    given = DEGREES.fullmatch(value) if isinstance(value, str) else None
    if given is not None:
        key = (
            f"`{info.field_name}_deg = {given[1]}`"
            if info.field_name == "angle"
            else "a key that ends in `_deg`"
        )
        raise SceneError(
            value=value, mend=f"numbers carry no unit, and angles are in radians; degrees go into {key}"
        )
    return number(value, parameters_of(info))


def a_positive(value: Any, info: ValidationInfo) -> float:
    result = a_number(value, info)
    if result <= 0.0:
        raise SceneError(value=value, mend="must be greater than 0")
    return result


def a_non_negative(value: Any, info: ValidationInfo) -> float:
    result = a_number(value, info)
    if result < 0.0:
        raise SceneError(value=value, mend="must not be negative")
    return result


def a_non_negative_or_auto(value: Any, info: ValidationInfo) -> float | str:
    if value == AUTO:
        return AUTO
    try:
        return a_non_negative(value, info)
    except SceneError as error:
        raise SceneError(error.key, error.value, f'{error.mend}; or "auto"') from None


def a_count(value: Any, info: ValidationInfo) -> int:
    result = a_number(value, info)
    if result != int(result) or not 1 <= result <= 2**53:
        raise SceneError(value=value, mend="must be a whole number, 1 or more")
    return int(result)


def a_function(value: Any, info: ValidationInfo) -> Expression:
    if isinstance(value, Expression):
        return value
    return parse(value if isinstance(value, str) else number(value), parameters_of(info))


def numbers(value: Any, info: ValidationInfo, *lengths: int, what: str = "") -> tuple[float, ...]:
    """A tuple of as many numbers as one of `lengths` says."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    wanted = what or f"must be a list of {' or '.join(map(str, lengths))} numbers"
    if not isinstance(value, list | tuple):
        raise SceneError(value=value, mend=wanted)
    if len(value) not in lengths:
        raise SceneError(value=value, mend=f"{wanted}, not {len(value)}")
    result = []
    for k, item in enumerate(value):
        try:
            result.append(a_number(item, info))
        except SceneError as error:
            raise SceneError(f"[{k}]", item, error.mend) from None
    return tuple(result)


def a_vector(value: Any, info: ValidationInfo) -> tuple[float, ...]:
    return numbers(value, info, 3)


def a_plane_vector(value: Any, info: ValidationInfo) -> tuple[float, ...]:
    return numbers(value, info, 3, 2, what="must be a list of 3 numbers (2 in the plane of planar bodies)")


def a_direction(value: Any, info: ValidationInfo) -> tuple[float, ...]:
    result = a_vector(value, info)
    if not any(result):
        raise SceneError(value=value, mend="must not be zero: it is a direction")
    return result


def a_rate(value: Any, info: ValidationInfo) -> float | tuple[float, ...]:
    if isinstance(value, list | tuple | np.ndarray):
        return a_vector(value, info)
    return a_number(value, info)


def array_schema(least: int, most: int) -> dict[str, Any]:
    return {"type": "array", "items": NUMBER_SCHEMA, "minItems": least, "maxItems": most}


Number = Annotated[float, BeforeValidator(a_number), WithJsonSchema(NUMBER_SCHEMA)]
Positive = Annotated[float, BeforeValidator(a_positive), WithJsonSchema(NUMBER_SCHEMA)]
NonNegative = Annotated[float, BeforeValidator(a_non_negative), WithJsonSchema(NUMBER_SCHEMA)]
NonNegativeOrAuto = Annotated[
    Any,
    BeforeValidator(a_non_negative_or_auto),
    WithJsonSchema({"anyOf": [{"const": AUTO}, *NUMBER_SCHEMA["anyOf"]]}),
]
Count = Annotated[int, BeforeValidator(a_count), WithJsonSchema(NUMBER_SCHEMA)]
Vector = Annotated[tuple[float, float, float], BeforeValidator(a_vector), WithJsonSchema(array_schema(3, 3))]
Direction = Annotated[
    tuple[float, float, float], BeforeValidator(a_direction), WithJsonSchema(array_schema(3, 3))
]
# three components, or the two in the plane, which the system completes when the body is added
PlaneVector = Annotated[
    tuple[float, ...], BeforeValidator(a_plane_vector), WithJsonSchema(array_schema(2, 3))
]
# a vector, or a rate about the normal of the plane
Rate = Annotated[
    float | tuple[float, float, float],
    BeforeValidator(a_rate),
    WithJsonSchema({"anyOf": [*NUMBER_SCHEMA["anyOf"], array_schema(3, 3)]}),
]
Function = Annotated[
    Expression,
    PlainValidator(a_function),
    PlainSerializer(lambda f: f.text, return_type=str),
    WithJsonSchema(FUNCTION_SCHEMA),
]
