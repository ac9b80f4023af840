"""The tournament file: what it may hold, what is wrong with one, and the plan it means.

Promises all mistakes of a file at once, each with its line. Starts nothing.
"""
