"""Andrews' squeezing mechanism over 0.03 s: the cheapest setting of each engine that reaches an error of the
angles.

The hand-written script is the problem of the Test Set for IVP Solvers in its index-1 form: seven angles,
accelerations from a dense 13 × 13 system, compiled with numba and integrated by SciPy. The reference is the
Test Set's.
"""

from __future__ import annotations

import functools
import json
import statistics
from collections.abc import Callable
from math import cos, sin, sqrt
from pathlib import Path
from typing import Any

import numpy as np
from timing import seconds, sized, table

#: where the scene starts and what the Test Set publishes
SCENE = Path(__file__).resolve().parents[1] / "scenes" / "andrews_squeezer"
TABLE = json.loads((SCENE / "table.json").read_text())
START = np.array(TABLE["start"])
TOLERANCES = [m * 10.0**-k for k in range(3, 10) for m in (1.0, 0.3)]
TARGETS = (1e-4, 1e-6)


def by_hand() -> Callable[[float, Any], Any]:
    """The right-hand side (t, y) -> ẏ with y = (angles, rates)."""
    import numba

    @numba.njit
    def rate(t, y):  # type: ignore[no-untyped-def]
        m1, m2, m3, m4, m5, m6, m7 = 0.04325, 0.00365, 0.02373, 0.00706, 0.0705, 0.00706, 0.05498
        i1, i2, i3, i4, i5, i6, i7 = 2.194e-6, 4.41e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5
        xb, yb, xc, yc, c0, l0 = -0.03635, 0.03273, 0.014, 0.072, 4530.0, 0.07785
        d, da, e, ea, rr, ra, ss, sa, sb, sc, sd = (
            0.028,
            0.0115,
            0.02,
            0.01421,
            0.007,
            0.00092,
            0.035,
            0.01874,
            0.01043,
            0.018,
            0.02,
        )
        ta, tb, u, ua, ub, zf, zt, fa, mom = (
            0.02308,
            0.00916,
            0.04,
            0.01228,
            0.00449,
            0.02,
            0.04,
            0.01421,
            0.033,
        )
        b, th, ga, ph, de, om, ep = y[0], y[1], y[2], y[3], y[4], y[5], y[6]
        bp, thp, gap, php, dep, omp, epp = y[7], y[8], y[9], y[10], y[11], y[12], y[13]
        A = np.zeros((13, 13))
        f = np.zeros(13)
        A[0, 0] = m1 * ra**2 + m2 * (rr**2 - 2 * da * rr * cos(th) + da**2) + i1 + i2
        A[0, 1] = A[1, 0] = m2 * (da**2 - da * rr * cos(th)) + i2
        A[1, 1] = m2 * da**2 + i2
        A[2, 2] = m3 * (sa**2 + sb**2) + i3
        A[3, 3] = m4 * (e - ea) ** 2 + i4
        A[3, 4] = A[4, 3] = m4 * ((e - ea) ** 2 + zt * (e - ea) * sin(ph)) + i4
        A[4, 4] = m4 * (zt**2 + 2 * zt * (e - ea) * sin(ph) + (e - ea) ** 2) + m5 * (ta**2 + tb**2) + i4 + i5
        A[5, 5] = m6 * (zf - fa) ** 2 + i6
        A[5, 6] = A[6, 5] = m6 * ((zf - fa) ** 2 - u * (zf - fa) * sin(om)) + i6
        A[6, 6] = m6 * ((zf - fa) ** 2 - 2 * u * (zf - fa) * sin(om) + u**2) + m7 * (ua**2 + ub**2) + i6 + i7
        xd, yd = sd * cos(ga) + sc * sin(ga) + xb, sd * sin(ga) - sc * cos(ga) + yb
        length = sqrt((xd - xc) ** 2 + (yd - yc) ** 2)
        force = -c0 * (length - l0) / length
        fx, fy = force * (xd - xc), force * (yd - yc)
        f[0] = mom - m2 * da * rr * thp * (thp + 2 * bp) * sin(th)
        f[1] = m2 * da * rr * bp**2 * sin(th)
        f[2] = fx * (sc * cos(ga) - sd * sin(ga)) + fy * (sd * cos(ga) + sc * sin(ga))
        f[3] = m4 * zt * (e - ea) * dep**2 * cos(ph)
        f[4] = -m4 * zt * (e - ea) * php * (php + 2 * dep) * cos(ph)
        f[5] = -m6 * u * (zf - fa) * epp**2 * cos(om)
        f[6] = m6 * u * (zf - fa) * omp * (omp + 2 * epp) * cos(om)
        G = A[7:, :7]
        for k in range(0, 6, 2):
            G[k, 0], G[k, 1] = -rr * sin(b) + d * sin(b + th), d * sin(b + th)
            G[k + 1, 0], G[k + 1, 1] = rr * cos(b) - d * cos(b + th), -d * cos(b + th)
        G[0, 2], G[1, 2] = -ss * cos(ga), -ss * sin(ga)
        G[2, 3], G[2, 4] = -e * cos(ph + de), -e * cos(ph + de) + zt * sin(de)
        G[3, 3], G[3, 4] = -e * sin(ph + de), -e * sin(ph + de) - zt * cos(de)
        G[4, 5], G[4, 6] = zf * sin(om + ep), zf * sin(om + ep) - u * cos(ep)
        G[5, 5], G[5, 6] = -zf * cos(om + ep), -zf * cos(om + ep) - u * sin(ep)
        A[:7, 7:] = G.T
        for k in range(0, 6, 2):
            f[7 + k] = rr * cos(b) * bp**2 - d * cos(b + th) * (bp + thp) ** 2
            f[8 + k] = rr * sin(b) * bp**2 - d * sin(b + th) * (bp + thp) ** 2
        f[7] -= ss * sin(ga) * gap**2
        f[8] += ss * cos(ga) * gap**2
        f[9] -= e * sin(ph + de) * (php + dep) ** 2 + zt * cos(de) * dep**2
        f[10] += e * cos(ph + de) * (php + dep) ** 2 - zt * sin(de) * dep**2
        f[11] -= zf * cos(om + ep) * (omp + epp) ** 2 + u * sin(ep) * epp**2
        f[12] += -zf * sin(om + ep) * (omp + epp) ** 2 + u * cos(ep) * epp**2
        rates = np.empty(14)
        rates[:7] = y[7:]
        rates[7:] = np.linalg.solve(A, f)[:7]
        return rates

    rate(0.0, np.concatenate([START, np.zeros(7)]))
    return rate


