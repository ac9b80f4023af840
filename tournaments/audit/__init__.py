"""Whether results and replays are as they were written and follow from each other.

Promises that a changed byte of a result or a replay is found. Reads the store and the replays and changes
nothing; imports no hub to play with.
"""
