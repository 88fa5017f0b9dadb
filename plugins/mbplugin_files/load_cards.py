"""Exporters `abaqus` and `nastran`: the loads of a body as cards of a finite-element program.

Each point of attack is a node, in the frame of the body. Forces and moments are concentrated loads; gravity
and inertia (d'Alembert) are fields of acceleration over the whole model: all loads of an instant are in
equilibrium (inertia relief). Signs of fields, per unit of mass:
    GRAV g;  CENTRIF and RFORCE with A: −ω × (ω × s), outwards;  ROTA: −α × s (Abaqus, Theory Guide, 6.1.1,
    d'Alembert forces);  RFORCE with RACC: +α × s (OptiStruct, RFORCE, remark 1), so that RACC is negative.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import Field

from mbplugin.errors import SceneError
from mbplugin.interface import Array, Exporter, Parameters

#: numbers of a vector that are below this part of the largest one are rounding
LEAST = 1e-14
TURN = 2.0 * np.pi


class CardParameters(Parameters):
    """Keys of load cards."""

    body: str = Field("", description="name of the body")
    times: str = Field("", description="instants [s], such as 0.1, 0.5; by default all frames")
    first_node: int = Field(900001, ge=1, description="number of the first node")
    elements: str = Field("EALL", description="Abaqus: element set on which gravity and inertia act")


def loads_for(result: Any, params: CardParameters) -> tuple[Any, list[tuple[str, Array]], list[list[Any]]]:
    """The loads, the nodes (name, point), and (node, load) of each instant. Raises SceneError."""
    if not params.body:
        raise SceneError("body", params.body, "whose loads? Give the name of a body: --set body=NAME")
    words = params.times.strip(" []").replace(",", " ").split()
    try:
        times = [float(word) for word in words] or None
    except ValueError:
        raise SceneError("times", params.times, "give numbers [s], such as 0.1, 0.5") from None
    loads = result.loads(params.body, times)
    nodes: list[tuple[str, Array]] = []
    placed: dict[tuple[Any, ...], int] = {}
    by_instant = []
    for at in loads:
        own = []
        for one in at.loads:
            key = (one.name, *one.point.tolist())
            if key not in placed:
                placed[key] = params.first_node + len(nodes)
                nodes.append((one.name, one.point))
            own.append((placed[key], one))
        by_instant.append(own)
    return loads, nodes, by_instant


def heading(loads: Any) -> Iterator[str]:
    """Lines of comment about the body."""
    numbers = lambda values: ", ".join(f"{value:.9g}" for value in np.ravel(values))
    yield f'loads of the body "{loads.body}", in the frame of this body; SI units'
    yield f"mass {loads.mass:.9g} kg, mass centre {numbers(loads.center_of_mass)} m"
    yield f"inertia about it, row by row: {numbers(loads.inertia)} kg m2"
    yield "the model shall have these; couple each node below to its faces (coupling, RBE3)"


def at_instant(at: Any) -> Iterator[str]:
    """Lines of comment about an instant."""
    numbers = lambda values: ", ".join(f"{value:.9g}" for value in np.ravel(values))
    yield f"t = {at.time:.9g} s; origin of the body frame in the world {numbers(at.position)} m"
    yield f"axes of the body frame in the world, x: {numbers(at.axes[:, 0])}; y: {numbers(at.axes[:, 1])}; "
    yield f"    z: {numbers(at.axes[:, 2])}"


def size_and_direction(vector: Array) -> tuple[float, Array]:
    """Magnitude of a vector and its unit vector, x for that of nothing."""
    size = float(np.linalg.norm(vector))
    return size, vector / size if size > 0.0 else np.array([1.0, 0.0, 0.0])


class Abaqus(Exporter):
    """*NODE, and a *STEP with *CLOAD and *DLOAD for each instant, to be included in a model."""

    name = "abaqus"
    suffix = ".inp"
    parameters = CardParameters

    @classmethod
    def write(cls, result: Any, file: Path, what: Sequence[str], params: Any) -> None:
        loads, nodes, by_instant = loads_for(result, params)
        number = lambda value: f"{value:.15g}" if np.isfinite(value) else "0."
        row = lambda values: ", ".join(map(number, values))
        lines = [f"** {line}" for line in heading(loads)]
        lines.append("*NODE, NSET=LOADED")
        for k, (name, point) in enumerate(nodes):
            lines += [f"** {name}", f"{params.first_node + k}, {row(point)}"]
        for k, (at, own) in enumerate(zip(loads, by_instant), 1):
            lines += [f"** {line}" for line in at_instant(at)]
            lines += [f"*STEP, NAME=LOADS_{k}", "*STATIC", "*CLOAD, OP=NEW"]
            for node, one in own:
                lines.append(f"** {one.name} ({one.part})")
                six = [*one.force, *one.torque]
                lines += [f"{node}, {dof}, {number(v)}" for dof, v in enumerate(six, 1) if v != 0.0]
            lines.append("*DLOAD, OP=NEW")
            for remark, vector in (("gravity", at.gravity), ("minus the acceleration", -at.acceleration)):
                size, unit = size_and_direction(vector)
                lines += [f"** {remark}", f"{params.elements}, GRAV, {number(size)}, {row(unit)}"]
            size, unit = size_and_direction(at.angular_velocity)
            lines.append(f"{params.elements}, CENTRIF, {number(size**2)}, 0., 0., 0., {row(unit)}")
            size, unit = size_and_direction(at.angular_acceleration)
            lines.append(f"{params.elements}, ROTA, {number(size)}, 0., 0., 0., {row(unit)}")
            lines.append("*END STEP")
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")


class Nastran(Exporter):
    """GRID, FORCE, MOMENT, GRAV and RFORCE; LOAD = 10, 20, ... combines those of each instant."""

    name = "nastran"
    suffix = ".bdf"
    parameters = CardParameters

    @classmethod
    def write(cls, result: Any, file: Path, what: Sequence[str], params: Any) -> None:
        loads, nodes, by_instant = loads_for(result, params)
        lines = [f"$ {line}" for line in heading(loads)]
        for k, (name, point) in enumerate(nodes):
            lines += [f"$ {name}", *card("GRID", params.first_node + k, 0, *point)]
        for k, (at, own) in enumerate(zip(loads, by_instant), 1):
            lines += [f"$ {line}" for line in at_instant(at)]
            first = 10 * k
            sets = [first + 1] if own else []
            for node, one in own:
                lines.append(f"$ {one.name} ({one.part})")
                lines += card("FORCE", first + 1, node, 0, 1.0, *one.force)
                lines += card("MOMENT", first + 1, node, 0, 1.0, *one.torque)
            for n, vector in ((2, at.gravity), (3, -at.acceleration)):
                if vector.any():
                    size, unit = size_and_direction(vector)
                    lines += card("GRAV", first + n, 0, size, *unit)
                    sets.append(first + n)
            for n, vector in ((4, at.angular_velocity), (5, at.angular_acceleration)):
                if vector.any():
                    size, unit = size_and_direction(vector)
                    rates = (size / TURN, 0.0) if n == 4 else (0.0, -size / TURN)
                    lines += card("RFORCE", first + n, 0, 0, rates[0], *unit, None, rates[1])
                    sets.append(first + n)
            if sets:
                lines += card("LOAD", first, 1.0, *[v for n in sets for v in (1.0, n)])
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def card(name: str, *fields: Any) -> list[str]:
    """A card in large fields: 16 characters, four to a line."""
    texts = [field_text(value) for value in fields]
    rows = [texts[k : k + 4] for k in range(0, len(texts), 4)]
    rows += [[]] * (len(rows) % 2)  # lines of large fields come in pairs
    heads = [f"{name}*", *["*"] * (len(rows) - 1)]
    return [f"{head:<8}" + "".join(f"{text:>16}" for text in row) for head, row in zip(heads, rows)]


def field_text(value: Any) -> str:
    """A number of at most 16 characters; reals with a point."""
    if value is None or isinstance(value, int):
        return "" if value is None else str(value)
    return f"{float(value):.9E}"
