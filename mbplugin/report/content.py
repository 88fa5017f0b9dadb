"""The tables of a report: rows of text and numbers from a result."""

from __future__ import annotations

import math
import platform
from collections.abc import Mapping
from datetime import datetime
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np

from mbplugin.report.elements import Cell, number
from mbplugin.results import Array, RawResult
from mbplugin.results.computed import stored_scene, tables
from mbplugin.results.contacts import GROUND
from mbplugin.results.events import events_of, impacts_of
from mbplugin.results.impacts import IMPACTS
from mbplugin.results.summary import RunSummary

Rows = list[list[Cell]]

#: energies of the ledger in its order
ENERGIES = ("kinetic", "potential", "dissipated", "friction", "impacts", "work", "balance")
#: rounding, of the largest energy, of an angle of 1 rad or of 1 m; and an energy that is none [J]
ROUNDING, NO_ENERGY = 1e-12, 1e-25
DRIFT = {"constraints/drift_position": "positions", "constraints/drift_velocity": "velocities"}
#: of `joints/determined`: the reaction is unique from this code on
UNIQUE = 2
LIMITS = ("smallest power [W]", "largest power [W]")
#: most coordinates, motions and variables in a plot
CURVES = 12
#: most events in the table
EVENTS = 50
#: beginning and words of a message on contacts
SHARED = ("contacts:", "not unique")
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
    found = stored_scene(raw).get(name)
    return dict(found) if isinstance(found, dict) else {}


def has_values(raw: RawResult, key: str) -> bool:
    """Whether the array is stored, and not NaN in all frames as energies of an analysis are."""
    return key in raw and not np.isnan(raw[key]).all()


def largest(values: Array, time: Array) -> tuple[float, float]:
    """The largest of values (frames,), and its time [s]; NaN if there is none, or only zeros."""
    if np.isnan(values).all():
        return math.nan, math.nan
    frame = int(np.nanargmax(values))
    return float(values[frame]), float(time[frame]) if np.nan_to_num(values).any() else math.nan


def cleaned(value: float, size: float) -> float:
    """0 if a value is rounding beside `size`."""
    return float(value) if abs(value) > ROUNDING * size else 0.0


def key_figures(raw: RawResult, summary: RunSummary | None) -> Table:
    """Table of what was run, how it ended, and its counts."""
    solver = scene_table(raw, "solver")
    rows: Rows = [
        ["result", str(raw.path)],
        ["solver", str(solver.pop("type", "not stored"))],
        ["keys of the solver", ", ".join(f"{key} = {value}" for key, value in solver.items()) or "defaults"],
        ["state", "complete" if raw.complete else "incomplete: the run goes on, failed or was stopped"],
    ]
    rows += [["error", message.text] for message in raw.messages if message.level == "error"]
    if summary is not None and summary.stopped:
        rows.append(["end", summary.stopped])
    if raw.frames:
        rows.append(["time [s]", f"{number(raw.time[0])} to {number(raw.time[-1])}"])
    rows.append(["frames", raw.frames])
    if written := last_written(raw):
        rows.append(["store last written", written])
    rows += [[group, len(names)] for group in COUNTED if (names := raw.names(group))]
    if summary is None:
        rows.append(["counts", "not stored: the run goes on or was killed, or this is an analysis"])
        return Table(["", ""], rows)
    rows += [["degrees of freedom", summary.dof], ["steps", summary.steps]]
    whole = summary.resume_from == 0.0 and "end" not in scene_table(raw, "output")
    if raw.frames and summary.steps and whole:
        rows.append(["mean step [s]", float(raw.time[-1]) / summary.steps])
    rows += [
        ["evaluations", summary.evaluations],
        ["processor time of the steps [s]", summary.cpu_seconds],
        ["largest error of the energy balance, of the largest energy", summary.energy_error],
        ["largest drift of positions, of the size", summary.drift_position],
        ["largest drift of velocities", summary.drift_velocity],
    ]
    if summary.events:
        rows.append(["events of limits, friction, clutches and efforts, and impacts", summary.events])
    if summary.resume_from > 0.0:
        rows.append(["resumed at [s]", summary.resume_from])
    return Table(["", ""], rows)


