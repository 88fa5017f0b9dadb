"""The summary of a run, and what a store keeps of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from mbplugin.decoder.files import demand, is_count

#: what the store tells elsewhere
ELSEWHERE = ("frames", "out", "complete")
#: numbers that are not finite, as JSON has them
NOT_FINITE = ("NaN", "Infinity", "-Infinity")


@dataclass
class RunSummary:
    """Counts and errors of a run; `cpu_seconds`: of the compiled loop, with its frames. dropped: given
    initial velocities that were not used, one sentence each; notes: on how the run began; remarks: of the
    solver at the end; stopped: by which condition the run ended before its end time, and when; else "".
    """

    dof: int
    rows: int
    rank: int
    steps: int
    evaluations: int
    cpu_seconds: float
    drift_position: float
    drift_velocity: float
    energy_error: float
    frames: int
    out: str
    complete: bool
    resume_from: float
    dropped: tuple[str, ...] = ()
    series: str | None = None  # "surface" or "points" for ParaView
    notes: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    stopped: str = ""  # by which condition, and when
    warnings: tuple[str, ...] = ()  # on the result as a whole, at the end
    events: int = 0  # of rows that switch, in the whole run
    first_events: tuple[str, ...] = ()  # the first ones, a sentence each

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    def stored(self) -> dict[str, Any]:
        """Content of the attribute `summary` of the store."""
        return {key: value for key, value in self.as_dict().items() if key not in ELSEWHERE}


def is_number(value: Any) -> bool:
    return value in NOT_FINITE if isinstance(value, str) else type(value) in (int, float)


#: type of a field -> whether a value of JSON is of it
CHECKS = {
    "int": is_count,
    "float": is_number,
    "str": lambda value: isinstance(value, str),
    "str | None": lambda value: value is None or isinstance(value, str),
    "tuple[str, ...]": lambda value: isinstance(value, list) and all(isinstance(v, str) for v in value),
}
STORED = {str(field.name): str(field.type) for field in fields(RunSummary) if field.name not in ELSEWHERE}


def check_summary(stored: Any) -> None:
    """Check the attribute `summary` of a store. Raises Damaged."""
    demand(isinstance(stored, dict), "zarr.json: `summary` is no object")
    for key, kind in STORED.items():
        usable = key in stored and CHECKS[kind](stored[key])
        demand(usable, f"zarr.json: `summary` has no usable `{key}`")


def read_summary(attributes: Mapping[str, Any], out: str) -> RunSummary | None:
    """The summary in the root attributes of a store, checked; None if there is none."""
    stored = attributes.get("summary")
    if stored is None:
        return None
    convert = {"float": float, "tuple[str, ...]": tuple}
    values = {key: convert.get(kind, lambda value: value)(stored[key]) for key, kind in STORED.items()}
    return RunSummary(**values, frames=attributes["frames"], out=out, complete=attributes["complete"])
