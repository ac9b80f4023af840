"""The official order of a tournament: places, and by what they were decided. Pure.

Works on rounds, points and ratings that others have computed. Imports `pairing`; knows neither ratings nor
stores.
"""
