"""Events of a run as a table: what switches, and impacts.

A row that switches is a limit, dry friction, a one-way clutch or a motion of limited effort. Joints, motions,
forces and contacts may cease to act.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from mbplugin.errors import SceneError, did_you_mean, listed
from mbplugin.results.curve import Curve, data_frame
from mbplugin.results.impacts import (
    IMPACTS,
    STATES,
    Impacts,
    element_names,
    impacts_of_contacts,
    impacts_of_rows,
    in_order,
)
from mbplugin.results.layout import STATUSES, Described
from mbplugin.results.read import RawResult

#: name of the list in the store
EVENTS = "events"
#: kinds of rows that switch, as messages name them
SWITCHES = "limit, friction, clutch or effort"
#: events of which `repr` has a line
SHOWN = 20
#: unit of each column of the table
UNITS = {"time": "s", "element": "1", "before": "1", "after": "1", "impulse": "N s or N m s", "dof": "1"}


def arrays_of_events(elements: Sequence[str]) -> dict[str, Described]:
    """The arrays of the list, in which these elements are numbered."""
    what = "status of the element"
    return {
        "time": Described((), "s", "time of the event"),
        "element": Described((), "1", "number of the row that switches", "<i8", tuple(elements)),
        "before": Described((), "1", f"{what} until then", "<i8", STATUSES),
        "after": Described((), "1", f"{what} from then on", "<i8", STATUSES),
        "impulse": Described((), "N s or N m s", "of an impact along the coordinate; 0: none"),
        "dof": Described((), "1", "degrees of freedom from then on", "<i8"),
    }


class Event(NamedTuple):
    """A row that begins or ceases to hold, or is struck; two bodies that strike each other."""

    time: float  # [s]
    element: str  # such as "pin.angle.friction", "contact.ground.ball"
    before: str  # status until then, such as "slips forwards"
    after: str  # and from then on, such as "sticks"
    impulse: float  # of an impact [N·s] or [N·m·s], of bodies its normal part; 0: none
    dof: int  # degrees of freedom from then on

    def __str__(self) -> str:
        what = "struck" if self.before == self.after else f"{self.before} → {self.after}"
        impulse = f", impulse {self.impulse:.4g}" if self.impulse else ""
        return f"t = {self.time:.9g} s: {self.element}: {what}{impulse}"


class Events(Sequence[Event]):
    """Events in the order of time: a sequence of `Event`, whose fields are also here as arrays (n,).

    time [s], element, before, after (words), impulse [N·s] or [N·m·s], dof
    """

    def __init__(self, columns: Sequence[Any]) -> None:
        self.time, self.element, self.before, self.after, self.impulse, self.dof = map(np.asarray, columns)

    def __len__(self) -> int:
        return len(self.time)

    def __getitem__(self, k: Any) -> Any:
        if isinstance(k, slice):
            return Events([column[k] for column in self.all_columns])
        return Event(*(column[k].item() for column in self.all_columns))

    def __iter__(self) -> Iterator[Event]:
        yield from (Event(*row) for row in zip(*(column.tolist() for column in self.all_columns)))

    @property
    def all_columns(self) -> tuple[Any, ...]:
        return self.time, self.element, self.before, self.after, self.impulse, self.dof

    def of(self, element: str) -> Events:
        """Events of one element. Raises SceneError if nothing has happened to it."""
        names = list(dict.fromkeys(self.element.tolist()))
        if element not in names:
            mend = did_you_mean(element, names) or (f"; there are those of {listed(names)}" if names else "")
            raise SceneError("element", element, f"it has no events{mend}")
        chosen = self.element == element
        return Events([column[chosen] for column in self.all_columns])

    def columns(self) -> list[Curve]:
        """The columns of the table."""
        return [Curve(*column) for column in zip(UNITS, self.all_columns, UNITS.values())]

    def table(self) -> Any:
        """A `pandas.DataFrame`, a row for each; `attrs["units"]` has the units. Raises
        MissingLibraryError.
        """
        return data_frame(self.columns())

    def __repr__(self) -> str:
        more = [f"and {len(self) - SHOWN} more"] if len(self) > SHOWN else []
        return "\n".join([f"{len(self)} events", *map(str, self[:SHOWN]), *more])


NO_EVENTS = Events([[], np.array([], str), np.array([], str), np.array([], str), [], np.array([], int)])


def with_impacts(events: Events, read: Callable[[str], Any], bodies: Sequence[str], dof: int) -> Events:
    """Events of rows with impacts of bodies, in the order of time. read: arrays of the list of impacts; dof:
    degrees of freedom before the first event.
    """
    time = np.asarray(read("time"))
    if not len(time):
        return events
    element = element_names(read("body_a"), read("body_b"), bodies)
    before, after = (np.array(STATES, str)[read(name)] for name in ("before", "after"))
    dofs = np.concatenate([[dof], events.dof]).astype(int)
    last = dofs[np.searchsorted(events.time, time, side="right")]
    normal = np.asarray(read("local_impulse"))[:, 0]
    columns = (time, element, before, after, normal, last)
    order = np.argsort(np.concatenate([events.time, time]), kind="stable")
    return Events([np.concatenate([one, other])[order] for one, other in zip(events.all_columns, columns)])


def events_of(raw: RawResult) -> Events:
    """The events of a result up to its last frame: of rows that switch, and impacts of bodies."""
    rows = events_of_rows(raw)
    if IMPACTS not in raw.lists or raw.frames == 0:
        return rows
    dof = int(raw["constraints/dof"][0])
    return with_impacts(rows, lambda name: raw.entries(IMPACTS, name), raw.names("bodies"), dof)


def impacts_of(raw: RawResult) -> Impacts:
    """All impacts of a result, of bodies, limits and ropes. Raises SceneError for contacts of a solver
    that notes none.
    """
    if "contacts" in raw.lists and IMPACTS not in raw.lists:
        mend = "the solver of this result notes no impacts"
        raise SceneError(IMPACTS, mend=mend)
    rows = events_of_rows(raw)
    struck = rows.impulse != 0.0
    of_rows = impacts_of_rows(rows.time[struck], rows.element[struck], rows.impulse[struck])
    return in_order(of_rows, impacts_of_contacts(raw))


def events_of_rows(raw: RawResult) -> Events:
    """Events of rows that switch; none where no row does."""
    if EVENTS not in raw.lists:
        return NO_EVENTS
    read = lambda array: raw.entries(EVENTS, array)
    said = lambda array: np.array(raw.words(f"lists/{EVENTS}/{array}"), str)[read(array)]
    return Events(
        [read("time"), said("element"), said("before"), said("after"), read("impulse"), read("dof")]
    )
