"""Whether results and replays are as they were written and follow from each other.

Reads the store and the replays; changes nothing.
"""
