"""Trees of bodies that joints carry."""
