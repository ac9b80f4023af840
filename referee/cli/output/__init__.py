"""The output of commands: tables, progress, logs, verdicts. Text of bots is made safe for terminals here.

Imports no command.
"""
