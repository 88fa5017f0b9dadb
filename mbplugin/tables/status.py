"""Status codes of compiled functions. The table `Status` has details."""

OK = 0
#: a plugin's function raised an exception; its batch is in `Status.batch`
RAISED = 1
#: a pivot of S + δ is not positive
NO_PIVOT = 2
#: an acceleration or a right-hand side is NaN or infinite
NOT_FINITE = 3
#: the method that computes accelerations failed
METHOD_FAILED = 4
#: no solution for the implicit variables found
LOOP_OPEN = 5
#: the position of a motion jumps
POSITION_JUMPS = 6
#: an array is full; the wanted number of places is in `Room.wanted`. The step is repeated with longer arrays
OVERFLOW = 7
#: a body kind makes no markers in compiled code; the body is in `Status.batch`
NO_POINT_AT = 8
