"""Graphs of bodies and joints: sizes, which nodes are constraints, edges."""

import numpy as np


def chain(n, rows=5):
    """n bodies and n joints, the first on the ground."""
    edges = [(n + k, k) for k in range(n)] + [(n + k, k - 1) for k in range(1, n)]
    return [6] * n + [rows] * n, [0] * n + [1] * n, edges


def wall(width, height):
    """Bricks, each in contact with its neighbours and with two of the layer above."""
    edges = []
    for y in range(height):
        for x in range(width):
            if x + 1 < width:
                edges.append((y * width + x, y * width + x + 1))
            for above in (x - 1, x) if y % 2 == 0 else (x, x + 1):
                if y + 1 < height and 0 <= above < width:
                    edges.append((y * width + x, (y + 1) * width + above))
    return [6] * (width * height), [0] * (width * height), edges


def grid(n):
    """n³ points, each with its neighbours."""
    number = np.arange(n**3).reshape(n, n, n)
    pairs = [(number[1:], number[:-1]), (number[:, 1:], number[:, :-1]), (number[..., 1:], number[..., :-1])]
    edges = [(int(i), int(j)) for a, b in pairs for i, j in zip(a.ravel(), b.ravel())]
    return [3] * n**3, [0] * n**3, edges


def random_graph(rng, bodies, joints, pairs):
    """Bodies and joints of random sizes; joints between two or three bodies; bodies coupled with each
    other.
    """
    sizes = [int(s) for s in rng.integers(3, 10, bodies)]
    edges = [(int(i), int(j)) for i, j in rng.integers(0, bodies, (pairs, 2))]
    for k in range(joints):
        members = rng.choice(bodies, rng.integers(1, 4), replace=False)
        edges += [(bodies + k, int(b)) for b in members]
        sizes.append(int(rng.integers(1, 1 + min(sizes[b] for b in members))))
    return sizes, [0] * bodies + [1] * joints, edges
