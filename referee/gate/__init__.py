"""The place where a bot's bytes end: every message is decoded, limited and stamped with its time here.

A gate for ZeroMQ is a process of its own and disposable; it talks with the hub in typed records. The public
gate admits bots of other hosts, by key. Imports `match` for the fault codes; nothing above it.
"""
