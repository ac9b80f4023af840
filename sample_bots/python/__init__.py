"""Sample bots written with the Python kit; `python -m sample_bots.python.first` runs one.

Nothing is imported here, because every one of them would wait for it. `sample_bots.catalog` lists them.
"""
