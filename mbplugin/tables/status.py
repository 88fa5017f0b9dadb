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
#: an array has no room; the counts in its table say how many places are needed
NO_ROOM = 7
#: a pivot of the matrix of the step is zero or not finite; its node is in `Matrix.info`
SINGULAR = 8
#: Newton's method of an implicit step does not converge
NOT_CONVERGED = 9
#: a tangent function raised an exception; `Status.batch` is its address
TANGENT_RAISED = 10
#: an array is full; `Capacity.required` has the number of places. The step is repeated with longer arrays
OVERFLOW = 11
#: a body kind makes no markers in compiled code; the body is in `Status.batch`
NO_POINT_AT = 12
#: a function of the solver raised an exception; a method's kernel returns −SOLVER_RAISED for one
SOLVER_RAISED = 13
#: a step seems to have no solution: `CompiledSolver.no_solution` proves it, or the step is repeated
NO_SOLUTION = 14
#: no forces found at which the friction of bearings fits their reactions; `Bearings.worst_place` is one
WEDGED = 15
#: a joint that begins to act is open; its number is in `Activity.failed`
APART = 16
#: a condition changes to and fro; its number is in `Activity.failed`
CHATTERS = 17
#: two motions of one coordinate would act at once; the number of one is in `Activity.failed`
DRIVEN_TWICE = 20
#: a compiled control law raised an exception
CONTROL_RAISED = 22
#: it set an input to NaN or infinity
CONTROL_NOT_FINITE = 23
#: a fixed step is too long for the motion; the solver has put the length it asks for into `Step.record.h`
TOO_LONG = 21
#: velocities of a tree of bodies move no mass; the link is in `Status.batch`
NO_MASS = 18
#: an expression that gives a bound or a restitution is negative, or too large; its number in
#: `Bounded.command` is in `Status.batch`
NO_BOUND = 24
#: no pose found at the coordinates of a joint that carries a body; the link is in `Status.batch`
NO_POSE = 19
