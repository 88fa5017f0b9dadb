"""Initial state at t = 0: assembly, and the position, velocity and acceleration analyses."""
