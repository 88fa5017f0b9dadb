"""What was checked, and what came out."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Check:
    """One comparison: whose, of what, how far off it is, how far it may be; `note` instead where there is no
    number.
    """

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
        return f"{mark} {self.kind:40s} {self.what:60s} {self.note or f'error {self.error:.1e}, tolerance {self.tolerance:.1e}'}"


@dataclass(frozen=True)
class Cost:
    """Nanoseconds that a function takes for one `of`, without the call from Python: compiled, as a run calls
    it, or in plain Python where it cannot be.
    """

    ns: float
    of: str = "element"
    compiled: bool = True

    def __str__(self) -> str:
        return f"{self.ns:.1f} ns for {self.of}, " + ("compiled" if self.compiled else "in plain Python")


@dataclass
class Report:
    """All checks of a kind or a plugin. `ok` is false where one failed, and where none ran."""

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
