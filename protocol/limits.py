"""The limits of the wire: what a bot may send, and how much of it.

They bind bots. The referee's own messages are larger (views, long lists of legal actions) but
never nest deeper than `DEPTH`.
"""

VERSION = 1
"""The protocol version this package speaks."""

MESSAGE_BYTES = 65_536
"""Bytes of one message from a bot; in JSON lines without the line feed."""

DEPTH = 8
"""Maps and lists inside each other; the message itself is the first."""

MAP_LENGTH = 32
"""Entries of one map."""

LIST_LENGTH = 256
"""Entries of one list."""

ENTRIES = 1_024
"""Entries of all maps and lists of one message together."""

STRING_BYTES = 4_096
"""UTF-8 bytes of one string."""

ACTION_LENGTH = 256
"""Characters of one action; printable ASCII only."""

PLAN_LENGTH = 64
"""Actions of one plan."""

NAME_LENGTH = 64
"""Characters of a bot's name."""

REASON_LENGTH = 1_000
"""Characters of a `why`."""

CAPACITY = 256
"""Matches a bot may offer to play at once."""

MESSAGES_PER_DECISION = 64
"""Messages a bot may send between two messages from the referee, per running match."""

INTEGER = 2**53 - 1
"""The largest integer: every language's numbers can hold it."""
