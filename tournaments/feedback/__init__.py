"""What the author of a bot gets back from an event: results, faults, times, stderr, replays of its own seat.

A folder of feedback goes to one author. It holds what the event's public pages show, what the bot itself was
sent and sent, and what it wrote to stderr: nothing of another seat's cards, times, messages, command or
folder, no seed and no key, and nothing of a deal that is still to be played. May import the site, whose
events decide what is public; is imported by the command line alone.
"""
