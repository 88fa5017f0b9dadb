"""The markers that tell pluggy what is a hook and what implements one."""

import pluggy

hookspec = pluggy.HookspecMarker("mbplugin")
hookimpl = pluggy.HookimplMarker("mbplugin")
