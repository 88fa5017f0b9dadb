"""Finding and loading plugins, and the registry of what they offer."""
