"""What becomes of a call of `advance`, and the statuses of an evaluation."""

# what `advance` returns; after the last three the tables are left at the evaluation that failed
BUSY, FRAME, END, FAILED, DIVERGED, TOO_SMALL = range(6)
#: what becomes of a step that is tried, besides those three
TAKEN, AT_SWITCH = 6, 7
#: statuses of an evaluation besides those of plugins' functions (positive): no usable pivot; an acceleration
#: or a right-hand side is not a number; the method failed; what expressions read of the solve has no values;
#: a motion's position jumps
NO_PIVOT, NOT_FINITE, NO_METHOD, OPEN_LOOP, JUMPED = -1, -2, -3, -4, -5