def last_written(raw: RawResult) -> str:
    """When the store was, in the time zone of this machine; "" of a result in memory."""
    try:
        seconds = (raw.path / "zarr.json").stat().st_mtime
    except OSError:
        return ""
    return datetime.fromtimestamp(seconds).astimezone().isoformat(" ", "minutes")


def largest_energy(raw: RawResult) -> float:
    """Largest energy of all frames, without its sign [J]."""
    stored = [raw[key] for name in ENERGIES[:-1] if has_values(raw, key := f"energy/{name}")]
    return max((float(np.nanmax(abs(values))) for values in stored), default=0.0)


def has_energy(raw: RawResult, name: str) -> bool:
    """Whether an energy is more than rounding in a frame."""
    key = f"energy/{name}"
    limit = max(ROUNDING * largest_energy(raw), NO_ENERGY)
    return has_values(raw, key) and float(np.nanmax(abs(raw[key]))) > limit


def energy_ledger(raw: RawResult) -> Table:
    """Energies at start and end [J], without those that are zero; losses and work are counted from t = 0."""
    rows: Rows = []
    whole = largest_energy(raw)
    for name in ENERGIES:
        is_balance = name == "balance" and bool(rows) and has_values(raw, "energy/balance")
        if has_energy(raw, name) or is_balance:
            values = raw[f"energy/{name}"]
            size, time = largest(abs(values), raw.time)
            ends = [float(value) for value in values[[0, -1]]]
            if not is_balance:
                ends = [cleaned(value, whole) for value in ends]
            rows.append([name, *ends, size, time])
    return Table(["energy [J]", "at the start", "at the end", "largest magnitude", "at [s]"], rows)


def drift(raw: RawResult) -> Table:
    rows: Rows = [
        [f"{name} [{raw.units(key)}]", *largest(raw[key], raw.time)]
        for key, name in DRIFT.items()
        if has_values(raw, key) and raw[key].any()
    ]
    return Table(["residual of", "largest", "at [s]"], rows)


def redundancy(raw: RawResult, summary: RunSummary | None) -> Table:
    """Counts of the constraint rows, and the joints whose reactions are not unique; none without rows."""
    rows: Rows = []
    if summary is not None and summary.rows:
        rows += [
            ["constraint rows", summary.rows],
            ["rank", summary.rank],
            ["redundant rows", summary.rows - summary.rank],
        ]
    joints = [name for name, directions in not_unique(raw).items() if directions]
    shared = shared_by_contacts(raw)
    if "joints/determined" in raw and raw.names("joints"):
        alone = "none by redundant rows; see the next line" if shared else "none"
        rows.append(["joints with reactions that are not unique", ", ".join(joints) or alone])
    if shared:
        rows.append(["loads that contacts share", shared])
    return Table(["", ""], rows)


def shared_by_contacts(raw: RawResult) -> str:
    """Remark of a solver at the end on forces of contacts that are not unique; "" if nothing."""
    found = [m.text for m in raw.messages if m.text.startswith(SHARED[0]) and SHARED[1] in m.text]
    return "; ".join(text.removeprefix(SHARED[0]).strip() for text in found)


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


def drives(raw: RawResult) -> Table:
    """Table of each motion along its coordinate: largest force [N] or torque [N·m], and its power [W]."""
    rows: Rows = []
    for k in driven(raw):
        name, unit = raw.names("coordinates")[k], raw.attribute("coordinates/unit", [])[k]
        drive, speed = raw["coordinates/drive"][:, k], raw["coordinates/speed"][:, k]
        size, time = largest(abs(drive), raw.time)
        what = f"{number(size)} {'N·m' if unit == 'rad' else 'N'}"
        rows.append([name, what, time, *limits(drive * speed)])
    return Table(["coordinate", "largest force or torque", "at [s]", *LIMITS], rows)


