"""Types of pydantic fields for the quantities of a scene.

Every number may also be an expression of `[parameters]` in quotes. The parameters are passed in the
validation context, {"parameters": {name: value}}. true, false, nan and inf are rejected. Validators raise
SceneError without the path, which `table.py` adds.
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
#: smallest divisor: its inverse and the square of that are finite
SMALLEST = 1e-50
#: components of positions, velocities and their rates [m, m/s, m/s², rad/s]: a state beyond 1e50 has diverged
FARTHEST = 1e20
#: times [s] and local errors of steps
TIMES, TOLERANCES = (1e-20, 1e20), (1e-16, 0.1)
NUMBER_SCHEMA: dict[str, Any] = {
    "anyOf": [{"type": "number"}, {"type": "string", "description": "expression of parameters"}]
}
FUNCTION_SCHEMA: dict[str, Any] = {
    "anyOf": [{"type": "number"}, {"type": "string", "description": "expression of time and parameters"}]
}


def parameters_of(info: ValidationInfo) -> Mapping[str, float]:
    return (info.context or {}).get("parameters", {})


DEGREES = re.compile(r"\s*([-+.\deE]+)\s*(deg|degree|degrees|°)\s*")  # such as "90 deg" or "90°"


def validate_number(value: Any, info: ValidationInfo) -> float:
    if not isinstance(value, str):
        return number(value)
    degrees = DEGREES.fullmatch(value)
    if degrees is not None:
        key = "a key that ends in `_deg`"
        if info.field_name == "angle":
            key = f"`angle_deg = {degrees[1]}`"
        mend = f"numbers have no unit, and angles are in radians; for degrees use {key}"
        raise SceneError(value=value, mend=mend)
    try:
        return number(value, parameters_of(info))
    except SceneError as error:
        if info.context is not None:
            raise
        mend = f"{error.mend}; [parameters] are known in a scene file: give a number here"
        raise SceneError(error.key, error.value, mend) from None


def validate_positive(value: Any, info: ValidationInfo) -> float:
    result = validate_number(value, info)
    if result <= 0.0:
        raise SceneError(value=value, mend="must be greater than 0")
    if result < SMALLEST:
        raise SceneError(value=value, mend=f"must be at least {SMALLEST:g}")
    return result


def validate_time(value: Any, info: ValidationInfo) -> float:
    return within(validate_positive(value, info), value, *TIMES, unit=" s")


def validate_tolerance(value: Any, info: ValidationInfo) -> float:
    return within(validate_positive(value, info), value, *TOLERANCES)


def within(result: float, value: Any, least: float, most: float, unit: str = "") -> float:
    """`result`, if it is from `least` to `most`. Raises SceneError with the `value` as given."""
    if not least <= result <= most:
        raise SceneError(value=value, mend=f"must be from {least:g} to {most:g}{unit}")
    return result


def check_reach(numbers: tuple[float, ...], value: Any) -> None:
    """Check that no component is beyond FARTHEST. Raises SceneError."""
    for k, component in enumerate(numbers):
        if abs(component) > FARTHEST:
            key = f"[{k}]" if isinstance(value, list | tuple | np.ndarray) else ""
            raise SceneError(key, component, f"is larger than {FARTHEST:g}, the largest one accepted")


def validate_non_negative(value: Any, info: ValidationInfo) -> float:
    result = validate_number(value, info)
    if result < 0.0:
        raise SceneError(value=value, mend="must not be negative")
    return result


def validate_non_negative_or_auto(value: Any, info: ValidationInfo) -> float | str:
    if value == AUTO:
        return AUTO
    try:
        return validate_non_negative(value, info)
    except SceneError as error:
        raise SceneError(error.key, error.value, f'{error.mend}; or "auto"') from None


def validate_count(value: Any, info: ValidationInfo) -> int:
    result = validate_number(value, info)
    if result != int(result) or not 1 <= result <= 2**53:
        raise SceneError(value=value, mend="must be an integer, 1 or more")
    return int(result)


def validate_function(value: Any, info: ValidationInfo) -> Expression:
    if isinstance(value, Expression):
        return value
    return parse(value if isinstance(value, str) else number(value), parameters_of(info))


def validate_numbers(value: Any, info: ValidationInfo, *lengths: int, what: str = "") -> tuple[float, ...]:
    """A tuple of numbers with one of the accepted `lengths`. Raises SceneError; `what` is its message."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    mend = what or f"must be a list of {' or '.join(map(str, lengths))} numbers"
    if not isinstance(value, list | tuple):
        raise SceneError(value=value, mend=mend)
    if len(value) not in lengths:
        raise SceneError(value=value, mend=f"{mend}, not {len(value)}")
    result = []
    for k, item in enumerate(value):
        try:
            result.append(validate_number(item, info))
        except SceneError as error:
            raise SceneError(f"[{k}]", item, error.mend) from None
    return tuple(result)


