"""Which bots meet, in which seats, with which deal. Pure: the same inputs give the same matches.

Imports no store and no hub.
"""
