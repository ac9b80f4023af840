"""Grades: a bot plays against bots of the teacher, and a scale that the teacher wrote makes points of it.

Promises a grade for every bot, also for one that does not start; only mistakes of the teacher are errors.
What a student reads holds no seed, command or path of the staff. Imports no command line and no store.
"""
