"""Writes rod.inp: a connecting rod with two rounded eyes, of hexahedra, in millimetres.

    python scenes/crank_with_elastic_rod/write_mesh.py

It lies along x, from the pin of the crank at 0 to that of the slider at LENGTH. Sets of nodes: `big_end` and
`small_end`, which are the eyes, and `middle`, a section.
"""

from pathlib import Path

import numpy as np

LENGTH, EYE, COLUMN = 300.0, 20.0, 10.0  # between the pins, radius of an eye, length of an element [mm]
HEIGHT, THICKNESS = 12.0, 10.0  # of the shank along y and z [mm]
ROUNDING = 0.85  # of an eye's radius, up to which its outline is a circle


def half_height(x):
    """Half the height of the rod at x [mm]."""
    from_pin = min(abs(x), abs(x - LENGTH)) / EYE
    return EYE * np.sqrt(1.0 - (ROUNDING * from_pin) ** 2) if from_pin <= 1.0 else 0.5 * HEIGHT


def lines():
    columns = np.arange(-EYE, LENGTH + EYE + 0.5 * COLUMN, COLUMN)
    place = lambda i, j, k: 1 + 6 * i + 2 * j + k  # number of a node: column, row of three, side of two
    yield "*NODE"
    for i, x in enumerate(columns):
        for j in range(3):
            for k in range(2):
                yield f"{place(i, j, k)}, {x:g}, {(j - 1) * half_height(x):.6g}, {(k - 0.5) * THICKNESS:g}"
    yield "*ELEMENT, TYPE=C3D8, ELSET=rod"
    for i in range(len(columns) - 1):
        for j in range(2):
            face = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)]
            nodes = [place(*column, k) for k in range(2) for column in face]
            yield ", ".join(map(str, [1 + 2 * i + j, *nodes]))
    within = {
        "big_end": np.abs(columns) <= EYE,
        "small_end": np.abs(columns - LENGTH) <= EYE,
        "middle": columns == 0.5 * LENGTH,
    }
    for name, chosen in within.items():
        yield f"*NSET, NSET={name}"
        for i in np.flatnonzero(chosen):
            yield ", ".join(str(place(i, j, k)) for j in range(3) for k in range(2))


if __name__ == "__main__":
    Path(__file__).with_name("rod.inp").write_text("\n".join(lines()) + "\n")
