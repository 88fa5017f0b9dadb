"""Names of bodies, markers, joints, motions and forces, and references to bodies and markers."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

from mbplugin.errors import SceneError

GROUND = "ground"
NAME = re.compile(r"\w[\w +-]*")
MAX_LENGTH, MAX_BYTES = 100, 200  # characters; as UTF-8, since results have files of these names


def validate_name(value: Any) -> str:
    if not isinstance(value, str):
        raise SceneError(value=value, mend="must be text in quotes")
    if not NAME.fullmatch(value) or len(value) > MAX_LENGTH or len(value.encode()) > MAX_BYTES:
        mend = (
            f"must be 1 to {MAX_LENGTH} letters, digits, _, -, + or spaces (at most {MAX_BYTES} bytes), "
            "not starting with -, + or space"
        )
        raise SceneError(value=value, mend=mend)
    return value


def validate_reference(value: Any) -> str:
    if not isinstance(value, str):
        raise SceneError(value=value, mend='must be text in quotes: "body" or "body.marker"')
    parts = value.split(".")
    if not 1 <= len(parts) <= 2 or not all(NAME.fullmatch(part) for part in parts):
        raise SceneError(value=value, mend='must be "body" or "body.marker"')
    return value


Name = Annotated[
    str,
    BeforeValidator(validate_name),
    WithJsonSchema({"type": "string", "pattern": f"^{NAME.pattern}$", "maxLength": MAX_LENGTH}),
]
Reference = Annotated[str, BeforeValidator(validate_reference), WithJsonSchema({"type": "string"})]


def body_of(reference: str) -> str:
    """Name of the body in a reference."""
    return reference.partition(".")[0]