def hand_written(rate: Any, method: str, tolerance: float) -> tuple[float, float]:
    """Seconds and the largest error of the angles."""
    from scipy.integrate import solve_ivp

    y: list[Any] = []
    took = seconds(
        lambda: y.append(
            solve_ivp(
                rate,
                (0, 0.03),
                np.concatenate([START, np.zeros(7)]),
                method=method,
                rtol=tolerance,
                atol=tolerance,
            ).y[:7, -1]
        )
    )
    return took, float(np.abs(y[0] - TABLE["angles"]).max())


def ours(integrator: str, tolerance: float) -> tuple[float, float]:
    import mbplugin as mb

    sim = mb.System.from_file(
        SCENE, {"solver.integrator": integrator, "solver.tolerance": tolerance}
    ).simulate()
    took = seconds(lambda: sim.run(0.03))
    angles = [start + sim.coordinate(name).value for name, start in zip(TABLE["coordinates"], TABLE["start"])]
    return took, float(np.abs(np.array(angles) - TABLE["angles"]).max())


def median(run: Callable[[], tuple[float, float]]) -> tuple[float, float]:
    pairs = [run() for _ in range(sized(5, 1))]
    return statistics.median(took for took, _ in pairs), pairs[0][1]


def cheapest() -> None:
    """A sweep over tolerances: for each engine the setting that reaches a target in the least time."""
    rate = by_hand()
    engines: dict[str, Callable[[float], tuple[float, float]]] = {
        f"ours, {name}": functools.partial(ours, name) for name in ("dp5", "dop853")
    }
    engines |= {
        f"by hand, SciPy {name} + numba": functools.partial(hand_written, rate, name)
        for name in ("DOP853", "LSODA", "RK45")
    }
    tolerances = sized(TOLERANCES, [1e-9])
    tried: dict[str, list[tuple[float, float, float]]] = {}
    for name, run in engines.items():
        run(1e-4)
        tried[name] = [(*median(functools.partial(run, tolerance)), tolerance) for tolerance in tolerances]
    rows: list[list[object]] = []
    for target in TARGETS:
        best = {
            name: min(found)
            for name, runs in tried.items()
            if (found := [run for run in runs if run[1] <= target])
        }
        script = min(took for name, (took, _, _) in best.items() if name.startswith("by hand"))
        for name, (took, error, tolerance) in sorted(best.items(), key=lambda item: item[1]):
            rows.append(
                [f"{target:g} rad", name, f"{tolerance:g}", f"{error:.1e}", 1e3 * took, took / script]
            )
    head = ["error wanted", "engine", "tolerance", "reached", "ms", "over the best script"]
    table("Andrews' squeezing mechanism, 0.03 s: the cheapest setting that reaches an error", head, rows)
