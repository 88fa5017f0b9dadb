"""Writes scene.toml: spheres in layers above the floor of a box. `python build.py 1000` writes 1,000."""

import sys
from math import pi
from pathlib import Path

import numpy as np

COUNT, RADIUS, MASS, PITCH, SCATTER = 60, 0.05, 0.5, 0.11, 0.01
MOMENT = "0.4*mass*radius**2"
COLORS = ((0.86, 0.45, 0.26), (0.26, 0.52, 0.70), (0.93, 0.76, 0.35), (0.46, 0.64, 0.44))

HEAD = """# {count} spheres that fall into a box. Written by build.py.
body = [
"""

TAIL = """]

[scene]
name = "spheres_in_a_box"
gravity = [0, 0, -9.81]
collide = true
material = "wood"
shape = [
  {{ type = "plane", size = [{width}, {width}], color = [0.70, 0.72, 0.68] }},
{walls}]

[parameters]
friction = 0.3     # coefficient of friction
radius = {radius}      # of a sphere [m]
mass = {mass}         # of a sphere [kg]

[[material]]
name = "wood"
friction = "friction"

[solver]
type = "contact"
step = 2e-3
end = {end}

[output]
frames = 50
"""


#: position of each wall in half widths, axis and sign of its turn; those in front are drawn as a line
WALLS = (
    ((-1, 0), (0, 1, 0), 1, True),
    ((0, 1), (1, 0, 0), 1, True),
    ((1, 0), (0, 1, 0), -1, False),
    ((0, -1), (1, 0, 0), -1, False),
)


def wall(width: float, at: tuple[int, int], axis: tuple[int, int, int], sign: int, drawn: bool) -> str:
    """A plane whose normal points into the box."""
    half = round(0.5 * width, 6)
    x, y, z = half * at[0], half * at[1], half if drawn else 0.0
    size = [width, width] if drawn else ([0.01, width] if at[0] else [width, 0.01])
    turn = f"{{ axis = {list(axis)}, angle = {sign * pi / 2!r} }}"
    return (
        f'  {{ type = "plane", size = {size}, position = [{x}, {y}, {z}], '
        f"orientation = {turn}, color = [0.62, 0.66, 0.70] }},\n"
    )


def scene(count: int) -> str:
    """Layers as wide as four of them are high."""
    side = max(2, round((count / 4) ** 0.5))
    width = (side + 0.5) * PITCH
    rng, text = np.random.default_rng(1), HEAD.format(count=f"{count:,}")
    for k in range(count):
        layer, place = divmod(k, side * side)
        x, y = (PITCH * (i - 0.5 * (side - 1)) + SCATTER * (rng.random() - 0.5) for i in divmod(place, side))
        z = 0.06 + PITCH * layer
        color = ", ".join(f"{c:.2f}" for c in COLORS[k % len(COLORS)])
        text += (
            f'  {{ name = "sphere_{k}", mass = "mass", inertia = ["{MOMENT}", "{MOMENT}", "{MOMENT}"], '
            f'position = [{x:.5f}, {y:.5f}, {z:.5f}], collide = true, material = "wood", '
            f'shape = [{{ type = "sphere", radius = "radius", color = [{color}] }}] }},\n'
        )
    width, end = round(width, 6), 2.0 if count <= 200 else 3.0
    walls = "".join(wall(width, *place) for place in WALLS)
    return text + TAIL.format(width=width, walls=walls, radius=RADIUS, mass=MASS, end=end)


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else COUNT
    (Path(__file__).parent / "scene.toml").write_text(scene(count), encoding="utf-8")
