"""Functions that write LLVM's instructions themselves: arrays, calls, and products in vector registers.

They and `mbplugin/compiler` are all that knows numba's inside.
"""
