"""The archivist: whatever goes wrong with what it is told to keep, whoever waits for it hears of it."""

from collections.abc import Sequence

import pytest

from referee import registry
from referee.archive import Archivist, Filed, Filing
from referee.chance import deal_key
from referee.errors import RefereeError
from referee.table import Finished, Pairing, void_result


def filing() -> Filing:
    pairing = Pairing("m1", registry.game("coins"), ("ada", "bob"), deal_key("archive", "1"))
    return Filing(Finished(pairing, void_result(pairing), "", None, None), [], None)


@pytest.mark.parametrize("error", [RefereeError("no room"), OSError("no room"), ZeroDivisionError("no room")])
def test_what_cannot_be_kept_is_told_whatever_the_reason(error: Exception) -> None:
    heard: list[Filed] = []

    def keep(matches: Sequence[Finished]) -> None:
        raise error

    archivist = Archivist(compress=False, keep=keep, done=heard.append)
    archivist.file(filing())
    archivist.close()
    ((finished, trouble),) = heard[0]
    assert finished.result.match == "m1"
    assert isinstance(trouble, RefereeError)
    assert "no room" in str(trouble)
