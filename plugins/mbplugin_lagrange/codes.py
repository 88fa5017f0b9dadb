"""What becomes of a call of `advance`, and of a step that is tried."""

# what `advance` returns; after the last three the tables are left at the evaluation that failed
BUSY, FRAME, END, FAILED, DIVERGED, TOO_SMALL = range(6)
#: what becomes of a step that is tried, besides those three
TAKEN, AT_SWITCH = 6, 7
