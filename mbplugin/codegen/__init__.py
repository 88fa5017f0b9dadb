"""From authors' functions to compiled kernels: wrapper source, modules in the cache folder, addresses."""
