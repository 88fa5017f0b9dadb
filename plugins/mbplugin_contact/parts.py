"""Places of the functions of the step that are compiled apart, in `ContactSolver.parts`.

`run_part(tables, place, number)` calls one and returns its status. number: the task of LAW and LINEAR, the
stage of PASSING, the attempt of the plan that PASSES and INTERIOR make, a pair of shapes or one of them from
FIRST_PAIR on; of no meaning for the others.
"""

FIND = 0  # find.find_contacts, or find_stretched_contacts if a shape is stretched
PASSING = 1  # ahead.classify_passing
SOLVE = 2  # pivoting.solve_with_bounds
PASSES = 3  # newton.passes
INTERIOR = 4  # interior.follow_interior
LINEAR = 5  # linear.linear
REMOVE = 6  # correction.remove_overlap
LAW = 7  # the part that laws.law_part makes for the laws of the scene
FIRST_PAIR = 8  # from here on: points of two types (touching.parts_of), then answers of one (answers_of)
