"""Many matches at once in one event loop: bots are started, assigned to seats, asked and timed.

Promises that a fault costs the bot that made it and no other, and that a match is reported when its replay
is on disk. Imports `process`, `gate`, `replay` and `match`; no store, no command line.
"""
