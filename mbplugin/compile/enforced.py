"""Adds the compliances (penalties) of enforced joints to the draft."""

from __future__ import annotations

from mbplugin.compile.builder import Builder
from mbplugin.compile.draft import NOWHERE, DraftElement, shape_of
from mbplugin.errors import SceneError, errors_at
from mbplugin.interface.tangent import tangent_of
from mbplugin.model import Joint
from mbplugin.problem import EnforcedInfo, JointInfo
from mbplugin.tables.purposes import ENFORCE
from mbplugin.tables.records import COMPLIANT, EnforcedRecord


def enforce(build: Builder, k: int, joint: Joint, info: JointInfo) -> None:
    """Enforce the rows of joint number k as its `enforce` says. Raises SceneError.

    With a compliance each row gets an element of it, and leaves the system of the constraint forces.
    """
    key = f"joint[{k}].enforce"
    name, raw = joint.enforcement
    kind = build.registry.enforcement(name, f"{key}.type" if isinstance(joint.enforce, dict) else key)
    params = build.params(kind, raw, key, ("type",))
    if kind.kernel is None:
        return
    if not info.rows:
        raise SceneError(
            key,
            name,
            f'a joint of type "{joint.type}" has no rows but those of its motion, and motions are exact; '
            "leave out `enforce`",
        )
    draft = build.draft
    rows = [draft.rows[r] for r in info.rows]
    for row in rows:
        if row.level not in kind.levels:
            raise SceneError(
                key,
                name,
                f'cannot enforce accelerations, and joint "{joint.name}" prescribes one ({row.label}); '
                'use enforce = "lagrange"',
            )
    with errors_at(key):
        kind.check(params, [row.label for row in rows])
    shape = shape_of(
        parameters=tuple((value, "float") for value in kind.values),
        memory=kind.memory,
        outputs=tuple(kind.outputs),
    )
    for r in info.rows:
        draft.rows[r].mode = COMPLIANT
        element = DraftElement(
            ENFORCE,
            "enforcement",
            kind.kernel,
            shape,
            f'enforcement "{kind.name}"',
            joint.name,
            (),
            [0.0] * len(kind.values),
            NOWHERE._replace(
                first_row=r,
                first_memory=draft.memory,
                first_output=build.add_outputs(f"{joint.name}.{draft.rows[r].label}", kind),
            ),
            accept=kind.accept,
            accept_role="enforcement_accept",
            tangent=tangent_of(kind, "tangent", "kernel"),
        )
        draft.memory += kind.memory
        draft.elements.append(element)
        draft.enforced.append(EnforcedRecord(info.block, r))
    build.names.enforced.append(EnforcedInfo(len(build.names.joints) - 1, kind, params))
