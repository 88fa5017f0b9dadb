"""State and velocities at t = 0, and the analyses that end there."""
