"""What the penalty enforcement tells of a joint: stiffnesses and the deviation predicted at the start, the
one that occurred at the end.
"""

from __future__ import annotations

from mbplugin.interface import POSITION_LEVEL
from mbplugin_penalty.choice import PHASE

FORCE = {"m": "N/m", "rad": "N·m/rad"}
#: occurred over predicted or allowed deviation from which on it is a warning
FAR = 3.0


def before(kind, params, rows, values):
    """One line for the joint and each unit of its rows, with the softest of them; a warning where a fixed
    step does not let the allowed deviation be kept.
    """
    joint = rows[0].joint
    for unit in ("m", "rad"):
        mine = [
            (row, line)
            for row, line in zip(rows, values)
            if row.unit == unit and row.level == POSITION_LEVEL and line[0] > 0.0
        ]
        if not mine:
            continue
        softest, (k, _, allowed, predicted) = max(mine, key=lambda pair: (pair[1][3], abs(pair[0].load)))
        what = f"stiffness {spread([line[0] for _, line in mine])} {FORCE[unit]}"
        if params.augment:
            yield "info", f'joint "{joint}": penalty with {what}, augmented to {params.tolerance:g} {unit}'
            continue
        yield (
            "info",
            f'joint "{joint}": penalty with {what}, predicted deviation {predicted:.3g} {unit} ({softest.label})',
        )
        if (
            softest.step is not None
            and predicted > 1.01 * allowed
            and k < 1.01 * softest.mass * (PHASE / softest.step) ** 2
        ):
            yield (
                "warning",
                (
                    f'joint "{joint}": the step of {softest.step:g} s admits no more than {k:.3g} {FORCE[unit]}: a deviation of {predicted:.3g} {unit} is to be '
                    f"expected where {allowed:.3g} is allowed; take a smaller `step`, or `augment = true`"
                ),
            )


def after(kind, params, rows, values, memory):
    """The largest deviation of the joint's rows in each unit, beside the predicted one."""
    for unit in ("m", "rad"):
        mine = [
            (float(seen[0]), row, line)
            for row, line, seen in zip(rows, values, memory)
            if row.unit == unit and row.level == POSITION_LEVEL and line[0] > 0.0
        ]
        if not mine:
            continue
        occurred, row, (_, _, _, predicted) = max(mine, key=lambda each: each[0] / (each[2][3] or 1.0))
        if params.augment:
            level = "info" if occurred <= FAR * params.tolerance else "warning"
            yield (
                level,
                f'joint "{row.joint}": occurred deviation {occurred:.3g} {unit} ({row.label}), tolerance {params.tolerance:g}',
            )
        else:
            level = "warning" if occurred > FAR * predicted else "info"
            more = "; the load has grown since t = 0" if level == "warning" else ""
            yield (
                level,
                f'joint "{row.joint}": occurred deviation {occurred:.3g} {unit} ({row.label}), predicted {predicted:.3g}{more}',
            )


def spread(numbers):
    low, high = min(numbers), max(numbers)
    return f"{low:.3g}" if high <= 1.001 * low else f"{low:.3g} to {high:.3g}"
