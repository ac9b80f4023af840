"""What results say: ratings with errors, standings, sequential tests. Pure arithmetic.

The only place that imports numpy. Imports no store.
"""
