"""A match as one seat saw it: from a seat file, or from a replay that knows more."""

from pathlib import Path

import referee
from referee.player.frames import frames
from referee.replay.files import read
from referee.replay.position import check_own_seat, seat_of_replay
from referee.replay.seat_file import (
    SeatFile,
    is_seat_file,
    read_seat_file,
    seat_file_bytes,
    seat_file_of,
)


def seat_track(path: Path, seat: str | None) -> SeatFile:
    """Return what a seat saw; it need not be given for a seat file, which has one.

    Raises RecordError for a file that cannot be used, ConfigError for a seat it does not have.
    """
    if is_seat_file(path):
        file = read_seat_file(path)
        check_own_seat(path, file, seat)
        return file
    replay = read(path)
    own = seat_of_replay(path, replay, seat)
    header = replay.header
    document = frames(replay, [str(own)])
    data = seat_file_bytes(own, header.clock_of(own), header.strikes, document, referee.version())
    return seat_file_of(data, path)
