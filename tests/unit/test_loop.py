"""The loop: what is said is sent before anybody waits."""

import os

from referee.loop import Loop


class Speaker:
    """Has something to say into a pipe."""

    def __init__(self, pipe: int) -> None:
        self.pipe = pipe

    def flush(self) -> None:
        os.write(self.pipe, b"said")


def test_what_is_said_between_two_turns_does_not_wait_for_the_end_of_the_next() -> None:
    loop = Loop()
    reading, writing = os.pipe()
    heard: list[bytes] = []
    loop.watch(reading, lambda: heard.append(os.read(reading, 9)))
    loop.dirty[Speaker(writing)] = None
    loop.turn(1_000_000_000)
    assert heard == [b"said"]
    loop.forget(reading)
    loop.close()
    os.close(reading)
    os.close(writing)
