"""Where the integrator keeps what, in `Store.number` and `Store.count`."""

# places in Store.number
(
    H,
    PREVIOUS_ERROR,
    T0,
    T1,
    SIZE,
    TOLERANCE,
    FIXED,
    STARTED,
    WORST_RESIDUAL,
    HELD_TIME,
    FLOOR,
    PIVOT,
    SPIN,
    SPIN_TIME,
    SPIN_STEP,
    IMPACT_TIME,
) = range(16)
# places in Store.count; CAREFUL is for the step that comes, CAREFULLY tells how the last one was taken
(
    STEPS,
    REJECTED,
    EVALUATIONS,
    STATUS,
    FRESH,
    UNCONVERGED,
    HELD,
    PASSES,
    CAREFUL,
    EVENTS,
    REPEATED,
    KNOWN,
    CAREFULLY,
    SPUN,
    IMPACTS,
) = range(15)
