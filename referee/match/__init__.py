"""One match without I/O: messages and times go in; messages, deadlines, a log and a result come out.

Every policy of the protocol (clocks, faults, strikes, ranks) is here and nowhere else. Promises that the
same inputs give the same match. Imports the contract of a game; no socket, file, process or clock.
"""
