"""Results read from a store, and standings as files: JSON, CSV, JUnit and a page that needs only a browser.

Promises that a bot's name is text and never markup. Imports `rating`, and `store` for the results and the
head of their chain; plays nothing.
"""
