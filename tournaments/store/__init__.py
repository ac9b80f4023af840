"""Results in SQLite or PostgreSQL: a row for every match and for every seat, chained by hash.

Promises that a committed result survives a crash and that a changed byte is found. The only place that
imports SQLAlchemy.
"""
