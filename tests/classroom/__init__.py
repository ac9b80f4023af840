"""A class of authors with real programs, good and bad, as a learning platform exports their submissions.

`submissions.py` has the programs, each with the name of its author and what must come of it; `export.py`
writes them into a folder; `checks.py` compares what came of them. Imports nothing of the tests around it.
"""
