"""What an operator writes: bots, options, clocks and limits, on a command line or in a tournament file.

Promises one meaning in both, and all mistakes of a file at once, each with its line. Starts nothing; imports
no pairing, store or rating.
"""
