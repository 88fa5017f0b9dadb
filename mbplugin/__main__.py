"""`python -m mbplugin`: the command line."""

from mbplugin.cli import main

main()
