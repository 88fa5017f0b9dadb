"""The page: picture, tables and plots, in one file."""

from __future__ import annotations

import io
import re
import warnings
from pathlib import Path
from typing import Any

from mbplugin.errors import MbpluginError, SceneError, writing
from mbplugin.report import content
from mbplugin.report.elements import drawing, message, number, page, paragraph, png, section, table
from mbplugin.results import RawResult
from mbplugin.results.summary import RunSummary

#: most pairs of bodies in contact
PAIRS = 50
FRAMES_ONLY = "Largest values below are those of the frames; between two frames there may be larger ones."
CAUSES = "The messages at the end of the page name redundant rows and their causes, if there are any."
NOT_UNIQUE = (
    "Rigid-body mechanics does not determine reactions that are not unique: how the joints share the load "
    "is arbitrary there. Axes are those of the joint. Reactions are without forces and torques of motions."
)
DRIVES = (
    "What motions exert along their coordinates; power is positive where it goes into the mechanism. A "
    "motor at a joint has to give this, not the reaction of the joint."
)
POWERS = "On body b of the element, about its marker; power is positive where it goes into the bodies."
SHARED = "Contacts share loads as well, with joints too: see Redundancy."
HELD = (
    "The normal force in a frame is the impulse of the step before it over its length; of an impact it "
    "depends on this length. So the table has the largest force that is held over three frames, the smallest "
    "in a frame and in those before and after it, and the largest impulse of a step, which includes impacts. "
    "Impacts between frames are in no frame; the table of impacts, energies and counts have them all."
)
IMPACTS = (
    "All impacts, also between frames: of bodies the normal part at one point. `result.impacts.table()` and "
    "`mbplugin export RESULT impacts` have each of them."
)


def write_report(raw: RawResult, summary: RunSummary | None, file: str | Path) -> Path:
    """Write the page about a result; returns its path. Without a GL library it has no picture, and without
    matplotlib no plots; the page says so, and a warning.

    Raises SceneError if the suffix is not .html, StoreError.
    """
    file = Path(file)
    if file.suffix.lower() != ".html":
        raise SceneError("file", str(file), "must end in .html")
    run = [table(*content.key_figures(raw, summary))]
    parts = [section("Run", *run)]
    if raw.frames:
        parts = [picture(raw), section("Run", *run, paragraph(FRAMES_ONLY)), *sections(raw, summary)]
    parts += [messages(raw), section("Versions", table(*content.versions(raw)))]
    text = page(str(content.scene_table(raw, "scene").get("name") or raw.path), parts)
    with writing(file):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return file


def sections(raw: RawResult, summary: RunSummary | None) -> list[str]:
    """The sections that need frames, without those of which nothing is stored."""
    tables = {
        "Energy": (content.energy_ledger(raw), ""),
        "Drift of the constraints": (content.drift(raw), ""),
        "Redundancy": (content.redundancy(raw, summary), CAUSES),
        "Motions": (content.drives(raw), DRIVES),
        "Events": (content.events(raw), content.events_left_out(raw)),
        "Impacts": (content.impacts(raw), IMPACTS),
        "Force elements": (content.elements(raw), POWERS),
        "Reactions of joints": (
            content.reactions(raw),
            f"{NOT_UNIQUE} {SHARED}" if content.shared_by_contacts(raw) else NOT_UNIQUE,
        ),
    }
    found = [
        section(title, table(*content), *([paragraph(note)] if note else []))
        for title, (content, note) in tables.items()
        if content.rows
    ]
    if "contacts" in raw.lists:
        found.append(contacts(raw))
    return [*found, plots(raw)]


def contacts(raw: RawResult) -> str:
    """Pairs of bodies with their largest forces."""
    headings, rows = content.contact_pairs(raw)
    outputs = content.contact_outputs(raw)
    parts = [table(*outputs)] if outputs.rows else []
    if len(rows) > PAIRS:
        parts.append(
            paragraph(f"The {PAIRS} pairs of bodies with the largest normal forces, of {len(rows)}:")
        )
    words = ", ".join(headings[8:])
    note = f" {words}: number of contacts of all frames with this status." if words else ""
    parts.append(paragraph(HELD + note))
    parts.append(table(headings, rows[:PAIRS]) if rows else paragraph("No two bodies were near each other."))
    return section("Contacts", *parts)


def picture(raw: RawResult) -> str:
    """The model in the middle of the run."""
    try:
        from mbplugin import viz

        found = viz.picture(raw, raw.gravity)
    except (MbpluginError, ImportError) as error:
        return left_out("picture", error)
    return png(found.png, "The model in the middle of the run")


def plots(raw: RawResult) -> str:
    """Energies, drift, coordinates, drives and variables over time."""
    parts: list[str] = []
    try:
        from mbplugin.report.page import as_element
        from mbplugin.viz import plot

        for caption, names in content.drawn_together(raw).items():
            parts.append(drawing(as_element(plot(raw, names), f"p{len(parts)}"), caption))
    except ImportError as error:
        return section("Plots", left_out("plots", error))
    return section("Plots", *(parts or [paragraph("Nothing that could be plotted is more than rounding.")]))


def left_out(what: str, error: Exception) -> str:
    """The sentence in the place of something that could not be drawn, which is also a warning."""
    text = f"The report has no {what}: {error}"
    warnings.warn(text, stacklevel=2)
    return paragraph(text)


def messages(raw: RawResult) -> str:
    """All messages of the run."""
    parts = [
        message(level if time is None else f"{level}, t = {number(time)} s", text)
        for time, level, text in raw.messages
    ]
    return section("Messages", *(parts or [paragraph("none")]))


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
