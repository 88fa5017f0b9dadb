"""Writes scene.toml: a semicircle of 27 wedges, 5 % thicker than its limit."""

from math import cos, pi, sin
from pathlib import Path

#: t / R of 27 straight-sided wedges: linear programme over equilibria, by bisection
LIMIT = 0.10672085935235373
WEDGES, RADIUS, DEPTH, FACTOR = 27, 10.0, 5.0, 1.05

HEAD = """# A semicircular arch of 27 wedges, without mortar, 5 % thicker than the thinnest one that stands.
# Written by build.py.
body = [
"""

TAIL = """]

[scene]
name = "arch"
gravity = [0, 0, -9.81]
collide = true
material = "stone"
shape = [{ type = "plane", size = [30, 12], color = [0.68, 0.70, 0.66] }]

[parameters]
friction = 0.5      # coefficient of friction
density = 2000.0    # of the stone [kg/m³]

[[material]]
name = "stone"
friction = "friction"

[solver]
type = "contact"
step = 2e-3
end = 1.0

[output]
frames = 25
"""


def wedge(k: int, thickness: float) -> str:
    radii = RADIUS * (1 - 0.5 * thickness), RADIUS * (1 + 0.5 * thickness)
    corners = [(r * cos(a), r * sin(a)) for r in radii for a in (pi * k / WEDGES, pi * (k + 1) / WEDGES)]
    x, z = (sum(c[i] for c in corners) / 4.0 for i in range(2))
    points = [f"[{p - x!r}, {y!r}, {q - z!r}]" for p, q in corners for y in (-0.5 * DEPTH, 0.5 * DEPTH)]
    shade = 0.80 if k % 2 else 0.70
    return (
        f'  {{ name = "wedge_{k}", density = "density", position = [{x!r}, 0, {z!r}], '
        f'collide = true, material = "stone", shape = [{{ type = "convex", '
        f"points = [{', '.join(points)}], "
        f"color = [{shade:.2f}, {shade - 0.05:.2f}, {shade - 0.15:.2f}] }}] }},\n"
    )


def scene(factor: float = FACTOR) -> str:
    """The arch, `factor` as thick as its limit."""
    return HEAD + "".join(wedge(k, factor * LIMIT) for k in range(WEDGES)) + TAIL


if __name__ == "__main__":
    (Path(__file__).parent / "scene.toml").write_text(scene(), encoding="utf-8")
