"""Sample bots written with the Python kit; `python -m sample_bots.python.first` runs one."""

SAMPLES: dict[str, str] = {
    "first": "sample_bots.python.first",
    "poker": "sample_bots.python.poker",
    "random": "sample_bots.python.random_bot",
}
"""The sample bots by name, and the module of each."""
