"""The daemon, whose bots connect from other hosts, and the client that brings a local bot to it.

Promises an address that stays open while gates fail and return. Imports `hub` and what is below; not the
command line.
"""
