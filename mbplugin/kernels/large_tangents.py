"""The large functions of tangents, each compiled and cached by itself when a problem first needs it."""

from __future__ import annotations

from mbplugin.kernels import tangent_differences, tangents
from mbplugin.kernels.view import TABLES, table_at


def form_tangent(first, spare, address):
    return tangents.form_present(table_at(address, 2 * TABLES))


def difference_elements(what, spare, address):
    return tangent_differences.difference_elements(
        table_at(address, 2 * TABLES), what & 1 != 0, what & 2 != 0
    )


def difference_bodies(first, spare, address):
    return tangent_differences.difference_bodies(table_at(address, 2 * TABLES))


def difference_laws(first, spare, address):
    return tangent_differences.difference_laws(table_at(address, 2 * TABLES))
