"""Any bytes, read as a program: what is done next, with whom, with which text."""


class Program:
    """Choices out of bytes; when they are used up, every choice is the first one."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def __bool__(self) -> bool:
        return self._at < len(self._data)

    def below(self, n: int) -> int:
        """Return a number from 0 to n - 1."""
        self._at += 1
        return self._data[self._at - 1] % n if self._at <= len(self._data) else 0

    def number(self) -> int:
        """Return a small number, or one near a border."""
        kind = self.below(4)
        return (self.below(4), self.below(256), 2**31 + self.below(4), 2**53 - 1 - self.below(2))[kind]

    def bytes(self) -> bytes:
        """Return some of the data as it is."""
        length = self.below(64)
        if length == 63:
            length = 63 * 1100
        self._at += length
        return self._data[self._at - length : self._at].ljust(length if length > 63 else 0, b"[")

    def text(self) -> str:
        """Return some of the data as a text."""
        return self.bytes().decode("utf-8", "replace")

    def ascii(self) -> str:
        """Return a text such as may stand in an action: never empty, printable ASCII."""
        letters = (chr(0x20 + byte % 0x5F) for byte in self.bytes()[:256])
        return "".join(letters) or "?"
