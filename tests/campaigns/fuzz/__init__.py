"""Fuzzing: what comes from outside may be anything, and only the documented errors may come of it.

`python -m tests.campaigns.fuzz TARGET --inputs N` runs one target, `make fuzz N=…` all of them.
"""
