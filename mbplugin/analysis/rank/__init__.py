"""Rows, rank, degrees of freedom, and what each row holds."""
