"""Places of the functions of the step that are compiled apart, in `ContactSolver.parts`.

`run_part(tables, place, number)` calls one and returns its status. number: the task of LAW and LINEAR, the
stage of PASSING, the attempt of the plan that PASSES and INTERIOR make, a pair of shapes or one of them from
FIRST_PAIR on; of no meaning for the others.
"""

FIND, PASSING, SOLVE, PASSES, INTERIOR, LINEAR, REMOVE, LAW, FIRST_PAIR = range(9)
