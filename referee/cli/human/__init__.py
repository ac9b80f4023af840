"""Human play: a person at this terminal is a bot whose process is the referee's own.

`human_bots` starts people where the forkserver starts bots, and speaks the protocol for them; `turn_queue`
gives the terminal to one of them at a time; `prompt` asks for one decision; `menu` numbers the legal
actions; `screen` reads and writes. Hints, explanations and rules come from `referee.people`. Everything shown
to a person is made from the messages to that person's own seat.
"""
