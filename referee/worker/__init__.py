"""Workers: processes with a hub of their own, which play whole blocks of matches for one organiser.

The organiser plans, writes and reports; a worker only plays. It is given the keys of its deals and never the
seed, and returns replays as bytes. It ends with the organiser, and all it has started ends with it.
"""
