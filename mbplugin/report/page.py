"""The page: picture, tables and plots, in one file."""

from __future__ import annotations

import warnings
from pathlib import Path

from mbplugin.errors import MbpluginError, SceneError, StoreError
from mbplugin.report import content
from mbplugin.report.content import ENERGIES, Table
from mbplugin.report.elements import drawing, message, number, page, paragraph, png, section, table
from mbplugin.results import RawResult
from mbplugin.results.summary import RunSummary

#: most pairs of bodies in contact, and coordinates in a plot
PAIRS, COORDINATES = 50, 6
FRAMES_ONLY = (
    "Largest values, here and below, are those of the frames; between two frames there may be larger ones."
)
CAUSES = "The messages at the end of the page name redundant rows and their causes, if there are any."
NOT_UNIQUE = (
    "Rigid-body mechanics does not determine reactions that are not unique: how the joints share the load is "
    "arbitrary there. Axes are those of the joint."
)


def write_report(
    raw: RawResult, summary: RunSummary | None, file: str | Path, title: str | None = None
) -> Path:
    """Write the page about a result; returns its path. Without a GL library it has no picture, and without
    matplotlib no plots; the page says so, and a warning.

    title: default the name of the scene

    Raises SceneError if the suffix is not .html, StoreError.
    """
    file = Path(file)
    if file.suffix.lower() != ".html":
        raise SceneError("file", str(file), "must end in .html")
    title = title or str(content.scene_of(raw).get("scene", {}).get("name") or raw.path)
    parts = [section("Run", full(content.key_figures(raw, summary)))]
    if raw.frames:
        parts = [picture(raw), *parts, *sections(raw, summary)]
    parts += [messages(raw), section("Versions", full(content.versions(raw)))]
    text = page(title, parts)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise StoreError(f"{file}: cannot be written: {error.strerror or error}") from None
    return file


def full(rows: Table) -> str:
    return table(rows.headings, rows.rows)


def sections(raw: RawResult, summary: RunSummary | None) -> list[str]:
    """Those that need frames."""
    found = [section("Energy", paragraph(FRAMES_ONLY), full(content.energy_ledger(raw)))]
    found.append(section("Drift of the constraints", full(content.drift(raw))))
    found.append(section("Redundancy", full(content.redundancy(raw, summary)), paragraph(CAUSES)))
    reactions = content.reactions(raw)
    if reactions.rows:
        found.append(section("Reactions of joints", paragraph(NOT_UNIQUE), full(reactions)))
    if "contacts" in raw.lists:
        found.append(contacts(raw))
    return [*found, plots(raw)]


def contacts(raw: RawResult) -> str:
    """Pairs of bodies with their largest forces."""
    headings, rows = content.contact_pairs(raw)
    parts = [full(content.contact_outputs(raw))]
    if len(rows) > PAIRS:
        parts.append(
            paragraph(f"The {PAIRS} pairs of bodies with the largest normal forces, of {len(rows)}:")
        )
    words = ", ".join(headings[5:])
    if words:
        parts.append(paragraph(f"{words}: number of contacts of all frames with this status."))
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
    """Energies, drift and the first coordinates over time."""
    coordinates = raw.names("coordinates")
    several = f" (the first {COORDINATES} of {len(coordinates)})" if len(coordinates) > COORDINATES else ""
    figures = {
        "Energies": [f"energy.{name}" for name in ENERGIES if name != "balance"],
        "Energy balance, and drift of the constraints": [
            *("energy.balance", "constraints.drift_position", "constraints.drift_velocity")
        ],
        f"Coordinates{several}": [f"coordinate.{name}.value" for name in coordinates[:COORDINATES]],
    }
    stored = lambda name: name.startswith("coordinate.") or name.replace(".", "/", 1) in raw
    parts: list[str] = []
    try:
        from mbplugin.viz import plot
        from mbplugin.viz.svg import as_element

        for caption, names in figures.items():
            if shown := [name for name in names if stored(name)]:
                parts.append(drawing(as_element(plot(raw, shown), f"p{len(parts)}"), caption))
    except ImportError as error:
        return section("Plots", left_out("plots", error))
    return section("Plots", *parts)


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
