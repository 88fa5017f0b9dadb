"""ns per element of each kernel, in batches of a thousand, called as the step calls them."""

from __future__ import annotations

import statistics
from functools import partial
from typing import Any

from numba import int64
from timing import seconds, sized, table

import mbplugin as mb
from mbplugin.kernels.view import call_batch
from mbplugin.math.jit import compiled_entry
from mbplugin.tables.groups import Batches

#: in a batch, and calls of it
ELEMENTS, TIMES = 1000, 200

FORCES = {
    "spring_damper": "stiffness = 100\ndamping = 1\nlength = 0.5",
    "torsion_spring_damper": "stiffness = 10\ndamping = 1",
    "force": "force_x = 1",
    "torque": "torque_z = 1",
}


@compiled_entry(int64, int64, int64, int64)
def calls(tables: Any, address: Any, first: Any, count: Any, times: Any) -> Any:
    status = 0
    for _ in range(times):
        status += call_batch(address, first, count, tables)
    return status


def scene(joint: str, force: str, bodies: int) -> str:
    """Bodies, each held to the ground by a joint, or pulled by a force."""
    text = '[scene]\ngravity = [0, 0, -9.81]\n[solver]\ntype = "rk"\nend = 1\n'
    for i in range(bodies):
        text += f'[[body]]\nname = "b{i}"\nmass = 1\ninertia = [1, 1, 1]\nposition = [{i}, 0.3, 0.4]\n'
        text += 'marker = [{ name = "end", position = [0, 0, 0.1] }]\n'
        if joint:
            params = (
                "length = 0.583"
                if joint == "rod"
                else ""
                if joint in ("ball", "fixed")
                else "axis = [0, 0, 1]"
            )
            end = ".end" if joint == "rod" else ""
            text += f'[[joint]]\nname = "j{i}"\ntype = "{joint}"\na = "ground"\nb = "b{i}{end}"\n'
            text += f"at = [{i}, 0.0, 0.0]\n{params}\n"
        if force:
            ends = f'body = "b{i}"' if force in ("force", "torque") else f'a = "ground"\nb = "b{i}"'
            text += f'[[force]]\nname = "f{i}"\ntype = "{force}"\n{ends}\n{FORCES[force]}\n'
    return text


def of(text: str, times: int) -> dict[tuple[str, str], float]:
    """(owner, role) -> ns an element."""
    problem = mb.System.from_text(text).compile()
    found: dict[tuple[str, str], float] = {}
    for kernel, row in zip(problem.kernels, problem[Batches].index):
        address, first, count = int(row.address), int(row.first), int(row.length)
        if kernel.role == "retract":
            continue  # it would walk away
        calls(problem.addresses, address, first, count, 1)
        timed = partial(calls, problem.addresses, address, first, count, times)
        spans = [seconds(timed) for _ in range(sized(5, 1))]
        key = (kernel.owner, kernel.role)
        found[key] = found.get(key, 0.0) + statistics.median(spans) / times / count * 1e9
    return found


def kernels() -> None:
    bodies, times = sized((ELEMENTS, TIMES), (2, 1))
    found: dict[tuple[str, str], float] = {}
    for joint in ("revolute", "ball", "translational", "rod", "fixed"):
        found = of(scene(joint, "", bodies), times) | found
    for force in FORCES:
        found = of(scene("", force, bodies), times) | found
    table(
        f"Kernels in batches of {bodies:,}: ns an element",
        ["owner", "function", "ns"],
        [[*key, value] for key, value in sorted(found.items())],
    )
