"""What travels between the referee and its bots: messages, their two encodings, and the Python kit.

SPEC.md beside this file is the normative text. This package never imports the referee.
"""
