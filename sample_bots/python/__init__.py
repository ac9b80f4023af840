"""Sample bots written with the Python kit; `python -m sample_bots.python.first` runs one."""

SAMPLES: dict[str, str] = {
    "chicago": "sample_bots.python.chicago",
    "first": "sample_bots.python.first",
    "gangsters": "sample_bots.python.gangsters",
    "poker": "sample_bots.python.poker",
    "random": "sample_bots.python.random_bot",
    "search": "sample_bots.python.search",
    "vengeance": "sample_bots.python.vengeance",
}
"""The sample bots by name, and the module of each."""

SENSIBLE: dict[str, str] = {
    "chicago": "chicago",
    "chicago-poker": "poker",
    "gangsters": "gangsters",
    "vengeance": "vengeance",
}
"""By id of a game: the sample that plays it sensibly."""
