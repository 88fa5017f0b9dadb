"""A stack stands, whatever its top weighs: cube k stays at (k − ½) edges."""

import numpy as np

EDGE = 0.1
SOURCE = "statics: the stack stands"


def truth(result):
    places = np.array([result[f"cube_{k}"].position for k in range(1, 11)])
    heights = (np.arange(10) + 0.5) * EDGE
    yield "heights, all frames", np.abs(places[:, :, 2] - heights[:, None]).max(), 0.0, 1e-8, SOURCE
    yield "sideways, all frames", np.abs(places[:, :, :2]).max(), 0.0, 1e-8, SOURCE
    yield "overlap at the end", max(0.0, -np.diff(places[:, -1, 2]).min() + EDGE), 0.0, 1e-8, SOURCE
    speeds = [np.abs(result[f"cube_{k}"].velocity[-1]).max() for k in range(1, 11)]
    yield "speed at the end", max(speeds), 0.0, 1e-10, SOURCE
