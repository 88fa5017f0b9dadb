"""Names of bodies, markers, joints, motions and forces, and references to them."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

from mbplugin.errors import SceneError

GROUND = "ground"
NAME = re.compile(r"\w[\w +-]*")
LENGTH = 100  # characters


def a_name(value: Any) -> str:
    if not isinstance(value, str):
        raise SceneError(value=value, mend="must be a text in quotes")
    if not NAME.fullmatch(value) or len(value) > LENGTH:
        mend = f"must be 1 to {LENGTH} letters, digits, _, -, + or spaces, starting with a letter, digit or _"
        raise SceneError(value=value, mend=mend)
    return value


def a_reference(value: Any) -> str:
    if not isinstance(value, str):
        raise SceneError(value=value, mend='must be a text in quotes: "body" or "body.marker"')
    parts = value.split(".")
    if not 1 <= len(parts) <= 2 or not all(NAME.fullmatch(part) for part in parts):
        raise SceneError(value=value, mend='must be "body" or "body.marker"')
    return value


Name = Annotated[
    str,
    BeforeValidator(a_name),
    WithJsonSchema({"type": "string", "pattern": f"^{NAME.pattern}$", "maxLength": LENGTH}),
]
Reference = Annotated[str, BeforeValidator(a_reference), WithJsonSchema({"type": "string"})]


def body_of(reference: str) -> str:
    """The body's part of a reference."""
    return reference.partition(".")[0]
