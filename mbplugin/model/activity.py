"""Conditions under which an element acts: the keys `active`, `release` and `snap`."""

from __future__ import annotations

from pydantic import Field

from mbplugin.model.table import Table


class Acts(Table):
    """Conditions of a joint, a motion, a force or the contacts of a body."""

    active: bool | str = Field(
        default=True,
        description='condition under which it acts, such as "time < 2"; several with `and`, `or`; false: not '
        "before `Simulation.activate`",
    )
    release: str | None = Field(
        default=None,
        description='condition that ends it for good when it becomes true, such as "reaction(pin.force) > '
        '500"',
    )


class Snaps(Acts):
    """Conditions of rows, which may be open where they begin to act."""

    snap: bool = Field(
        default=False,
        description="where it begins to act, close it by the smallest change of positions; false: it has to "
        "be closed there",
    )
