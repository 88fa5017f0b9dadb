"""What compiled functions return: 0 where all went well, or why they stopped. `Status` has the details."""

OK = 0
#: a plugin's function raised; `Status.batch` tells which
RAISED = 1
#: some pivot of S + δ is not positive
NO_PIVOT = 2
#: an acceleration or a right-hand side is NaN or infinite
NOT_FINITE = 3
#: the method that finds accelerations failed
METHOD_FAILED = 4
#: no values of the implicit variables solve their equations
LOOP_OPEN = 5
#: the position of a motion jumps
POSITION_JUMPS = 6
