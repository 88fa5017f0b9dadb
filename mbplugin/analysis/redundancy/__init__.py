"""Which rows repeat others, what that leaves open, and how to mend it."""
