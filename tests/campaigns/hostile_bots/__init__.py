"""Hostile programs of every kind, what the referee must make of each, and the arena they are let loose in.

`python -m tests.campaigns.hostile_bots` runs all of them, `make hostile` ten times. Every program is
capped: it ends by itself where nothing holds it.
"""
