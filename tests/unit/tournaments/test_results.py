"""The rows of matches: on which hosts they were played."""

from tests.unit.tournaments.rows import row
from tournaments.results import hosts_of


def test_hosts_are_named_for_each_match_if_there_are_several() -> None:
    one, two, three = (
        row("ab", (1, 2), match=f"m-{n}", host=host, speed=800.0)
        for n, host in enumerate(["ada", "bob", "ada"])
    )
    assert hosts_of([one, two, three]) == {"m-0": "ada", "m-1": "bob", "m-2": "ada"}
    assert hosts_of([one, three]) == {}
    assert hosts_of([]) == {}


def test_documents_do_not_name_the_organisers_hosts() -> None:
    document = row("ab", (1, 2), host="ada", speed=800.0).document()
    assert not {"host", "speed"} & document.keys()
