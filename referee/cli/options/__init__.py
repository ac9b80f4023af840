"""Options that several commands share: bots, games, options of games, terms, limits.

Imports no command.
"""
