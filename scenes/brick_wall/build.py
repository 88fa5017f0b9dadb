"""Writes scene.toml: 104 bricks in 16 rows, seven and six by turns."""

from pathlib import Path

ROWS, COLUMNS, LENGTH, HEIGHT, DEPTH, GAP = 16, 7, 0.2, 0.1, 0.1, 1e-3
MASS = 2.0
COLORS = ((0.72, 0.36, 0.27), (0.66, 0.31, 0.24), (0.76, 0.42, 0.31))

HEAD = """# A wall of 104 bricks, laid dry in stretcher bond. Written by build.py.
body = [
"""

TAIL = """]

[scene]
name = "brick_wall"
gravity = [0, 0, -9.81]
collide = true
material = "brick"
shape = [{ type = "plane", size = [3, 2], position = [0.6, 0, 0], color = [0.70, 0.72, 0.68] }]

[parameters]
friction = 0.5     # coefficient of friction
drop = 0.0         # of each row onto the one below [m]
push = 0.0         # speed across of the top row at the start, of others by their height [m/s]
height = 0.1       # of a brick [m]

[[material]]
name = "brick"
friction = "friction"

[solver]
type = "contact"
step = 2e-3
end = 1.0

[output]
frames = 25
"""


def brick(k: int, row: int, column: int) -> str:
    x = (column + 0.5 * (row % 2)) * (LENGTH + GAP)
    inertia = [MASS / 12 * (a * a + b * b) for a, b in ((DEPTH, HEIGHT), (LENGTH, HEIGHT), (LENGTH, DEPTH))]
    moments = ", ".join(f"{i:.12g}" for i in inertia)
    size = f'[{LENGTH}, {DEPTH}, "height"]'
    color = ", ".join(f"{c:.2f}" for c in COLORS[(row + 2 * column) % 3])
    return (
        f'  {{ name = "brick_{k}", mass = {MASS}, inertia = [{moments}], '
        f'position = [{x:.6g}, 0, "{row + 0.5}*height + {row + 1}*drop"], '
        f'velocity = [0, "{(row + 0.5) / (ROWS - 0.5):.6g}*push", 0], '
        'collide = true, material = "brick", '
        f'shape = [{{ type = "box", size = {size}, color = [{color}] }}] }},\n'
    )


def scene() -> str:
    places = [(row, column) for row in range(ROWS) for column in range(COLUMNS - row % 2)]
    return HEAD + "".join(brick(k, *place) for k, place in enumerate(places)) + TAIL


if __name__ == "__main__":
    (Path(__file__).parent / "scene.toml").write_text(scene(), encoding="utf-8")
