"""Motion that constraints and drives alone determine, and the forces behind it."""
