"""A grade in the formats of learning platforms, a module for each; `docs/grades.md` describes them.

Each module has a pure `document` that returns the text of a file. They get what the reader may see, and
decide nothing about points.
"""