def limits(power: Array) -> list[float]:
    """The smallest and the largest of powers (frames,) [W]; NaN if there is none."""
    low, high = float(np.min(power)), float(np.max(power))
    size = max(abs(low), abs(high))
    return [low, high] if math.isnan(size) else [cleaned(low, size), cleaned(high, size)]


def driven(raw: RawResult) -> list[int]:
    """Numbers of the coordinates on which a motion acts in a frame."""
    if "coordinates/drive" not in raw:
        return []
    acts = np.any(np.nan_to_num(raw["coordinates/drive"]) != 0.0, axis=0)
    return [int(k) for k in np.flatnonzero(acts)]


def events(raw: RawResult) -> Table:
    """The first events: of rows that switch, and impacts."""
    rows: Rows = [
        [event.time, event.element, event.before, event.after, event.impulse or math.nan, event.dof]
        for event in events_of(raw)[:EVENTS]
    ]
    headings = ["at [s]", "element", "before", "after", "impulse [N·s] or [N·m·s]", "degrees of freedom"]
    return Table(headings, rows)


def events_left_out(raw: RawResult) -> str:
    """A sentence on those that are not in the table; "" if all are."""
    n = len(events_of(raw))
    return f"The first {EVENTS} of {n} events; `result.events` has them all." if n > EVENTS else ""


def impacts(raw: RawResult) -> Table:
    """Table of limits, ropes and bodies that have been struck: how often, the largest normal impulse [N·s],
    the largest approach [m/s], and the energy that all their impacts took [J]. Largest impulse first.
    """
    if "contacts" in raw.lists and IMPACTS not in raw.lists:
        return Table([], [])
    found = impacts_of(raw)
    names, element = np.unique(found.element, return_inverse=True)
    rows: Rows = []
    for k, name in enumerate(names.tolist()):
        own = np.flatnonzero(element.ravel() == k)
        impulses, approach = abs(found.impulse[own, 0]), -found.velocity_before[own, 0]
        of_bodies = bool(np.isfinite(approach).all())
        first = own[int(np.argmax(impulses))]
        sizes = [float(impulses.max()), float(found.time[first])]
        taken = [float(approach.max()), float(found.energy[own].sum())] if of_bodies else [math.nan] * 2
        rows.append([name, len(own), *sizes, *taken])
    rows.sort(key=lambda row: -float(row[2]))
    headings = ["element", "impacts", "largest impulse [N·s] or [N·m·s]", "at [s]"]
    return Table([*headings, "largest approach [m/s]", "energy taken by all [J]"], rows[:EVENTS])


def elements(raw: RawResult) -> Table:
    """Largest force [N], torque [N·m] and powers [W] of each force element."""
    rows: Rows = []
    if "forces/wrench" in raw and raw.names("forces"):
        forces, torques = (np.linalg.norm(part, axis=2) for part in np.split(raw["forces/wrench"], 2, axis=2))
        powers = raw["forces/power"]
        for k, name in enumerate(raw.names("forces")):
            sizes = [cell for values in (forces, torques) for cell in largest(values[:, k], raw.time)]
            rows.append([name, *sizes, *limits(powers[:, k])])
    headings = ["element", "largest force [N]", "at [s]", "largest torque [N·m]", "at [s]"]
    return Table([*headings, *LIMITS], rows)


