"""The checks of the kit, and their results."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf, isnan
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
    """Checks of a kind or a plugin, each at its largest error. `ok` is false if one failed or none ran."""

    worst: dict[tuple[str, str], Check] = field(default_factory=dict)  # (kind, what) -> at its largest error
    cost: dict[str, Cost] = field(default_factory=dict)  # by kind

    @property
    def checks(self) -> list[Check]:
        return list(self.worst.values())

    @property
    def ok(self) -> bool:
        return bool(self.worst) and all(check.ok for check in self.checks)

    def add(self, other: Report) -> None:
        self.worst |= other.worst
        self.cost |= other.cost

    def of(self, kind: str) -> Checks:
        """The part of the report on one kind, by the name that its lines begin with."""
        return Checks(self, kind)

    def __str__(self) -> str:
        failed = sum(not check.ok for check in self.checks)
        lines = [str(check) for check in self.checks]
        lines += [f"     {kind:40s} {cost}" for kind, cost in self.cost.items()]
        lines.append(f"{len(self.checks)} checks ran, {failed} failed" if self.checks else "no check ran")
        return "\n".join(lines)


@dataclass(frozen=True)
class Checks:
    """The checks of one kind, as a part of a report."""

    report: Report
    kind: str

    def see(self, what: str, error: Any, tolerance: float, note: str = "") -> bool:
        """Note an error [at least 0]; of those of the same name the largest counts, or the first that is nan.
        Returns whether it is within the tolerance.
        """
        error = float(error)
        check = Check(self.kind, what, 0.0 if error < 0.0 else error, tolerance, note)
        before = self.report.worst.get((self.kind, what))
        if before is None or not (isnan(before.error) or check.error <= before.error):
            self.report.worst[self.kind, what] = check
        return check.ok

    def fact(self, what: str, holds: bool, note: str) -> bool:
        """Note what holds or does not; note: for the latter. Returns `holds`."""
        return self.see(what, 0.0 if holds else inf, 0.0, "" if holds else note)

    def with_suffix(self, suffix: str) -> Checks:
        """Checks of the same kind in another situation."""
        return Checks(self.report, self.kind + suffix)

    @property
    def found(self) -> list[Check]:
        """Checks noted so far."""
        return [check for check in self.report.checks if check.kind == self.kind]
