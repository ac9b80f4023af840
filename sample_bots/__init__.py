"""Bots to play against, to learn from and to copy, in ten languages.

They know the wire and the public rules: of the referee they import the games and the registry only.
"""
