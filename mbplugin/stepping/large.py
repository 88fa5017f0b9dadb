"""Large parts of a step, each compiled and cached separately; `core.py` calls them through `Core`."""

from __future__ import annotations

from mbplugin.kernels.view import TABLES, table_at, view
from mbplugin.stepping import events, frame, loop, rates, samples, switches
from mbplugin.stepping.coordinates import project_state
from mbplugin.stepping.core import FACTOR
from mbplugin.tables.groups import Calls


def evaluate_rates(at_hand, spare, address):
    tables = table_at(address, 2 * TABLES)
    return rates.rates_on_constraints(tables) if at_hand == FACTOR else rates.evaluate_rates(tables)


def project(first, spare, address):
    return project_state(table_at(address, 2 * TABLES))


def find_switch(first, spare, address):
    switches.find_switch(table_at(address, 2 * TABLES))
    return 0


def pass_switch(first, spare, address):
    return switches.pass_switch(table_at(address, 2 * TABLES))


def jump_inputs(first, spare, address):
    return switches.jump_inputs(table_at(address, 2 * TABLES))


def take_samples(first, spare, address):
    return samples.samples_due(table_at(address, 2 * TABLES))


def locate_event(first, spare, address):
    return events.locate_event(table_at(address, 2 * TABLES))


def advance(first, spare, address):
    tables = table_at(address, 2 * TABLES)
    calls = view(tables, Calls)
    return loop.take_steps(tables, calls.until[0], calls.frame[0], calls.work[0])


def show(first, spare, address):
    tables = table_at(address, 2 * TABLES)
    return frame.show_state(tables, view(tables, Calls).shown[0])
