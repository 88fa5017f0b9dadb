"""Arrays of the solver `contact`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mbplugin.stepping import Floats, Floats3, Floats9, Ints, Ints2, Records, records, solver_tables, specs


class ContactRecord(NamedTuple):
    """Keys of the solver, and counts of the present step."""

    goal: float  # residual of the law at which a step ends [m/s]
    rough: float  # speed below which sliding is left out at first [m/s]
    margin: float  # gap up to which a contact is made [m]
    zero: float  # gap that counts as none [m]
    slop: float  # overlap that is left [m]
    friction: float
    restitution: float
    impact: float  # approach below which there is no restitution [m/s]
    sweeps: int  # at most, before the matrix is used
    passes: int  # of Newton's method, at most
    momentum: float  # size of the momenta of the step, √(vᵀ M v) [√J]
    residual: float  # reached in the last step [m/s]
    swept: int  # sweeps in the last step
    factored: int  # factorizations in the last step
    impacts: int  # contacts that are loaded in this step and were not in the last one
    missed: int  # 1: the residual of the last step is above the goal
    coupled: int  # 1: bodies are held by joints, so that sweeps alone do not solve


@solver_tables
class Contacts(NamedTuple):
    """Vectors of the step (nv,), and numbers of every contact."""

    record: Records[ContactRecord]  # (1,)
    dq: Floats  # increment of the coordinates over half a step
    v_free: Floats  # velocities without impulses of contacts
    v_best: Floats  # of the best iterate
    F: Floats  # residual of the balance of momentum [N·s]
    step: Floats  # Newton's step
    trial: Floats  # velocities before the line search
    work: Floats
    v_dot: Floats  # accelerations at the start
    x_dot: Floats  # (na,) rates at the start
    lam: Floats  # (nc,) mean multipliers of the step [N, N·m]
    impulse: Floats  # (nc,) of joints beside h λ, over the step
    impulse_best: Floats  # (nc,)
    impulse_trial: Floats  # (nc,)
    turn: Floats  # (nc,) Newton's step of `impulse`
    open: Floats  # (nc,) Ĝ v − ĝ, scaled rows
    g: Floats  # (nc,) G v that the joints ask for
    # contacts
    W: Floats9  # G M⁻¹ Gᵀ of each
    D: Floats9  # slope of the law
    bias: Floats3  # u = G v + bias obeys the law
    speed: Floats3  # relative velocity at the start
    best: Floats3  # impulse of the best iterate
    rho: Floats  # 3 / trace(W)
    status: Ints  # OPEN, STICK or SLIP
    # contacts of the last step
    held: Ints  # (1,) how many
    last_key: Ints
    last_feature: Ints
    last: Floats3  # their impulses [N·s], world axes
    stuck: Ints  # whether they stuck
    formed: Ints  # status in the matrix
    key: Ints  # pair of shapes
    feature: Ints  # which features of them touch
    pair: Ints2  # bodies that the matrix couples
    pairs: Ints  # (1,) how many; −1: the matrix has no pattern


#: sets of arrays that grow together: with the contacts of a step, and with those of the last one
SETS = (
    ("W", "D", "bias", "speed", "best", "rho", "status", "formed", "key", "feature", "pair"),
    ("last_key", "last_feature", "last", "stuck"),
)


def zero_arrays(problem: Any, record: ContactRecord, places: int) -> Contacts:
    """The arrays of a problem, with places for so many contacts."""
    nv, na, nc = problem.nv, problem.na, problem.nc
    lengths = dict.fromkeys(("dq", "v_free", "v_best", "F", "step", "trial", "work", "v_dot"), nv)
    lengths |= {"x_dot": na, **dict.fromkeys(("lam", "impulse", "impulse_best", "impulse_trial", "turn", "open", "g"), nc)}
    lengths |= {"held": 1, "pairs": 1} | {name: places for names in SETS for name in names}
    arrays = {}
    for name, spec in specs(Contacts).items():
        if name != "record":
            shape = (lengths[name], spec.columns) if spec.columns else lengths[name]
            arrays[name] = np.zeros(shape, spec.dtype)
    arrays["pairs"][:] = -1
    return Contacts(record=records(ContactRecord, [record]), **arrays)
