"""What results say: ratings with errors, standings, sequential tests, forecasts. Pure arithmetic.

The same results give the same bytes. Imports no store; beside it only `ladder` imports numpy.
"""
