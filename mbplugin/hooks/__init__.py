"""How plugins are found, loaded and asked."""
