"""`Sweep`: what has come out of a sweep, as arrays, an xarray dataset, a pandas table and a plot."""

from __future__ import annotations

import csv
import functools
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mbplugin.decoder.rotation import Array
from mbplugin.errors import SceneError, listed, optional_library, suggestion, value_text
from mbplugin.sweeps.grid import POINT, Grid
from mbplugin.sweeps.plan import Outcome, failed

#: of a point: not run yet, done, failed
PENDING, DONE, FAILED = 0, 1, 2


class Variable(NamedTuple):
    """One array of a sweep."""

    dims: tuple[str, ...]
    values: Array
    unit: str = ""


class Sweep:
    """The points of a sweep and what each has given. Arrays have the points' dimensions first: one for each
    swept key, or "point" where values went in pairs.
    """

    def __init__(self, grid: Grid, units: Mapping[str, str], outcomes: Mapping[int, Outcome]) -> None:
        self.grid, self.known_units = grid, dict(units)
        self.outcomes = {index: outcomes[index] for index in sorted(outcomes)}
        #: where it is kept, if it is
        self.folder: Path | None = None

    def __len__(self) -> int:
        return len(self.grid)

    def __repr__(self) -> str:
        keys = " × ".join(f"{key} ({len(given)})" for key, given in self.grid.values.items())
        pending = len(self) - len(self.outcomes)
        rest = f", {pending} not run" if pending else ""
        of = f"{len(self)} {'pairs' if self.grid.pairs else 'points'} of {keys}"
        return f"Sweep: {of}, {len(self.failed)} failed{rest}; {listed(self.arrays)}"

    @property
    def failed(self) -> list[tuple[dict[str, Any], str]]:
        """The values of each point that has failed, and why."""
        return [(self.grid.point(o.point), o.message) for o in self.checked.values() if o.message]

    @property
    def complete(self) -> bool:
        """Whether all points have been run."""
        return len(self.outcomes) == len(self)

    @functools.cached_property
    def checked(self) -> dict[int, Outcome]:
        """The outcomes; those with other arrays than the first one that has not failed have failed."""
        first = next((o for o in self.outcomes.values() if not o.message), None)
        return {index: self.compared(outcome, first) for index, outcome in self.outcomes.items()}

    def compared(self, outcome: Outcome, first: Outcome | None) -> Outcome:
        if outcome.message or first is None:
            return outcome
        if list(outcome.arrays) != list(first.arrays):
            names = (listed(o.arrays) for o in (outcome, first))
            return failed(outcome.point, "its measures are {}; those of the first point {}".format(*names))
        for label, array in first.arrays.items():
            if not self.is_course(label) and outcome.arrays[label].shape != array.shape:
                shapes = outcome.arrays[label].shape, array.shape
                return failed(outcome.point, f"{label} has the shape {shapes[0]}, not {shapes[1]} as before")
        return outcome

    def is_course(self, label: str) -> bool:
        """Whether a measure is an array over the frames."""
        first = next(o for o in self.outcomes.values() if not o.message)
        array = first.arrays[label]
        return label in self.known_units and array.ndim == 1

    @functools.cached_property
    def status(self) -> Array:
        """0 not run yet, 1 done, 2 failed; of the shape of the grid."""
        status = np.zeros(len(self), np.int8)
        for index, outcome in self.checked.items():
            status[index] = FAILED if outcome.message else DONE
        return status.reshape(self.grid.shape)

    @functools.cached_property
    def messages(self) -> Array:
        """Why each point has failed; empty texts for the others."""
        texts = [""] * len(self)
        for index, outcome in self.checked.items():
            texts[index] = outcome.message
        return np.array(texts).reshape(self.grid.shape)

    @functools.cached_property
    def variables(self) -> dict[str, Variable]:
        """All measures by name; NaN at points that have failed or are not run yet. "time" is there with time
        courses: of all points, or by point where it differs.
        """
        done = [o for o in self.checked.values() if not o.message]
        if not done:
            return {}
        found: dict[str, Variable] = {}
        times = [o.time for o in done if o.time is not None]
        frames = max(map(len, times), default=0)
        same = all(np.array_equal(time, times[0]) for time in times)
        if times and same:
            found["time"] = Variable(("time",), times[0], "s")
        elif times:
            arrays = {o.point: o.time for o in done}
            found["time"] = Variable((*self.grid.dims, "frame"), self.filled(arrays, (frames,)), "s")
        for label, array in done[0].arrays.items():
            course = self.is_course(label)
            axes = tuple(f"{label}_{axis}" for axis in range(array.ndim))  # of what a function returns
            inner = ("time" if same else "frame",) if course else axes
            shape = (frames,) if course else array.shape
            values = self.filled({o.point: o.arrays[label] for o in done}, shape)
            found[label] = Variable((*self.grid.dims, *inner), values, self.known_units.get(label, ""))
        return found

    def filled(self, arrays: Mapping[int, Any], shape: tuple[int, ...]) -> Array:
        """Arrays by point in one, with NaN for what there is not."""
        whole = np.full((len(self), *shape), np.nan)
        for index, array in arrays.items():
            place: Any = (index, *map(slice, array.shape))
            whole[place] = array
        return whole.reshape(*self.grid.shape, *shape)

    @property
    def arrays(self) -> list[str]:
        """The names of all measures."""
        return [label for label in self.variables if label != "time"]

    def __getitem__(self, label: str) -> Array:
        """A measure over the points, (points..., ...). Raises SceneError."""
        return self.variable(label).values

    def variable(self, label: str) -> Variable:
        """A measure with its dimensions and unit. Raises SceneError."""
        if label not in self.variables:
            why = "no point has come to its end" if not self.variables else "there is no such measure"
            mend = f"{why}{suggestion(label, self.arrays)}" if self.variables else why
            raise SceneError("what", label, mend)
        return self.variables[label]

    def unit(self, label: str) -> str:
        """Unit of a measure; "" for what a function returns. Raises SceneError."""
        return self.variable(label).unit

    @property
    def dataset(self) -> Any:
        """An `xarray.Dataset`: a dimension for each swept key, measures with `units`, status and message of
        each point. Raises MissingLibraryError.
        """
        xarray = optional_library("xarray", "a dataset")
        dims = self.grid.dims
        points = (POINT,) if self.grid.pairs else None
        coordinates: dict[str, Any] = {
            key: (points or (key,), self.grid.coordinate(key)) for key in self.grid.values
        }
        arrays: dict[str, Any] = {}
        for label, variable in self.variables.items():
            where = coordinates if label == "time" else arrays
            where[label] = (variable.dims, variable.values, {"units": variable.unit} if variable.unit else {})
        meaning = {"flag_values": [PENDING, DONE, FAILED], "flag_meanings": "not_run done failed"}
        arrays["status"] = (dims, self.status, meaning)
        arrays["message"] = (dims, self.messages, {"meaning": "why the point failed"})
        return xarray.Dataset(arrays, coordinates)

    def columns(self) -> dict[str, Array]:
        """The measures that are one number for each point."""
        dims = self.grid.dims
        return {label: v.values.ravel() for label, v in self.variables.items() if v.dims == dims}

    def table(self, *what: str) -> Any:
        """A `pandas.DataFrame` with a row for each point: measures that are one number, and the message.
        what: measures over time instead, with a row for each point and frame. `attrs["units"]` has the units.
        Raises SceneError, MissingLibraryError.
        """
        pandas = optional_library("pandas", "a table")
        points = [self.grid.point(index) for index in range(len(self))]
        if not what:
            columns: dict[str, Any] = dict(self.columns()) | {"message": self.messages.ravel()}
            keys = [[point[key] for point in points] for key in self.grid.values]
        else:
            shape = (len(self), *self.variable(what[0]).values.shape[len(self.grid.shape) :])
            if len(shape) != 2 or any(self.variable(w).values.size != np.prod(shape) for w in what):
                raise SceneError("table", what, "is not over time; what is one number is in table()")
            columns = {label: self[label].ravel() for label in what}
            keys = [[point[key] for point in points for _ in range(shape[1])] for key in self.grid.values]
            time = self.variables["time"].values
            keys.append(np.broadcast_to(time.reshape(-1, shape[1]), shape).ravel().tolist())
        names = [*self.grid.values, *(["time"] if what else [])]
        keys = [[plain(value) for value in given] for given in keys]
        index = pandas.MultiIndex.from_arrays(keys, names=names)
        found = pandas.DataFrame(columns, index=index if len(names) > 1 else index.get_level_values(0))
        found.attrs["units"] = {label: self.variables[label].unit for label in columns if label != "message"}
        return found

    def csv(self) -> str:
        """The table of `table()` as text, with the units in the first line."""
        columns = self.columns()
        units = {label: self.variables[label].unit for label in columns}
        file = io.StringIO()
        writer = csv.writer(file, lineterminator="\n")
        heads = [f"{label} [{units[label]}]" if units[label] else label for label in columns]
        writer.writerow([*self.grid.values, *heads, "message"])
        for index, message in enumerate(self.messages.ravel().tolist()):
            point = [plain(value) for value in self.grid.point(index).values()]
            writer.writerow([*point, *(float(column[index]) for column in columns.values()), message])
        return file.getvalue()

    def plot(
        self,
        *what: str,
        file: str | Path | None = None,
        size: tuple[int, int] | None = None,
        against: str | None = None,
    ) -> Any:
        """A matplotlib figure: measures over the first swept key, with a curve for each value of the others;
        time courses of all points over time, or `against` another time course. Saved if `file` is given.
        size: width and height in pixels. Without `what` those that are zero throughout are left out, such as
        z in a planar scene.

        Raises SceneError, StoreError.
        """
        from mbplugin.viz.points_plot import plot_points

        along = None if against is None else (against, self.course(against))
        drawn = self.drawing(*what)
        if not what:
            drawn["measures"].pop(against, None)
        if not drawn["measures"]:
            raise SceneError("against", against, "is the only measure; keep one to draw over it")
        return plot_points(**drawn, file=file, size=size, against=along)

    def course(self, label: str) -> Any:
        """The time courses `label`, as `plot_points` takes them. Raises SceneError."""
        from mbplugin.viz.points_plot import Panel

        if label not in self.variables:
            raise SceneError("against", label, f"there is no such measure{suggestion(label, self.arrays)}")
        variable = self.variable(label)
        if variable.dims == self.grid.dims or not self.drawable(label):
            raise SceneError("against", label, "is no time course")
        return Panel(variable.values, variable.unit)

    def drawing(self, *what: str) -> dict[str, Any]:
        """Content of `plot`, as arguments of `plot_points`. Raises SceneError."""
        from mbplugin.viz.points_plot import Panel

        drawable = [label for label in self.arrays if self.drawable(label)]
        labels = list(what) or [one for one in drawable if self.variable(one).values.any()] or drawable
        if bad := [label for label in labels if not self.drawable(label)]:
            raise SceneError("plot", bad[0], "is neither a number of each point nor a time course")
        if not labels:
            raise SceneError("plot", mend="there is nothing to draw: no point has come to its end")
        variables = {label: self.variables[label] for label in labels}
        return {
            "coordinates": {key: self.grid.coordinate(key) for key in self.grid.values},
            "pairs": self.grid.pairs,
            "measures": {label: Panel(each.values, each.unit) for label, each in variables.items()},
            "time": self.variables["time"].values if "time" in self.variables else None,
            "failed": self.status == FAILED,
        }

    def drawable(self, label: str) -> bool:
        dims = self.variable(label).dims
        return dims == self.grid.dims or dims in ((*self.grid.dims, "time"), (*self.grid.dims, "frame"))


def plain(value: Any) -> Any:
    """A value of a key in a table: a number or a text."""
    return value if isinstance(value, int | float | str) else value_text(value)
