"""Derivation of kernels: an author writes Φ alone; J, bias and tangent follow from it.

A function is traced once for each way through its branches (`trace.py`, `author.py`), derived on its graph
(`graph.py`, `derivatives.py`, `motion.py`), the cheapest way is chosen (`plans.py`), and printed as the text
of an ordinary kernel (`text.py`, `kernels.py`, `functions.py`).
"""
