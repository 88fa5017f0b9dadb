"""Stiffness and damping matrices."""
