"""From authors' functions to compiled kernels: texts of wrappers, modules in the cache folder, addresses."""
