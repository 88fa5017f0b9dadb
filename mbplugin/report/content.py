"""The tables of a report: rows of text and numbers from a result."""

from __future__ import annotations

import math
import platform
import tomllib
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np

from mbplugin.report.elements import Cell, number
from mbplugin.results import RawResult
from mbplugin.results.contacts import GROUND
from mbplugin.results.summary import RunSummary

Array = np.ndarray[Any, Any]
Rows = list[list[Cell]]

#: energies of the ledger in its order
ENERGIES = ("kinetic", "potential", "dissipated", "friction", "impacts", "work", "balance")
DRIFT = {"constraints/drift_position": "positions", "constraints/drift_velocity": "velocities"}
#: of `joints/determined`: the reaction is unique from this code on
UNIQUE = 2
COUNTED = ("bodies", "joints", "coordinates", "forces", "states", "inputs", "outputs")
#: outputs of a solver with contacts, of which the page has the largest value
CONTACT_OUTPUTS = {
    "contact.missed": "steps that missed their residual",
    "contact.residual": "largest residual of the steps that lead to frames",
    "contact.impacts": "impacts",
}


class Table(NamedTuple):
    headings: list[str]
    rows: Rows


def scene_table(raw: RawResult, name: str) -> dict[str, Any]:
    """A table of the stored scene, such as "solver"; empty if there is none."""
    try:
        found = tomllib.loads(str(raw.attributes.get("scene", ""))).get(name)
    except tomllib.TOMLDecodeError:
        return {}
    return found if isinstance(found, dict) else {}


def has_values(raw: RawResult, key: str) -> bool:
    """Whether the array is stored, and not NaN in all frames as energies of an analysis are."""
    return key in raw and not np.isnan(raw[key]).all()


def largest(values: Array, time: Array) -> tuple[float, float]:
    """The largest of values (frames,), and its time [s]; NaN if there is none."""
    if np.isnan(values).all():
        return math.nan, math.nan
    frame = int(np.nanargmax(values))
    return float(values[frame]), float(time[frame])


def key_figures(raw: RawResult, summary: RunSummary | None) -> Table:
    """What was run, how it ended, and its counts."""
    solver = scene_table(raw, "solver")
    rows: Rows = [
        ["result", str(raw.path)],
        ["solver", str(solver.pop("type", "not stored"))],
        ["keys of the solver", ", ".join(f"{key} = {value}" for key, value in solver.items()) or "defaults"],
        ["state", "complete" if raw.complete else "incomplete: the run goes on, failed or was stopped"],
    ]
    if summary is not None and summary.stopped:
        rows.append(["end", summary.stopped])
    if raw.frames:
        rows.append(["time [s]", f"{number(raw.time[0])} to {number(raw.time[-1])}"])
    rows.append(["frames", raw.frames])
    rows += [[group, len(raw.names(group))] for group in COUNTED]
    if summary is None:
        rows.append(["counts", "not stored: the run goes on or was killed, or this is an analysis"])
        return Table(["", ""], rows)
    rows += [
        ["degrees of freedom", summary.dof],
        ["steps", summary.steps],
        ["evaluations", summary.evaluations],
        ["processor time of the steps [s]", summary.cpu_seconds],
        ["largest error of the energy balance, of the largest energy", summary.energy_error],
        ["largest drift of positions, of the size", summary.drift_position],
        ["largest drift of velocities", summary.drift_velocity],
    ]
    if summary.resume_from > 0.0:
        rows.append(["resumed at [s]", summary.resume_from])
    return Table(["", ""], rows)


def energy_ledger(raw: RawResult) -> Table:
    """Energies at start and end [J]; losses and work are counted from t = 0."""
    rows: Rows = []
    for name in ENERGIES:
        if has_values(raw, f"energy/{name}"):
            values = raw[f"energy/{name}"]
            size, time = largest(abs(values), raw.time)
            rows.append([name, float(values[0]), float(values[-1]), size, time])
    return Table(["energy [J]", "at the start", "at the end", "largest magnitude", "at [s]"], rows)


def drift(raw: RawResult) -> Table:
    rows: Rows = [
        [f"{name} [{raw.units(key)}]", *largest(raw[key], raw.time)]
        for key, name in DRIFT.items()
        if has_values(raw, key)
    ]
    return Table(["residual of", "largest", "at [s]"], rows)


def redundancy(raw: RawResult, summary: RunSummary | None) -> Table:
    """Counts of the constraint rows, and the joints whose reactions are not unique."""
    rows: Rows = []
    if summary is not None:
        rows += [
            ["constraint rows", summary.rows],
            ["rank", summary.rank],
            ["redundant rows", summary.rows - summary.rank],
        ]
    joints = [name for name, directions in not_unique(raw).items() if directions]
    if "joints/determined" in raw:
        rows.append(["joints with reactions that are not unique", ", ".join(joints) or "none"])
    return Table(["", ""], rows)


