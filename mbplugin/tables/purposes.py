"""Purposes of batches: when a batch is called."""

# within an evaluation; `evaluate.evaluate_eom` has the order
PREPARE, LOCATE, MEASURE, CONSTRAINT, FORCE, BODY_FORCE, MASS, ROWS_TO_GENERALIZED, FORCES_TO_GENERALIZED = (
    range(9)
)
# outside an evaluation
RATE, RETRACT, NORMALISE, COORDINATE, ACCEPT, EVENT, BODY_ENERGY = range(9, 16)
# after the forces: the compliances of enforced rows, which need Φ̇
ENFORCE = 16

# tangent functions of bodies and compliances, in `TangentPlan.call`
JACOBIAN, GEOMETRIC, INTERNAL, SLOPE, INCREMENT = range(5)
# parts of the evaluation of one element, in `TangentPlan.evaluation`
KERNEL, MEASURE_RATE, STATES, PARTIAL, FUNCTION, COUPLING = range(6)
# called by number for markers of the transient rows, not by purpose
TRANSIENT = 17
