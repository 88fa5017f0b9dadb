"""Pieces of an HTML page as text. All text that is passed in is escaped here."""

from __future__ import annotations

import math
from base64 import b64encode
from collections.abc import Iterable, Sequence
from html import escape

Cell = str | int | float

STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; color: #111; background: #fff;
       max-width: 64rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.6em; margin: 0; }
h2 { font-size: 1.2em; margin: 2em 0 .6em; border-bottom: 2px solid #888; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { padding: .2em .9em .2em 0; border-bottom: 1px solid #ddd; text-align: left; vertical-align: top; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
figure { margin: 1em 0; }
img, svg { max-width: 100%; height: auto; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: .2em 0 1em 1.5em; }
@media print {
  body { max-width: none; font-size: 10pt; padding: 0; }
  .wide { overflow: visible; }
  h2 { break-after: avoid; }
  tr, figure { break-inside: avoid; }
}
"""


def page(title: str, sections: Iterable[str]) -> str:
    """A whole page; sections: HTML."""
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width">\n<title>{escape(title)}</title>\n'
        f"<style>{STYLE}</style>\n</head>\n<body>\n<h1>{escape(title)}</h1>\n"
        + "\n".join(sections)
        + "\n</body>\n</html>\n"
    )


def section(title: str, *parts: str) -> str:
    """A heading and the parts below it, which are HTML."""
    return "\n".join([f"<section>\n<h2>{escape(title)}</h2>", *parts, "</section>"])


def paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def number(value: float) -> str:
    """A number of six digits; a dash for NaN."""
    return "–" if math.isnan(value) else f"{value:.6g}"


def cell(value: Cell, tag: str = "td", attributes: str = "") -> str:
    """Text to the left, numbers to the right."""
    if isinstance(value, str):
        return f"<{tag}{attributes}>{escape(value)}</{tag}>"
    return f'<{tag}{attributes} class="number">{number(value)}</{tag}>'


def table(headings: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """A table; the first cell of a row is its heading. Without headings of columns if all are empty."""
    sides = [""] * len(headings)
    for row in rows:
        sides = [side if isinstance(value, str) else ' class="number"' for side, value in zip(sides, row)]
    head = "".join(f'<th scope="col"{side}>{escape(text)}</th>' for side, text in zip(sides, headings))
    top = f"<thead><tr>{head}</tr></thead>\n" if any(headings) else ""
    body = [cell(row[0], "th", ' scope="row"') + "".join(map(cell, row[1:])) for row in rows]
    lines = "\n".join(f"<tr>{line}</tr>" for line in body)
    return f'<div class="wide"><table>\n{top}<tbody>\n{lines}\n</tbody></table></div>'


def message(level: str, text: str) -> str:
    return f"<p><strong>{escape(level)}</strong></p>\n<pre>{escape(text)}</pre>"


def png(data: bytes, caption: str) -> str:
    """A picture; data: of a PNG file."""
    source = f"data:image/png;base64,{b64encode(data).decode()}"
    return (
        f'<figure><img alt="{escape(caption)}" src="{source}">'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )


def drawing(svg: str, caption: str) -> str:
    """A drawing; svg: an element of the page."""
    return f"<figure>{svg}<figcaption>{escape(caption)}</figcaption></figure>"
