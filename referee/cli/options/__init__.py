"""Options that several commands share: bots, games, options of games, terms, limits.

Reads and checks; what the words mean is in `tournaments.config`. Imports no command and no output.
"""
