"""Speed of the referee, as ratios in one run; `python -m benchmarks --help` lists the parts.

Every claim about speed in the documents comes from here. No test is timed.
"""
