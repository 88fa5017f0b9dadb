"""Positions of rest, and small motions about them or about a steady motion."""
