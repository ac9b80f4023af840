"""People at the table: a person at this terminal is a bot whose process is ours.

`household` starts people where the nursery starts bots, and speaks the protocol for them; `floor` gives the
terminal to one of them at a time; `dialogue` asks for one decision; `menu` numbers what is legal; `manual`
finds a section of the rules; `meaning` and `advice` explain actions; `screen` reads and writes.

Whatever a person is shown is made from the messages to that person's own seat.
"""
