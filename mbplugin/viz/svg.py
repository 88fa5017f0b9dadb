"""Figures as SVG elements within an HTML page."""

from __future__ import annotations

import io
import re
from typing import Any

#: entries of the description that matplotlib adds
METADATA = ("Creator", "Date", "Format", "Type")


def as_element(figure: Any, prefix: str) -> str:
    """A matplotlib figure as an `svg` element without addresses; the same figure gives the same text.

    prefix: of its identifiers, which must differ between the figures of a page
    """
    from matplotlib import rc_context

    file = io.StringIO()
    with rc_context({"svg.hashsalt": prefix}):
        figure.savefig(file, format="svg", metadata=dict.fromkeys(METADATA))
    text = file.getvalue()
    text = re.sub(r'\s+xmlns(:\w+)?="[^"]*"', "", text[text.index("<svg") :])
    return re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{prefix}-", text)
