"""Parts that several games share: turns, cloning, rules from options, grammar, sentences, ranking, following.

Pure, like the games. Imports the contract of a game and its luck; no game.
"""
