"""The output of commands: tables, progress, logs, verdicts. Text of bots is made safe for terminals here.

A table is framed for a terminal and plain for a pipe. Imports no command and no option.
"""
