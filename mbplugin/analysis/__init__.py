"""Analyses of a compiled system."""
