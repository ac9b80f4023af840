"""Addresses of stores: files and URLs of databases, whose passwords are never shown."""

from pathlib import Path

import pytest

from referee.errors import ConfigError
from tournaments.config.mistakes import PlanError
from tournaments.config.plan import load
from tournaments.config.store_address import (
    Address,
    DatabaseUrl,
    database_url,
    schema_name,
    store_address,
    whole_text,
)
from tournaments.event_file import plans_of

SECRET = "s3cr3t-w0rd"
BOTS = '[[bots]]\nname = "ann"\nsample = "first"\n[[bots]]\nname = "bob"\nsample = "random"\n'


def stores(folder: Path, text: str) -> list[Address]:
    path = folder / "Spring Cup.toml"
    path.write_text(f'seed = "s3"\nformat = "round-robin"\nblocks = 1\n{text}\n{BOTS}')
    return [plan.store for plan in plans_of(path)]


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg"])
def test_all_usual_beginnings_of_a_url_mean_the_same(scheme: str) -> None:
    assert database_url(f"{scheme}://me@host/db?schema=cup") == DatabaseUrl("postgresql://me@host/db", "cup")


@pytest.mark.parametrize(
    "text",
    [
        f"postgresql://me:{SECRET}@host/db?schema=cup",
        f"postgresql://me:x%40{SECRET}@host/db?schema=cup",
        f"postgresql:///db?host=/tmp&user=me&password={SECRET}&schema=cup",
        f"postgresql:///db?sslpassword={SECRET}&schema=cup",
    ],
)
def test_a_password_is_masked_wherever_it_is_in_the_url(text: str) -> None:
    url = database_url(text)
    assert SECRET in url.url
    for shown in (str(url), repr(url), f"{url}", repr([url]), url.without_secrets(f"bad URL: {url.url}")):
        assert SECRET not in shown
        assert "***" in shown


def test_another_process_of_ours_gets_the_whole_address(tmp_path: Path) -> None:
    url = database_url(f"postgresql://me:{SECRET}@host/db?host=/tmp/x&schema=cup")
    assert store_address(whole_text(url), tmp_path) == url
    assert store_address(whole_text(tmp_path / "a.db"), Path("/")) == tmp_path / "a.db"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (f"mysql://me:{SECRET}@host/db", "begins with postgresql://, not mysql://"),
        (f"postgresql://me:a/{SECRET}@host/db", "write % / "),
        (f"postgresql://me:a?{SECRET}@host/db", "write % / "),
        (f"postgresql://me:a#{SECRET}@host/db", "write % / "),
        (f"postgresql://me:{SECRET}@host/db", "which store of this database"),
        (f"postgresql://me:{SECRET}@host/db?schema=Cup;drop", "cannot be the schema"),
        (f"postgresql://me:{SECRET}@host/db?schema=pg_cup", "cannot be the schema"),
        (f"postgresql://me:{SECRET}@host/db?schema=", "which store of this database"),
    ],
)
def test_a_url_that_cannot_be_is_refused_without_its_password(text: str, why: str) -> None:
    with pytest.raises(ConfigError) as caught:
        database_url(text)
    assert why in str(caught.value)
    assert SECRET not in str(caught.value)


def test_the_schema_is_named_after_the_file_of_the_event(tmp_path: Path) -> None:
    text = 'game = "coins"\nstore = "postgresql://me@host/db"'
    assert stores(tmp_path, text) == [DatabaseUrl("postgresql://me@host/db", "spring_cup")]
    named = 'game = "coins"\nstore = "postgresql://me@host/db?schema=mine"'
    assert stores(tmp_path, named) == [DatabaseUrl("postgresql://me@host/db", "mine")]


def test_every_part_of_an_event_has_a_schema_of_its_own(tmp_path: Path) -> None:
    games = '[[games]]\nname = "Two"\ngame = "coins"\n[[games]]\nname = "More"\ngame = "coins"'
    found = stores(tmp_path, f'store = "postgresql://me@host/db"\n{games}')
    assert [url.schema for url in found if isinstance(url, DatabaseUrl)] == [
        "spring_cup_two",
        "spring_cup_more",
    ]


def test_files_of_an_event_in_a_database_are_beside_its_tournament_file(tmp_path: Path) -> None:
    stores(tmp_path, 'game = "coins"\nstore = "postgresql://me@host/db"')
    plan = load(tmp_path / "Spring Cup.toml")
    assert plan.store_file == tmp_path / "Spring Cup.sqlite"
    assert plan.bundles == tmp_path / "Spring Cup-bots"


def test_a_url_that_cannot_be_is_a_mistake_of_the_file_with_its_line(tmp_path: Path) -> None:
    games = '[[games]]\nname = "Two"\ngame = "coins"\n[[games]]\nname = "More"\ngame = "coins"'
    for rest in ('game = "coins"', games):
        with pytest.raises(PlanError, match=r"Cup\.toml:4: store: .*small letters") as caught:
            stores(tmp_path, f'store = "postgresql://me:{SECRET}@host/db?schema=A-B"\n{rest}')
        assert SECRET not in str(caught.value)


def test_names_of_schemas_are_short_and_clean_and_differ() -> None:
    long = "x" * 80
    assert len({schema_name(long + "1"), schema_name(long + "2")}) == 2
    for stem in (long, "pg_cup", "2026", "information_schema", "Ünder", "a;b", ""):
        assert database_url("postgresql:///db", schema_name(stem)).schema == schema_name(stem)
