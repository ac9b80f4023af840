"""Tests with real processes, sockets, databases and terminals.

Modules that are no tests (`commands`, `hubs`, `ladders`, `terminals` and others) start and end those
processes.
"""
