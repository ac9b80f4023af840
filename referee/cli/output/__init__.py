"""What commands print: tables, progress, logs, verdicts. Bots' text is made safe for terminals here.

Imports no command.
"""
