"""Text on stdout in place of a message is called a print, and its cure is named."""

import pytest

from referee.match.faults import Fault, FaultCode
from referee.replay.dossier import Said
from referee.replay.offence import offences, quote_lines
from referee.replay.stray_print import cure_for, stray_print


@pytest.mark.parametrize(
    ("command", "cure"),
    [
        ("/usr/bin/python3.12 -u bots/my bot.py", "file=sys.stderr"),
        ("bot.py --fast", "file=sys.stderr"),
        ("node bot.mjs", "console.error"),
        ("java -jar target/bot.jar", "System.err"),
        ("perl bot.pl", "STDERR"),
        ("bash bot.sh", ">&2"),
        ("go run .", "os.Stderr"),
        ("cargo run --release", "eprintln!"),
        ("./bot", "fprintf(stderr"),
        ("./bot", "print(..., file=sys.stderr)"),
        ("", "console.error"),
        ("python 'unclosed", "file=sys.stderr"),
    ],
)
def test_the_cure_is_that_of_the_language(command: str, cure: str) -> None:
    assert cure in cure_for(command)


def test_only_text_in_place_of_a_message_is_a_print() -> None:
    answer, broken, text = (
        Said(1, "from", "act id=1"),
        Said(2, "from", '{"type":', 8, 8),
        Said(3, "from", "hi", 2, 0),
    )
    assert stray_print([answer], "python x.py") == ""
    assert stray_print([answer, broken], "python x.py") == ""
    assert "“hi” on stdout" in stray_print([broken, text], "python x.py")


@pytest.mark.parametrize(
    ("line", "is_print"),
    [
        ("{'turn': 3, 'hand': ['R1']}", True),
        ('{"eval": 3}', True),
        ("{}", True),
        ('{"type":"ask","match":"m-1","id":1}', True),
        ("{'type': 'ask', 'match': 'm-1'}", True),
        ("\ufeffhello", True),
        ("{'type': 'act', 'match': 'm-1', 'id': 1}", False),
        ('{"match":"m-1","id":1,"action":"draw"}', False),
        ('{"action": "draw"}', False),
        ('{"type":"play","match":"m-1"}', False),
        ('{type: "act"}', False),
        ('\ufeff{"type":"act","match":"m-1"}', False),
    ],
)
def test_a_printed_object_is_no_message_that_went_wrong(line: str, is_print: bool) -> None:
    assert bool(stray_print([Said(1, "from", line, len(line), 0)], "python x.py")) is is_print


def test_every_fault_of_a_message_gets_its_message_and_others_none() -> None:
    faults = [
        Fault(0, FaultCode.MALFORMED, "", 1, 1, False),
        Fault(0, FaultCode.LATE, "", 2, 2, False),
        Fault(0, FaultCode.MALFORMED, "", 3, 3, True),
    ]
    first, last = Said(1, "from", "one", 3, 0), Said(9, "from", "two", 3, 0)
    assert offences(faults, [first, Said(5, "from", "act"), last]) == {0: first, 2: last}
    assert offences(faults, [last]) == {2: last}


def test_a_quote_has_its_mark_below_it_and_fits_a_terminal() -> None:
    line = "x" * 200 + "!" + "y" * 200
    quoted, mark = quote_lines(Said(1, "from", line, 401, 200))
    assert quoted[mark.index("^")] == "!"
    assert max(len(quoted), len(mark)) <= 76
    assert quote_lines(Said(1, "from", "no mark", 7)) == ["no mark"]
