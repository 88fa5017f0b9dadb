"""Round numbers, and numbers with units."""

from __future__ import annotations

import math

#: prefix -> its power of ten
PREFIXES = (("G", 9), ("M", 6), ("k", 3), ("", 0), ("m", -3), ("µ", -6), ("n", -9))


def round_number(x: float) -> float:
    """The largest of 1, 2, 5 · 10ⁿ that is at most x > 0."""
    power = 10.0 ** math.floor(math.log10(x) + 1e-12)
    return power * max(
        digit for digit in (1.0, 2.0, 5.0) if digit * power <= x * (1.0 + 1e-9) or digit == 1.0
    )


def with_unit(x: float, unit: str) -> str:
    """Three digits with a prefix, such as "1.25 kN"; x ≥ 0."""
    if x == 0.0:
        return f"0 {unit}"
    rounded = float(f"{x:.3g}")
    usual = [(p, n) for p, n in PREFIXES if unit != "m" or n <= 3]
    prefix, power = next(((p, n) for p, n in usual if rounded >= 10.0**n), PREFIXES[-1])
    return f"{rounded / 10.0**power:.4g} {prefix}{unit}"
