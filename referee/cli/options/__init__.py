"""What several commands read from the command line: bots, games, options of games, terms, limits.

Imports no command.
"""
