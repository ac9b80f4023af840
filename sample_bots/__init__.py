"""Bots to play against, to learn from and to copy."""
