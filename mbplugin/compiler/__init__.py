"""How functions become machine code: numba's inside, late libraries, and the cache."""
