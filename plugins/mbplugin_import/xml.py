"""Numbers and attributes of XML elements, with messages that name them."""

from __future__ import annotations

from codecs import BOM_UTF8
from math import inf
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.parsers import expat

import numpy as np

from mbplugin.errors import SceneError
from mbplugin_import.poses import Array

Element = ElementTree.Element
#: largest number that a scene takes everywhere
LARGEST = 1e20


def read_xml(file: Path) -> Element:
    """The root element of a file. Raises SceneError, OSError.

    Prefixes are part of the tags and need no declaration; blanks before the XML declaration do no harm.
    """
    builder = ElementTree.TreeBuilder()
    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = builder.start, builder.end
    parser.CharacterDataHandler = builder.data
    content = file.read_bytes()
    text = content.removeprefix(BOM_UTF8).lstrip()
    try:
        parser.Parse(text, True)
        return builder.close()
    except (expat.ExpatError, ValueError, LookupError) as error:  # the latter two: of the encoding
        line = getattr(error, "lineno", 0) + content[: len(content) - len(text)].count(b"\n")
        raise SceneError(
            file=str(file), line=line, mend=f"is not XML: {str(error).partition(':')[0]}"
        ) from None


def attribute(element: Element, name: str, owner: str) -> str:
    """A required attribute. Raises SceneError."""
    value = element.get(name)
    if value is None:
        raise SceneError(f"{owner}: <{element.tag}>", mend=f'the attribute "{name}" is missing')
    return value


def optional_child(element: Element, tag: str, owner: str) -> Element | None:
    """The child of this tag, if there is one. Raises SceneError if there are several."""
    found = element.findall(tag)
    if len(found) > 1:
        raise SceneError(owner, mend=f"has {len(found)} elements <{tag}>; one is meant")
    return found[0] if found else None


def child(element: Element, tag: str, owner: str) -> Element:
    """A required child. Raises SceneError."""
    found = optional_child(element, tag, owner)
    if found is None:
        raise SceneError(owner, mend=f"the element <{tag}> is missing")
    return found


def number(
    element: Element | None, name: str, owner: str, default: float | None = None, largest: float = LARGEST
) -> float:
    """An attribute that is a number. Raises SceneError."""
    return float(vector(element, name, owner, 1, default, largest)[0])


def vector(
    element: Element | None, name: str, owner: str, size: int, default: Any = None, largest: float = LARGEST
) -> Array:
    """An attribute that is a list of `size` numbers up to `largest`. Raises SceneError."""
    if default is not None and (element is None or element.get(name) is None):
        return np.array(default, float).reshape(size)
    assert element is not None
    text = attribute(element, name, owner)
    try:
        values = [] if "_" in text else [float(word) for word in text.split()]
    except ValueError:
        values = []
    if len(values) != size or not all(abs(value) <= largest for value in values):
        kind, most = ("", "") if largest == inf else ("finite ", f", of at most {largest:g}")
        what = f"a {kind}number" if size == 1 else f"{size} {kind}numbers"
        raise SceneError(f"{owner}: <{element.tag} {name}>", text, f"must be {what}{most}")
    return np.array(values)