def reactions(raw: RawResult) -> Table:
    """Largest force [N] and torque [N·m] of each joint, and where they are not unique."""
    if not has_values(raw, "joints/force"):
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
    """For each two bodies that are near in a frame: the largest sum of their normal forces [N] that is held
    over three frames, the largest sum of normal impulses [N s] of a step, in how many frames they touch, the
    smallest gap [m], and how many entries have each status. Largest force first.
    """
    read = lambda name: raw.entries("contacts", name)
    ends = np.sort(np.column_stack([read("body_a"), read("body_b")]).astype(np.int64), axis=1)
    pairs, pair = np.unique(ends, axis=0, return_inverse=True)
    pair = pair.reshape(-1)
    frame = np.repeat(np.arange(raw.frames), np.diff(raw.offsets("contacts")))
    normal, gap = read("normal"), read("gap")
    force, impulse = (np.einsum("ij,ij->i", read(name), normal) for name in ("force", "impulse"))
    words = raw.words("lists/contacts/status") if "status" in raw.lists["contacts"] else []
    status = read("status") if words else np.zeros(len(pair), int)
    order = np.argsort(pair, kind="stable")
    rows: Rows = []
    bodies = [*raw.names("bodies"), GROUND]  # the ground is -1
    for (a, b), chosen in zip(pairs, np.split(order, np.cumsum(np.bincount(pair))[:-1])):
        forces, impulses = (np.bincount(frame[chosen], v[chosen], raw.frames) for v in (force, impulse))
        counts = np.bincount(status[chosen], minlength=len(words))
        rows.append(
            [
                bodies[a],
                bodies[b],
                *largest(held(forces), raw.time),
                *largest(impulses, raw.time),
                int((forces > 0.0).sum()),
                float(np.fmin.reduce(gap[chosen])),
                *(int(count) for count in counts[: len(words)]),
            ]
        )
    rows.sort(key=lambda row: tuple(-np.nan_to_num([float(row[2]), float(row[4])])))
    sizes = ["largest held normal force [N]", "at [s]", "impulse of a frame's step [N·s]", "at [s]"]
    headings = ["a", "b", *sizes]
    return Table([*headings, "frames in contact", "smallest gap [m]", *words], rows)


def held(forces: Array) -> Array:
    """(frames,) the smallest force in a frame and in those before and after it, as far as there are any; NaN
    where it is zero.
    """
    if len(forces) < 2:
        return np.full(len(forces), np.nan)
    around = np.concatenate([forces[:1], forces, forces[-1:]])
    least = np.minimum(np.minimum(around[:-2], around[2:]), forces)
    return np.where(least > 0.0, least, np.nan)


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


def drawn_together(raw: RawResult) -> dict[str, list[str]]:
    """Captions of plots -> names of their quantities, without those that are zero or rounding throughout."""
    energies = [f"energy.{name}" for name in ENERGIES[:-1] if has_energy(raw, name)]
    balance = ["energy.balance"] if has_energy(raw, "balance") else []
    drift = [key.replace("/", ".") for key in DRIFT if has_values(raw, key) and moves(raw[key])]
    coordinates, outputs = raw.names("coordinates"), raw.names("outputs")
    moved = [k for k in range(len(coordinates)) if moves(raw["coordinates/value"][:, k])]
    given = {str(table.get("name")) for table in tables(raw, "variable")}
    variables = [k for k, name in enumerate(outputs) if name in given and moves(raw["outputs/value"][:, k])]
    dof = ["constraints.dof"] if "constraints/dof" in raw and np.ptp(raw["constraints/dof"]) > 0 else []
    moving = [k for k in driven(raw) if moves(raw["coordinates/drive"][:, k])]
    of = {
        "Coordinates": [f"coordinate.{coordinates[k]}.value" for k in moved],
        "Forces and torques of motions": [f"coordinate.{coordinates[k]}.drive" for k in moving],
        "Degrees of freedom": dof,
        "Variables": [f"output.{outputs[k]}.value" for k in variables],
    }
    found = {"Energies": energies, "Energy balance": balance, "Drift of the constraints": drift}
    for caption, names in of.items():
        several = f" (the first {CURVES} of {len(names)})" if len(names) > CURVES else ""
        found[f"{caption}{several}"] = names[:CURVES]
    return {caption: names for caption, names in found.items() if names}


def moves(values: Array) -> bool:
    """Whether values (frames,) are more than rounding in a frame."""
    return bool(np.max(abs(np.nan_to_num(values)), initial=0.0) > ROUNDING)


def versions(raw: RawResult) -> Table:
    """Versions of mbplugin and the plugins that ran, and of what has written the page."""
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
