"""The data of a site: versions, and columns that the scripts read."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.tournaments.rows import contest, row
from tests.unit.tournaments.site.events_in_files import plan_in, play
from tournaments.pairing.schedule import fixtures
from tournaments.site.data import data_paths, render_data
from tournaments.site.events import rows_event, tournament_event
from tournaments.store.store import Store

EVENT = rows_event("play", "coins", contest(["a", "b", "c"], 3, fault=0.2))


def test_every_document_has_its_version() -> None:
    documents = [path for path in data_paths(EVENT) if path.endswith(".json")]
    assert len(documents) == 3
    for path in documents:
        assert json.loads(render_data(EVENT, path))["version"] == 1


def columns() -> dict[str, Any]:
    script = render_data(EVENT, "data/matches.js").decode()
    assert script.startswith("refereeMatches({")
    found = json.loads(script.removeprefix("refereeMatches(").removesuffix(");\n"))
    assert isinstance(found, dict)
    return found


def test_the_columns_say_what_the_rows_say() -> None:
    found = columns()
    bots = found["bots"]
    for number, match in enumerate(EVENT.played):
        assert found["ids"][number] == match.match
        assert [bots[bot] for bot in found["seats"][number]] == list(match.bots)
        codes = found["faults"][number] or [0] * len(match.bots)
        assert [found["codes"][code] for code in codes] == list(match.result.faults)
    assert found["shown"] == [0] * len(EVENT.played)


@pytest.mark.parametrize("path", [path for path in data_paths(EVENT) if path.endswith(".csv")])
def test_tables_are_csv(path: str) -> None:
    rows = list(csv.reader(io.StringIO(render_data(EVENT, path).decode())))
    assert len({len(row) for row in rows}) == 1
    assert len(rows) > 3


def test_documents_say_which_replays_are_withheld(tmp_path: Path) -> None:
    plan = plan_in(tmp_path)
    play(plan, fixtures(plan)[:-1])
    with Store(plan.store, write=False) as store:
        event = tournament_event(plan, store)
    found = json.loads(render_data(event, "data/matches.json"))["matches"]
    assert sorted(match["replay"] for match in found) == ["shown"] * 4 + ["withheld"]


def test_the_reason_of_a_void_match_is_in_no_file() -> None:
    event = rows_event(
        "play", "coins", [row("ab", (1, 2)), row("ba", (1, 1), void=True, reason="s3cret", match="v")]
    )
    assert all(b"s3cret" not in render_data(event, path) for path in data_paths(event))
