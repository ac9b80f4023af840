"""The end of a bot's stderr."""

LOG_BYTES = 65_536
"""How many bytes of a bot's stderr are kept."""


class StderrTail:
    """The end of what a bot wrote to its stderr, with a count of all of it."""

    def __init__(self) -> None:
        self._tail = b""
        self.written = 0
        self.dropped = 0

    def add(self, data: bytes, dropped: int = 0) -> None:
        """Add what the bot wrote; `dropped` bytes before it were lost."""
        if dropped:
            self.dropped += dropped
            data = b"[%d bytes were left out]\n" % dropped + data
        self._tail = (self._tail + data)[-LOG_BYTES:]
        self.written += len(data)

    def since(self, mark: int) -> str:
        """Return what came after `written` was at this mark, as far as it is kept."""
        length = min(self.written - mark, len(self._tail))
        return self._tail[len(self._tail) - length :].decode(errors="replace")
