"""Standings as files: JSON, CSV, JUnit and a page that needs nothing but a browser.

Promises that a bot's name is text and never markup. Imports `rating` and, for the head of
the chain, `store`; plays nothing.
"""
