"""Messages of the penalty enforcement: stiffness and predicted deviation at the start, the largest deviation
at the end.
"""

from __future__ import annotations

from mbplugin.interface import POSITION_LEVEL
from mbplugin_penalty.choice import PHASE

FORCE = {"m": "N/m", "rad": "N·m/rad"}
#: ratio of largest to predicted deviation, or to the tolerance, above which the message is a warning
FAR_BEYOND_PREDICTED = 3.0


def before(kind, params, rows, values):
    """One line for each unit of the joint's rows, with the softest of them.

    A warning if a fixed step does not admit the stiffness that the allowed deviation needs.
    """
    joint = rows[0].joint
    for unit in ("m", "rad"):
        held = [
            (row, line)
            for row, line in zip(rows, values)
            if row.unit == unit and row.level == POSITION_LEVEL and line[0] > 0.0
        ]
        if not held:
            continue
        softest, (k, _, allowed, predicted) = max(held, key=lambda pair: (pair[1][3], abs(pair[0].load)))
        what = f"stiffness {spread([line[0] for _, line in held])} {FORCE[unit]}"
        if params.augment:
            yield "info", f'joint "{joint}": penalty with {what}, augmented to {params.tolerance:g} {unit}'
            continue
        yield (
            "info",
            f'joint "{joint}": penalty with {what}, '
            f"predicted deviation {predicted:.3g} {unit} ({softest.label})",
        )
        if (
            softest.step is not None
            and predicted > 1.01 * allowed
            and k < 1.01 * softest.mass * (PHASE / softest.step) ** 2
        ):
            yield (
                "warning",
                f'joint "{joint}": the step of {softest.step:g} s admits no more than {k:.3g} {FORCE[unit]}: '
                f"expect a deviation of {predicted:.3g} {unit}, where {allowed:.3g} is allowed; "
                "take a smaller `step`, or `augment = true`",
            )


def after(kind, params, rows, values, memory):
    """The largest deviation of the joint's rows in each unit, beside the predicted one."""
    for unit in ("m", "rad"):
        held = [
            (float(largest[0]), row, line)
            for row, line, largest in zip(rows, values, memory)
            if row.unit == unit and row.level == POSITION_LEVEL and line[0] > 0.0
        ]
        if not held:
            continue
        occurred, row, (_, _, _, predicted) = max(held, key=lambda item: item[0] / (item[2][3] or 1.0))
        deviation = f'joint "{row.joint}": occurred deviation {occurred:.3g} {unit} ({row.label})'
        if params.augment:
            level = "info" if occurred <= FAR_BEYOND_PREDICTED * params.tolerance else "warning"
            yield level, f"{deviation}, tolerance {params.tolerance:g}"
        else:
            level = "warning" if occurred > FAR_BEYOND_PREDICTED * predicted else "info"
            more = "; the load has grown since t = 0" if level == "warning" else ""
            yield level, f"{deviation}, predicted {predicted:.3g}{more}"


def spread(numbers):
    """The range of the numbers as text."""
    low, high = min(numbers), max(numbers)
    return f"{low:.3g}" if high <= 1.001 * low else f"{low:.3g} to {high:.3g}"
