"""Multibody dynamics in which everything physical is a plugin."""

__version__ = "0.1.0"