def validate_vector(value: Any, info: ValidationInfo) -> tuple[float, ...]:
    result = validate_numbers(value, info, 3)
    check_reach(result, value)
    return result


def validate_plane_vector(value: Any, info: ValidationInfo) -> tuple[float, ...]:
    what = "must be a list of 3 numbers (or 2 for planar bodies)"
    result = validate_numbers(value, info, 3, 2, what=what)
    check_reach(result, value)
    return result


def validate_direction(value: Any, info: ValidationInfo) -> tuple[float, ...]:
    return direction(validate_vector(value, info), value)


def validate_plane_direction(value: Any, info: ValidationInfo) -> tuple[float, ...]:
    return direction(validate_plane_vector(value, info), value)


def direction(vector: tuple[float, ...], value: Any) -> tuple[float, ...]:
    """The vector, if it has a direction. Raises SceneError; `value` is for the message."""
    if not any(vector):
        raise SceneError(value=value, mend="must not be zero: it is a direction")
    if max(map(abs, vector)) < SMALLEST:
        raise SceneError(value=value, mend=f"must have a component of at least {SMALLEST:g}")
    return vector


def validate_rate(value: Any, info: ValidationInfo) -> float | tuple[float, ...]:
    if isinstance(value, list | tuple | np.ndarray):
        return validate_vector(value, info)
    result = validate_number(value, info)
    check_reach((result,), value)
    return result


def array_schema(least: int, most: int | None, items: Any = NUMBER_SCHEMA) -> dict[str, Any]:
    limits = {"minItems": least} if most is None else {"minItems": least, "maxItems": most}
    return {"type": "array", "items": items, **limits}


Number = Annotated[float, BeforeValidator(validate_number), WithJsonSchema(NUMBER_SCHEMA)]
Positive = Annotated[float, BeforeValidator(validate_positive), WithJsonSchema(NUMBER_SCHEMA)]
Time = Annotated[float, BeforeValidator(validate_time), WithJsonSchema(NUMBER_SCHEMA)]
Tolerance = Annotated[float, BeforeValidator(validate_tolerance), WithJsonSchema(NUMBER_SCHEMA)]
NonNegative = Annotated[float, BeforeValidator(validate_non_negative), WithJsonSchema(NUMBER_SCHEMA)]
NonNegativeOrAuto = Annotated[
    Any,
    BeforeValidator(validate_non_negative_or_auto),
    WithJsonSchema({"anyOf": [{"const": AUTO}, *NUMBER_SCHEMA["anyOf"]]}),
]
Count = Annotated[int, BeforeValidator(validate_count), WithJsonSchema(NUMBER_SCHEMA)]
Vector = Annotated[
    tuple[float, float, float], BeforeValidator(validate_vector), WithJsonSchema(array_schema(3, 3))
]
Direction = Annotated[
    tuple[float, float, float], BeforeValidator(validate_direction), WithJsonSchema(array_schema(3, 3))
]
# three components, or the two in the plane; the system adds the third when the body is added
PlaneVector = Annotated[
    tuple[float, ...], BeforeValidator(validate_plane_vector), WithJsonSchema(array_schema(2, 3))
]
PlaneDirection = Annotated[
    tuple[float, ...], BeforeValidator(validate_plane_direction), WithJsonSchema(array_schema(2, 3))
]
# a vector, or a rate about the normal of the plane
Rate = Annotated[
    float | tuple[float, float, float],
    BeforeValidator(validate_rate),
    WithJsonSchema({"anyOf": [*NUMBER_SCHEMA["anyOf"], array_schema(3, 3)]}),
]
Function = Annotated[
    Expression,
    PlainValidator(validate_function),
    PlainSerializer(lambda f: f.text, return_type=str),
    WithJsonSchema(FUNCTION_SCHEMA),
]
