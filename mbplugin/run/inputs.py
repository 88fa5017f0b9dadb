"""Inputs in Python: those of a simulation by name, and tables and functions that a run plays."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from pathlib import Path
from typing import Any

import numpy as np

from mbplugin.errors import SceneError, did_you_mean, listed
from mbplugin.model import System
from mbplugin.model.input import MOST, Samples, numbers, sample_time, samples_of
from mbplugin.model.quantities import number
from mbplugin.run.prepare import Prepared
from mbplugin.tables.spec import Array

#: types of values that need no closer look
NUMBERS = (float, np.float64)
#: what a table may be
TABLES = "a number, rows of time and value, a tuple (times, values), a CSV file or a function of time"


def unknown(key: str, name: Any, names: list[str]) -> SceneError:
    """The error for a name that is no input."""
    there = f"there are {listed(names, 20)}" if names else "the scene has no [[input]]"
    return SceneError(key, str(name), f"there is no such input{did_you_mean(str(name), names)}; {there}")


class InputValues(MutableMapping[str, float]):
    """The inputs of a simulation by name. A new value holds from the present time until it is set again."""

    __slots__ = (
        "_changed",
        "_integrator",
        "_names",
        "_not_ours",
        "_places",
        "_scheduled",
        "_units",
        "_unread",
    )

    def __init__(self, prepared: Prepared, integrator: Any, changed: Callable[[], None]) -> None:
        """changed: is called after an input has been set"""
        self._names = [name for name, _ in prepared.problem.names.inputs]
        self._units = [unit for _, unit in prepared.problem.names.inputs]
        self._scheduled = {one.name for one in prepared.system.inputs if one.samples is not None}
        self._unread = prepared.problem.names.unread
        self._places = {name: place for place, name in enumerate(self._names)}
        self._not_ours = bool(self._scheduled or self._unread)
        self._integrator, self._changed = integrator, changed

    def _place(self, name: Any) -> int:
        place = self._places.get(name)
        if place is None:
            raise unknown("inputs", name, self._names)
        return place

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __getitem__(self, name: str) -> float:
        return float(self._integrator.inputs[self._place(name)])

    def __setitem__(self, name: str | slice, value: Any) -> None:
        if type(name) is slice:
            self._set_all(name, value)
        else:
            self.update({name: value})

    def _set_all(self, place: slice, values: Any) -> None:
        """Set all inputs, or a slice of them in the order of the scene, to those of an array."""
        now, wanted = self._integrator.input_arrays
        wanted[:] = now
        try:
            wanted[place] = values
        except (TypeError, ValueError) as error:
            mend = f"must be {len(wanted[place])} numbers: {error}"
            raise SceneError("inputs[:]", str(values), mend) from None
        # a sum that is infinite, or no number, gets a closer look
        if self._not_ours or not wanted.dot(wanted) < np.inf:
            given = dict(zip(self._names[place], wanted[place].tolist()))
            wanted[:] = now
            self.update(given)
        elif wanted.tobytes() != now.tobytes():
            self._integrator.jump()
            self._changed()

    def update(self, *given: Any, **named: float) -> None:
        """Set several at once, with one jump. Raises SceneError, and changes nothing then."""
        values = self._integrator.inputs
        for name, value in dict(*given, **named).items():
            place = self._place(name)
            if type(value) in NUMBERS and value - value == 0.0 and not self._not_ours:
                values[place] = value
                continue
            if name in self._unread:
                mend = "no expression reads it any more, since keys of the scene were changed"
                raise SceneError(f'inputs["{name}"]', value, mend)
            if name in self._scheduled:
                mend = "follows its table in the scene; leave that out to set it"
                raise SceneError(f'inputs["{name}"]', value, mend)
            try:
                values[place] = number(value)
            except SceneError as error:
                raise SceneError(f'inputs["{name}"]', value, error.mend) from None
        if (values != self._integrator.inputs).any():
            self._integrator.set_inputs(values)
            self._changed()

    def __delitem__(self, name: str) -> None:
        raise SceneError(f'inputs["{name}"]', mend="cannot be deleted; set it to 0")

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self.__slots__:
            mend = f'cannot be set as an attribute; write inputs["{name}"] = {value!r}'
            raise SceneError(f"inputs.{name}", mend=mend)
        super().__setattr__(name, value)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        units = [f" {unit}" if unit else "" for unit in self._units]
        values = [f"{name} = {self[name]:g}{unit}" for name, unit in zip(self._names, units)]
        return f"Inputs({', '.join(values)})"

    def _ipython_key_completions_(self) -> list[str]:
        return list(self._names)


def with_inputs(
    system: System,
    inputs: Mapping[str, Any],
    every: float | None,
    end: float | None,
    caller: str = "System.run",
) -> System:
    """A copy of the system whose inputs play these tables and functions. Raises SceneError.

    every: interval at which functions are sampled [s]; end: of the run [s], default that of the scene
    """
    names = [one.name for one in system.inputs]
    played = system.copied()
    functions = [name for name, given in inputs.items() if callable(given)]
    if every is not None and not functions:
        mend = "is the interval at which functions are sampled, and no input is one; leave it out"
        raise SceneError(f"{caller}: every", every, mend)
    for name, given in inputs.items():
        if name not in names:
            raise unknown(f"{caller}: inputs", name, names)
        key = f'{caller}: inputs["{name}"]'
        k = names.index(name)
        if callable(given):
            stop = float(end if end is not None else system.solver.end)
            samples = sampled(given, interval(every, key), stop, key)
        else:
            samples = table_of(given, key, played.inputs[k].unit)
        played.inputs[k] = played.inputs[k].played(samples)
    return played


def interval(every: Any, key: str) -> float:
    """A positive interval [s]. Raises SceneError."""
    if every is None:
        mend = "is a function: say how often it is sampled, such as every=0.01 [s]; it is held in between"
        raise SceneError(key, mend=mend)
    value = number(every)
    if not value > 0.0:
        raise SceneError(f"{key.partition(':')[0]}: every", every, "must be greater than 0 [s]")
    return value


def sampled(function: Callable[[float], float], every: float, end: float, key: str) -> Samples:
    """The function at 0, every, 2 every, ... up to `end`. Raises SceneError."""
    if end / every > MOST:
        mend = f"gives {end / every:.3g} samples; at most {MOST:.0e} are accepted"
        raise SceneError(f"{key.partition(':')[0]}: every", every, mend)
    times = sample_time(np.arange(int(end / every) + 2), every)
    times = times[times <= end]
    values = np.empty(len(times))
    for k, t in enumerate(times.tolist()):
        try:
            values[k] = number(function(t))
        except SceneError as error:
            raise SceneError(f"{key}({t:g})", error.value, error.mend) from None
    return Samples(times, values)


def table_of(given: Any, key: str, unit: str) -> Samples:
    """The samples of a number, a table or a CSV file, in this unit. Raises SceneError."""
    try:
        if isinstance(given, str | os.PathLike):
            return samples_of(Path(given), os.fspath(given), unit, "")
        if isinstance(given, tuple) and len(given) == 2:
            return Samples(*given)
        if np.ndim(given) == 0:
            return Samples([0.0], [number(given)])
        rows: Array = np.asarray(given)
        if rows.ndim != 2 or rows.shape[1] != 2:
            raise SceneError(value=f"an array of the shape {rows.shape}", mend=f"must be {TABLES}")
        return Samples(numbers(rows[:, 0], "time"), numbers(rows[:, 1], "value"))
    except SceneError as error:
        raise SceneError(f"{key}: {error.key}" if error.key else key, error.value, error.mend) from None
    except (TypeError, ValueError):
        raise SceneError(key, str(given), f"must be {TABLES}") from None
