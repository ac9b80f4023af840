"""Hostile programs of every kind, what the referee must make of each, and the arena they are let loose in."""
