"""Purposes of batches: when a batch is called."""

# within an evaluation; `evaluate.evaluate_eom` has the order
PREPARE, LOCATE, MEASURE, CONSTRAINT, FORCE, BODY_FORCE, MASS, ROWS_TO_GENERALIZED, FORCES_TO_GENERALIZED = (
    range(9)
)
# outside an evaluation. Functions of body kinds: q̇ from v, q moved by the increment in `Rates.v_dot`, unit
# quaternions; of elements: joint coordinates, memory at the end of a step, event functions; elastic energies
RATE, RETRACT, NORMALISE, COORDINATE, ACCEPT, EVENT, BODY_ENERGY = range(9, 16)
# after the forces: the compliances of enforced rows, which need Φ̇
ENFORCE = 16

# tangent functions of bodies and compliances, in `TangentPlan.call`
JACOBIAN, GEOMETRIC, INTERNAL, SLOPE, INCREMENT = range(5)
# parts of the evaluation of one element, in `Differences.evaluation`
KERNEL, MEASURE_RATE, STATES, PARTIAL, FUNCTION, COUPLING = range(6)
# called by number for markers of the transient rows, not by purpose
TRANSIENT = 17
# for frames only: markers of trees that no step reads, and joint coordinates that are states
SHOWN = 18
# called one by one, not by purpose: rows and coordinates of joints in `DerivedRows`
DERIVED_ROWS = 19
# nodes of bodies and their stresses, for frames only
NODES = 20
# called one by one where a sample is due: elements in `Samplers`
SAMPLE = 21
