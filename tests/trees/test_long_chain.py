"""The scene of a thousand links: first accelerations by a linear system of rods, and the energy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.sparse import lil_array
from scipy.sparse.linalg import spsolve

from mbplugin import System

SCENE = Path(__file__).parents[2] / "scenes" / "long_chain" / "scene.py"
N, LENGTH, MASS, G = 1000, 0.01, 0.02, 9.81


def first_accelerations() -> np.ndarray:
    """(N,) upward accelerations of the mass centres of level rods at rest, the first on a pin [m/s²].

    A_k is the acceleration of joint k, F_k the force there on rod k:

        m (A_k + A_{k+1})/2 = F_k − F_{k+1} − m g,   J (A_{k+1} − A_k)/l = −l/2 (F_k + F_{k+1})
    """
    J = MASS * LENGTH**2 / 12.0
    matrix, right = lil_array((2 * N, 2 * N)), np.zeros(2 * N)
    # unknowns: A_1 to A_N, then F_0 to F_{N−1}; A_0 = 0 and F_N = 0
    for k in range(N):
        for row, at_start, at_end in ((2 * k, 0.5 * MASS, 0.5 * MASS), (2 * k + 1, -J / LENGTH, J / LENGTH)):
            if k > 0:
                matrix[row, k - 1] = at_start
            matrix[row, k] = at_end
        matrix[2 * k, N + k], matrix[2 * k + 1, N + k] = -1.0, 0.5 * LENGTH
        if k + 1 < N:
            matrix[2 * k, N + k + 1], matrix[2 * k + 1, N + k + 1] = 1.0, 0.5 * LENGTH
        right[2 * k] = -MASS * G
    A = np.concatenate([[0.0], spsolve(matrix.tocsr(), right)[:N]])
    return 0.5 * (A[:-1] + A[1:])


def test_a_thousand_links():
    result = System.from_file(SCENE).run(files=False)
    found = np.asarray(result.raw["bodies/acceleration"][0])
    exact = first_accelerations()
    assert np.abs(found[:, 2] - exact).max() <= 1e-10 * G
    assert np.abs(found[:, :2]).max() <= 1e-10 * G
    kinetic, balance = (np.asarray(result.raw[f"energy/{name}"][:]) for name in ("kinetic", "balance"))
    assert np.abs(balance).max() <= 1e-9 * kinetic.max()
