"""Places of the functions of the step that are compiled apart, in `ContactSolver.parts`."""

FIND, PASSING, SOLVE, PASSES, INTERIOR, LINEAR, REMOVE, LAW, FIRST_PAIR = range(9)
