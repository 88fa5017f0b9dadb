"""The large functions of tangents, each compiled and cached by itself when a problem first needs it."""

from __future__ import annotations

from mbplugin.kernels import tangent_differences, tangent_laws, tangents
from mbplugin.kernels.view import TABLES, table_at


def form_tangent(first, spare, address):
    return tangents.form_present(table_at(address, 2 * TABLES))


def difference_element(i, twisted, address):
    return tangent_differences.difference_element(table_at(address, 2 * TABLES), i, twisted != 0)


def difference_body(i, spare, address):
    return tangent_differences.difference_body(table_at(address, 2 * TABLES), i)


def difference_laws(first, spare, address):
    return tangent_differences.difference_laws(table_at(address, 2 * TABLES))


def enforced_tangents(what, spare, address):
    return tangent_laws.enforced_tangents(table_at(address, 2 * TABLES), what)


def evaluate_expression(what, number, address):
    return tangent_differences.evaluate_expression(table_at(address, 2 * TABLES), what, number)
