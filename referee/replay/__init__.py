"""Replays: their format, reading and writing, playback by the rules, and narration for people.

Promises that a file is written whole or not at all, and that any changed byte is found. Imports `match` and
the games; nothing that runs a bot.
"""
