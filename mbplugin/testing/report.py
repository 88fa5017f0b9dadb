"""The checks of the kit, and their results."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import Any


@dataclass(frozen=True)
class Check:
    """One check: of which kind, what it compares, error and tolerance; `note` replaces the numbers."""

    kind: str
    what: str
    error: float
    tolerance: float
    note: str = ""

    @property
    def ok(self) -> bool:
        return self.error <= self.tolerance

    def __str__(self) -> str:
        mark = "ok  " if self.ok else "FAIL"
        result = self.note or f"error {self.error:.1e}, tolerance {self.tolerance:.1e}"
        return f"{mark} {self.kind:40s} {self.what:60s} {result}"


def fact(kind: str, what: str, holds: bool, note: str) -> Check:
    """A check of what holds or does not; note: for one that does not."""
    return Check(kind, what, 0.0 if holds else inf, 0.0, "" if holds else note)


@dataclass
class Worst:
    """The largest error seen, at least 0; nan once one was not a number."""

    value: float = 0.0

    def see(self, error: Any) -> None:
        if not error <= self.value:
            self.value = float(error) if self.value == self.value else self.value


@dataclass(frozen=True)
class Cost:
    """Time [ns] of a function for one `of`, without the call from Python: compiled, as in a run, or in
    plain Python if it cannot be compiled.
    """

    ns: float
    of: str = "element"
    compiled: bool = True

    def __str__(self) -> str:
        return f"{self.ns:.1f} ns for {self.of}, " + ("compiled" if self.compiled else "in plain Python")


@dataclass
class Report:
    """All checks of a kind or a plugin. `ok` is false if one failed or none ran."""

    checks: list[Check] = field(default_factory=list)
    cost: dict[str, Cost] = field(default_factory=dict)  # by kind

    @property
    def ok(self) -> bool:
        return bool(self.checks) and all(check.ok for check in self.checks)

    def add(self, other: Report) -> None:
        self.checks += other.checks
        self.cost |= other.cost

    def __str__(self) -> str:
        failed = sum(not check.ok for check in self.checks)
        lines = [str(check) for check in self.checks]
        lines += [f"     {kind:40s} {cost}" for kind, cost in self.cost.items()]
        lines.append(f"{len(self.checks)} checks ran, {failed} failed" if self.checks else "no check ran")
        return "\n".join(lines)
