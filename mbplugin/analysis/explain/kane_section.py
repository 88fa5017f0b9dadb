"""Kane's equations of a model, as a section of its page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mbplugin.analysis.explain.explain import matrix


def section(equations: Any, speeds: Mapping[str, str]) -> list[str]:
    """Markdown paragraphs with the numbers of `run.kane.KaneEquations`."""
    rows = zip(equations.speeds, equations.u)
    chosen = "\n".join(f"| `{name}` | `{speeds[name]}` | {u:.6g} |" for name, u in rows)
    return [
        "## Kane's equations",
        f"| speed | is | now |\n|---|---|---|\n{chosen}",
        "$$\nv = S u + s_0, \\qquad M_u \\dot u + b = F, \\quad F_r + F_r^* = 0\n$$",
        matrix("S", equations.partial_velocities),
        matrix("M_u", equations.mass_matrix),
        matrix("b^T", equations.bias),
        matrix("F^T", equations.active_forces),
        matrix(r"\dot u^T", equations.accelerations),
    ]
