"""Types of pydantic fields for the quantities of a scene.

Every number may also be an expression of `[parameters]` in quotes. The parameters are passed in the
validation context, {"parameters": {name: value}}. true, false, nan and inf are rejected. Validators raise
SceneError without the path, which `table.py` adds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Annotated, Any, TypeVar

import numpy as np
from pydantic import (
    AfterValidator,
    BeforeValidator,
    PlainSerializer,
    PlainValidator,
    ValidationInfo,
    WithJsonSchema,
)

from mbplugin.errors import SceneError
from mbplugin.model.expression import Expression, number, parse
from mbplugin.model.table import Parameters as Parameters

T = TypeVar("T")

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


def rule(*parts: tuple[Callable[[Any], bool], str]) -> Callable[[Any], Any]:
    """Check of a value by (condition, what is said if it is not met). It returns the value, or raises
    SceneError.
    """

    def check(value: Any) -> Any:
        for holds, mend in parts:
            if not holds(value):
                raise SceneError(mend=mend)
        return value

    return check


ABOVE_ZERO = (lambda x: x > 0.0, "must be greater than 0")
positive = rule(ABOVE_ZERO, (lambda x: x >= SMALLEST, f"must be at least {SMALLEST:g}"))
not_negative = rule((lambda x: x >= 0.0, "must not be negative"))
a_time = rule((lambda x: TIMES[0] <= x <= TIMES[1], "must be from {:g} to {:g} s".format(*TIMES)))
a_tolerance = rule(
    (lambda x: TOLERANCES[0] <= x <= TOLERANCES[1], "must be from {:g} to {:g}".format(*TOLERANCES))
)
a_direction = rule(
    (any, "must not be zero: it is a direction"),
    (lambda x: max(map(abs, x)) >= SMALLEST, f"must have a component of at least {SMALLEST:g}"),
)


def check_reach(numbers: tuple[float, ...], value: Any) -> None:
    """Check that no component is beyond FARTHEST. Raises SceneError."""
    for k, component in enumerate(numbers):
        if abs(component) > FARTHEST:
            key = f"[{k}]" if isinstance(value, list | tuple | np.ndarray) else ""
            raise SceneError(key, component, f"is larger than {FARTHEST:g}, the largest one accepted")


def validate_non_negative_or_auto(value: Any, info: ValidationInfo) -> float | str:
    if value == AUTO:
        return AUTO
    try:
        return float(not_negative(validate_number(value, info)))
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


def items_of(value: Any, lengths: Container[int], mend: str) -> Sequence[Any]:
    """The items of a list of one of these lengths. Raises SceneError, which says `mend`."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if not isinstance(value, list | tuple):
        raise SceneError(value=value, mend=mend)
    if len(value) not in lengths:
        raise SceneError(value=value, mend=f"{mend}, not {len(value)}")
    return value


def each(items: Iterable[Any], validate: Callable[[Any], T]) -> tuple[T, ...]:
    """Results of `validate` for each item. Raises SceneError at the index of an item."""
    result = []
    for k, item in enumerate(items):
        try:
            result.append(validate(item))
        except SceneError as error:
            raise SceneError(f"[{k}]{error.key}", error.value if error.key else item, error.mend) from None
    return tuple(result)


def validate_numbers(value: Any, info: ValidationInfo, *lengths: int, what: str = "") -> tuple[float, ...]:
    """A tuple of numbers with one of the accepted `lengths`. Raises SceneError; `what` is its message."""
    items = items_of(value, lengths, what or f"must be a list of {' or '.join(map(str, lengths))} numbers")
    return each(items, lambda item: validate_number(item, info))


def validate_vector(value: Any, info: ValidationInfo) -> tuple[float, ...]:
    result = validate_numbers(value, info, 3)
    check_reach(result, value)
    return result


def validate_plane_vector(value: Any, info: ValidationInfo) -> tuple[float, ...]:
    what = "must be a list of 3 numbers (or 2 for planar bodies)"
    result = validate_numbers(value, info, 3, 2, what=what)
    check_reach(result, value)
    return result


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
Positive = Annotated[Number, AfterValidator(positive)]
Time = Annotated[Positive, AfterValidator(a_time)]
Tolerance = Annotated[Positive, AfterValidator(a_tolerance)]
NonNegative = Annotated[Number, AfterValidator(not_negative)]
NonNegativeOrAuto = Annotated[
    Any,
    BeforeValidator(validate_non_negative_or_auto),
    WithJsonSchema({"anyOf": [{"const": AUTO}, *NUMBER_SCHEMA["anyOf"]]}),
]
Count = Annotated[int, BeforeValidator(validate_count), WithJsonSchema(NUMBER_SCHEMA)]
Vector = Annotated[
    tuple[float, float, float], BeforeValidator(validate_vector), WithJsonSchema(array_schema(3, 3))
]
Direction = Annotated[Vector, AfterValidator(a_direction)]
# three components, or the two in the plane; the system adds the third when the body is added
PlaneVector = Annotated[
    tuple[float, ...], BeforeValidator(validate_plane_vector), WithJsonSchema(array_schema(2, 3))
]
PlaneDirection = Annotated[PlaneVector, AfterValidator(a_direction)]
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
