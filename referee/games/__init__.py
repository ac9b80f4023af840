"""The games of this distribution, a folder each; the registry finds them without a list.

A game promises to be pure: the same chance and the same actions give the same game. It imports the contract
(`referee.game`), `referee.chance` and `referee.gamelib`; no other game, and nothing that reads a clock or a
file.
"""
