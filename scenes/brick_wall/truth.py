"""A wall that is laid exactly stays as it is: each brick at its height."""

import numpy as np

ROWS, COLUMNS, HEIGHT = 16, 7, 0.1
SOURCE = "statics: the wall stands"


def truth(result):
    rows = [row for row in range(ROWS) for _ in range(COLUMNS - row % 2)]
    yield "bricks", len(rows), 104, 0.5, "16 rows of seven and six"
    places = np.array([result[f"brick_{k}"].position for k in range(len(rows))])
    heights = (np.array(rows) + 0.5) * HEIGHT
    yield "heights, all frames", np.abs(places[:, :, 2] - heights[:, None]).max(), 0.0, 1e-8, SOURCE
    yield "drift, all frames", np.abs(places - places[:, :1]).max(), 0.0, 1e-8, SOURCE
    speeds = [np.abs(result[f"brick_{k}"].velocity[-1]).max() for k in range(len(rows))]
    yield "speed at the end", max(speeds), 0.0, 1e-8, SOURCE
