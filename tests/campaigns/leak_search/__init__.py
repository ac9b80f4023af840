"""Matches whose hidden cards carry nonces: every byte is searched for what its reader must not know.

`python -m tests.campaigns.leak_search` runs it, `make leaks` in its long form. Planted leaks show that it
finds them.
"""
