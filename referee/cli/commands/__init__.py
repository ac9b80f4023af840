"""One module for each subcommand of `referee`.

A module reads options, calls the library and prints. No other package imports it.
"""
