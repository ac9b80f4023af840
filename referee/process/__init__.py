"""A bot's process from start to end: forkserver, supervisor, limits, stderr; `sandbox` confines it.

Promises that no process of a bot outlives the referee. Imports `gate`, because the forkserver forks gates
too; knows no match and no hub.
"""
