"""Rank of the constraints: independent rows, degrees of freedom, level and direction of each row."""
