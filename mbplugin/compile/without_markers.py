"""Joints that act on coordinates of other joints, and have no markers of their own."""

from __future__ import annotations

from mbplugin.errors import SceneError
from mbplugin.model import Joint

#: keys of bodies and coordinates that such a joint does not have
NO_KEYS = ("a", "b", "markers", "at", "axis", "start")


def refuse_markers(joint: Joint, key: str, acts_on: str) -> None:
    """Raises SceneError for a key that such a joint does not have."""
    for word in NO_KEYS:
        if (value := getattr(joint, word)) is not None:
            if word == "start":
                value = value.model_dump(exclude_unset=True)
            mend = f'is not for a joint of type "{joint.type}": it acts on {acts_on}; leave it out'
            raise SceneError(f"{key}.{word}", value, mend)
