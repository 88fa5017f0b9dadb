"""Laws of rows: a solver or an analysis that does not serve the law of a joint's rows refuses the joint."""

from __future__ import annotations

from collections.abc import Sequence

from mbplugin.errors import SceneError
from mbplugin.hooks.registry import Registry
from mbplugin.interface import SolverKind
from mbplugin.model import System


def refuse_unserved_laws(system: System, registry: Registry, who: str, laws: Sequence[str]) -> None:
    """Raises SceneError for the first joint whose rows obey a law that `who` does not serve."""
    for k, joint in enumerate(system.joints):
        kind = registry.constraint(joint.type, f"joint[{k}].type")
        for form in (kind, kind.planar_form):
            if form is None or form.row_type in laws:
                continue
            servers = [
                f'"{name}"' for name, solver in solvers(registry).items() if form.row_type in solver.row_types
            ]
            mend = f"solver {' or '.join(servers)} does" if servers else "no installed solver does"
            what = f'the rows of joint "{joint.name}" are of the type "{form.row_type}"'
            raise SceneError(f"joint[{k}].type", joint.type, f"{what}, which {who} does not serve; {mend}")


def refuse_contacts(system: System, registry: Registry, who: str) -> None:
    """Raises SceneError for the first shape that collides: `who` would leave its contacts out."""
    for key, _ in system.colliding():
        able = " or ".join(f'"{name}"' for name, solver in solvers(registry).items() if solver.contacts)
        use = f"use solver.type = {able}, or" if able else "no installed solver has;"
        mend = f"{use} leave them out with scene.contacts = false"
        raise SceneError(key, True, f"{who} has no contacts; {mend}")


def solvers(registry: Registry) -> dict[str, type[SolverKind]]:
    """Those that are installed, by name."""
    return {name: registry.offers["solver"][name][0].thing for name in registry.names("solver")}
