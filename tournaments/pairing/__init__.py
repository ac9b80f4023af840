"""Which bots meet, in which seats, with which deal. Pure: the same inputs give the same matches.

Uses the hub's fixtures, which name matches and deals; imports no store.
"""
