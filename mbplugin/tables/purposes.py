"""When a batch is called."""

# in the order in which an evaluation calls them
PREPARE, LOCATE, MEASURE, CONSTRAINT, FORCE, BODY_FORCE, MASS, ROWS_TO_GENERALIZED, FORCES_TO_GENERALIZED = (
    range(9)
)
# outside an evaluation
RATE, RETRACT, NORMALISE, COORDINATE, ACCEPT, EVENT, BODY_ENERGY = range(9, 16)
# behind the forces, where Φ̇ is known
ENFORCE = 16
