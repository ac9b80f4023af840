"""How fast the referee is, as ratios in one run; `python -m benchmarks --help` tells more."""
