"""Entries: submissions of authors are found, unpacked, recognised, built, tried and put on record.

Promises that nothing of a submission is executed but its build and its bot, each in the box of the event's
level; that what is refused leaves nothing but its log; and that what was put on record stays. Does not import
the site or the command line.
"""