def not_unique(raw: RawResult) -> dict[str, str]:
    """Joint -> axes of the joint along which its reaction is not unique in a frame, such as "force x z,
    torque y"; "" if there are none.
    """
    if "joints/determined" not in raw:
        return {}
    below = np.any(raw["joints/determined"] < UNIQUE, axis=0).reshape(-1, 2, 3)
    found = {}
    for name, marks in zip(raw.names("joints"), below):
        axes = {what: " ".join(np.array(list("xyz"))[of]) for what, of in zip(("force", "torque"), marks)}
        found[name] = ", ".join(f"{what} {letters}" for what, letters in axes.items() if letters)
    return found


def reactions(raw: RawResult) -> Table:
    """Largest force [N] and torque [N·m] of each joint, and where they are not unique."""
    if "joints/force" not in raw:
        return Table([], [])
    names, marks = raw.names("joints"), not_unique(raw)
    describe = {key: raw.attribute(f"joints/{key}", [""] * len(names)) for key in ("type", "a", "b")}
    forces = np.linalg.norm(raw["joints/force"], axis=2)  # (frames, joints)
    torques = np.linalg.norm(raw["joints/torque"], axis=2)
    rows: Rows = [
        [
            name,
            *(str(values[k]) for values in describe.values()),
            *largest(forces[:, k], raw.time),
            *largest(torques[:, k], raw.time),
            marks.get(name, ""),
        ]
        for k, name in enumerate(names)
    ]
    headings = ["joint", "type", "a", "b", "largest force [N]", "at [s]", "largest torque [N·m]", "at [s]"]
    return Table([*headings, "not unique"], rows)


def contact_pairs(raw: RawResult) -> Table:
    """For each two bodies that touch in a frame: the largest sum of their normal forces [N], the smallest gap
    [m], and how many entries have each status. Largest force first.
    """
    read = lambda name: raw.entries("contacts", name)
    ends = np.sort(np.column_stack([read("body_a"), read("body_b")]).astype(np.int64), axis=1)
    pairs, pair = np.unique(ends, axis=0, return_inverse=True)
    pair = pair.reshape(-1)
    frame = np.repeat(np.arange(raw.frames), np.diff(raw.offsets("contacts")))
    normal, gap = np.einsum("ij,ij->i", read("force"), read("normal")), read("gap")
    words = raw.words("lists/contacts/status") if "status" in raw.lists["contacts"] else []
    status = read("status") if words else np.zeros(len(pair), int)
    order = np.argsort(pair, kind="stable")
    rows: Rows = []
    bodies = [*raw.names("bodies"), GROUND]  # the ground is -1
    for (a, b), chosen in zip(pairs, np.split(order, np.cumsum(np.bincount(pair))[:-1])):
        force = np.bincount(frame[chosen], normal[chosen], raw.frames)
        counts = np.bincount(status[chosen], minlength=len(words))
        of_words = [int(count) for count in counts[: len(words)]]
        where = [bodies[a], bodies[b]]
        rows.append([*where, *largest(force, raw.time), float(np.fmin.reduce(gap[chosen])), *of_words])
    rows.sort(key=lambda row: -float(row[2]))
    return Table(["a", "b", "largest normal force [N]", "at [s]", "smallest gap [m]", *words], rows)


def contact_outputs(raw: RawResult) -> Table:
    """Missed steps and impacts since t = 0."""
    names, units = raw.names("outputs"), raw.attribute("outputs/unit", [])
    rows: Rows = []
    for name, words in CONTACT_OUTPUTS.items():
        if name in names:
            k = names.index(name)
            unit = "" if units[k] in ("", "1") else f" [{units[k]}]"
            rows.append([f"{words}{unit}", float(raw["outputs/value"][:, k].max())])
    return Table(["", ""], rows)


def versions(raw: RawResult) -> Table:
    """Of mbplugin and the plugins that ran, and of what has written the page."""
    rows: Rows = []
    sources = raw.attributes.get("sources")
    if isinstance(sources, Mapping) and "mbplugin" in sources:
        rows.append(["mbplugin", str(sources["mbplugin"]).partition(" ")[0], "the run"])
    plugins = raw.attributes.get("plugins")
    for plugin in plugins if isinstance(plugins, list) else []:
        if isinstance(plugin, Mapping):
            rows.append([str(plugin.get("name", "")), str(plugin.get("version", "")), "the run"])
    here = {"mbplugin": version("mbplugin"), "python": platform.python_version(), "numpy": np.__version__}
    rows += [[name, found, "this page"] for name, found in here.items()]
    return Table(["", "version", "of"], rows)
