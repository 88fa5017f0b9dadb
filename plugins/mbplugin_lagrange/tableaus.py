"""Butcher tableaus of the solver `rk`.

rk4: the classical fourth-order method.
dp5: Dormand & Prince, J. Comput. Appl. Math. 6 (1980) 19-26, orders 5 and 4.
dop853: Hairer, Norsett & Wanner, Solving Ordinary Differential Equations I, 2nd ed., section II.10, order 8
with error estimates of orders 5 and 3; coefficients from SciPy.
"""

from __future__ import annotations

import numpy as np

from mbplugin.interface import Tableau


def classical() -> Tableau:
    A = np.zeros((4, 4))
    A[1, 0] = A[2, 1] = 0.5
    A[3, 2] = 1.0
    return Tableau(
        A, np.array([1.0, 2.0, 2.0, 1.0]) / 6.0, A.sum(axis=1), order=4, source="the classical method"
    )


def dormand_prince_5() -> Tableau:
    A = np.zeros((7, 7))
    A[1, :1] = [1 / 5]
    A[2, :2] = [3 / 40, 9 / 40]
    A[3, :3] = [44 / 45, -56 / 15, 32 / 9]
    A[4, :4] = [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729]
    A[5, :5] = [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656]
    A[6, :6] = [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84]
    b4 = np.array([5179 / 57600, 0, 7571 / 16695, 393 / 640, -92097 / 339200, 187 / 2100, 1 / 40])
    c = np.array([0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1, 1])
    source = "Dormand & Prince, J. Comput. Appl. Math. 6 (1980) 19-26"
    return Tableau(A, A[6].copy(), c, order=5, b_error=b4, error_order=4, source=source)


def dormand_prince_8() -> Tableau:
    from scipy.integrate import DOP853

    s = DOP853.n_stages
    A, b, c = np.array(DOP853.A[:s, :s]), np.array(DOP853.B), np.array(DOP853.C[:s])
    source = "Hairer, Norsett & Wanner, Solving ODE I, 2nd ed., section II.10"
    return Tableau(
        A,
        b,
        c,
        order=8,
        b_error=b - DOP853.E5[:s],
        error_order=5,
        b_error2=b - DOP853.E3[:s],
        control_order=8,
        source=source,
    )
