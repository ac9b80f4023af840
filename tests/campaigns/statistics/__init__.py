"""Simulated events with known truth: whether what the tables claim holds as often as they say."""
