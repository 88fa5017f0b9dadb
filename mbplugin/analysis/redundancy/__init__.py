"""Redundant constraint rows, the reactions that they leave undetermined, and repairs."""
