"""Singular positions: where they are, what becomes free there, and the ways on."""
