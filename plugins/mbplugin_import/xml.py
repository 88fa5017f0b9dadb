"""Numbers and attributes of XML elements, with messages that name them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from mbplugin.errors import SceneError
from mbplugin_import.poses import Array

Element = ElementTree.Element


def read_xml(file: Path) -> Element:
    """The root element of a file. Raises SceneError, OSError."""
    try:
        return ElementTree.parse(file).getroot()
    except ElementTree.ParseError as error:
        mend = f"is not XML: {str(error).partition(':')[0]}"
        raise SceneError(file=str(file), line=error.position[0], mend=mend) from None


def attribute(element: Element, name: str, owner: str) -> str:
    """A required attribute. Raises SceneError."""
    value = element.get(name)
    if value is None:
        raise SceneError(f"{owner}: <{element.tag}>", mend=f'the attribute "{name}" is missing')
    return value


def child(element: Element, tag: str, owner: str) -> Element:
    """A required child. Raises SceneError."""
    found = element.find(tag)
    if found is None:
        raise SceneError(owner, mend=f"the element <{tag}> is missing")
    return found


def number(element: Element | None, name: str, owner: str, default: float | None = None) -> float:
    """An attribute that is a number. Raises SceneError."""
    if element is None or (default is not None and element.get(name) is None):
        return 0.0 if default is None else default
    return float(vector(element, name, owner, 1)[0])


def vector(element: Element | None, name: str, owner: str, size: int, default: Any = None) -> Array:
    """An attribute that is a list of `size` numbers. Raises SceneError."""
    if default is not None and (element is None or element.get(name) is None):
        return np.array(default, float)
    assert element is not None
    text = attribute(element, name, owner)
    try:
        values = [float(word) for word in text.split()]
    except ValueError:
        values = []
    if len(values) != size or not all(map(math.isfinite, values)):
        what = "a finite number" if size == 1 else f"{size} finite numbers"
        raise SceneError(f"{owner}: <{element.tag} {name}>", text, f"must be {what}")
    return np.array(values)
