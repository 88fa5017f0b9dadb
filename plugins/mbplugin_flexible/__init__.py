"""Bodies that are meshes of finite elements."""
