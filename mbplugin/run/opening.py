"""What a run says before its first step: one block per analysis."""

from __future__ import annotations

from mbplugin.analysis.phrases import enumerated, plural
from mbplugin.analysis.rank.levels import level_lines
from mbplugin.analysis.redundancy.redundancy import redundancy
from mbplugin.analysis.redundancy.redundancy_report import rows_of_a_run, sets_of_rows
from mbplugin.analysis.redundancy.redundancy_text import reaction_lines, report
from mbplugin.analysis.redundancy.undetermined import read_reaction_warnings
from mbplugin.analysis.singular.singular import ADVICE, WATCHED, Watch
from mbplugin.compile import compile_system
from mbplugin.hooks.registry import Registry
from mbplugin.run.prepare import Prepared
from mbplugin.tables.groups import Rows

#: redundant rows that messages.txt names in each block
SHOWN = 20


def opening(prepared: Prepared) -> list[tuple[str, str]]:
    """(level, text) of the analyses of position, velocity and acceleration; those with the same rows are told
    together.
    """
    found = sets_of_rows(prepared.problem, prepared.system, prepared.rank)
    lines = []
    for names, one in found:
        who = enumerated(names)
        redundant = plural(one.redundancy, "redundant row") if one.redundancy else "no redundant rows"
        lines.append(
            (
                "info",
                f"{who} analysis: {one.nc} constraint rows, rank {one.rank}, mobility {one.mobility}, {redundant}",
            )
        )
        lines.append(
            (
                "warning" if one.redundant else "info",
                report(one, shown=SHOWN, with_reactions=False, title=who),
            )
        )
    lines.append(("info", rows_of_a_run(found)))
    lines += [("info", line) for line in level_lines(prepared.problem)]
    lines += [("warning", line) for line in read_reaction_warnings(prepared.problem, prepared.system)]
    if prepared.singular is not None:
        lines += [("warning", str(prepared.singular)), ("info", ADVICE)]
    return lines


def shares(prepared: Prepared) -> str:
    """Which reactions are not determined, with their values at the first frame, whose terms and multipliers
    the problem holds.
    """
    found = redundancy(prepared.problem, prepared.system, report=prepared.rank)
    return "\n".join(reaction_lines(found, prepared.problem[Rows].lam, SHOWN))


def watch(prepared: Prepared, registry: Registry) -> Watch | None:
    """Who looks for singular positions at each frame; None for models that are too large for that, or have no
    constraints.
    """
    if not 0 < prepared.problem.nc <= WATCHED:
        return None
    around = prepared.singular.rank_around if prepared.singular is not None else prepared.rank.rank
    copy = compile_system(prepared.system, registry)
    copy[Rows].active[:] = prepared.problem[Rows].active
    return Watch(prepared.problem, copy, around)
