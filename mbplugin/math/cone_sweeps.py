"""Projected Gauss-Seidel sweeps over rows with bounds and cones."""

from __future__ import annotations

from math import sqrt

from mbplugin.compiler import functions


def sweep(A, c, lower, upper, partner, presser, f, count, still):
    """At most `count` sweeps f ← Π(f − u / a) with u = A f + c, row after row; a: the largest eigenvalue of
    the part of A of a row, or of the two rows of a cone. Ends where f changes by less than `still` of the
    largest. Returns how many.
    """
    m = c.shape[0]
    for done in range(count):
        change, largest = 0.0, 0.0
        for i in range(m):
            j = partner[i]
            if 0 <= j < i:
                continue
            u = c[i]
            for k in range(m):
                u += A[i, k] * f[k]
            pressure = 1.0 if presser[i] < 0 else max(f[presser[i]], 0.0)
            if j < 0:
                low = lower[i] * pressure if pressure > 0.0 else 0.0
                high = upper[i] * pressure if pressure > 0.0 else 0.0
                x, before = f[i], f[i]
                x = min(max(x - u / A[i, i], low), high)
                f[i] = x
                change, largest = max(change, abs(x - before)), max(largest, abs(x))
                continue
            w = c[j]
            for k in range(m):
                w += A[j, k] * f[k]
            half = 0.5 * (A[i, i] - A[j, j])
            a = 0.5 * (A[i, i] + A[j, j]) + sqrt(half * half + A[i, j] * A[i, j])
            x, y, high = f[i] - u / a, f[j] - w / a, upper[i] * pressure
            length = sqrt(x * x + y * y)
            if length > high:
                x, y = x * high / length, y * high / length
            change = max(change, abs(x - f[i]), abs(y - f[j]))
            largest = max(largest, abs(x), abs(y))
            f[i], f[j] = x, y
        if change <= still * largest:
            return done + 1
    return count


sweep = functions.entry(sweep, error_model="numpy", nogil=True)
