"""Reports: JSON, CSV, and a page that hostile names cannot break."""

import csv
import io
import itertools
import json
import re
from collections.abc import Sequence
from functools import cache
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.tournaments.rows import contest, row
from tournaments.config.luck import LuckOrigin
from tournaments.rating.earlier_versions import with_earlier
from tournaments.rating.standings import RatingStep, Standings, stand
from tournaments.report import export
from tournaments.report.markup import render, source, templates
from tournaments.report.page import MOST_MATCHES, report_values
from tournaments.report.picture import COLOURS, error_bars, over_time, ticks
from tournaments.report.words import percent
from tournaments.results import Played

HOSTILE = '</title><script>alert("x")</script><img src=x onerror=alert(1)>\x00\u202e'
FORMULA = '=HYPERLINK("http://x",1)'


def stood(played: Sequence[Played], bots: Sequence[str] = "abc") -> Standings:
    return stand("evening", "coins", bots, played)


def page(played: Sequence[Played], bots: Sequence[str] = "abc", **terms: Any) -> "Page":
    return Page(export.html(stood(played, bots), played, **terms))


class Page(HTMLParser):
    """What a browser would see: tags in order, and texts by the tag they stand in."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.source = source
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.open: list[str] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(source)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((self.open[-1] if self.open else "", data))

    def of(self, tag: str) -> list[str]:
        return [data for inside, data in self.texts if inside == tag]

    def links(self) -> list[str]:
        return [value for name, value in self.attributes if name == "href"]


# Pieces.


def test_text_is_escaped_and_what_cannot_be_printed_is_spelled_out() -> None:
    link = templates().from_string('<a title="{{ title }}">{{ text }}</a>')
    shown = link.render(title='"><b>', text="<b>\"&'\x1b\u202e\ud800")
    assert shown == '<a title="&#34;&gt;&lt;b&gt;">&lt;b&gt;&#34;&amp;&#39;\\x1b\\u202e\\ud800</a>'


def test_only_style_and_script_are_not_escaped() -> None:
    names = [name for name in templates().list_templates() if name.endswith((".html", ".svg"))]
    assert names == [
        *("bracket.html", "error_bars.svg", "event_parts.html", "event_report.html", "match.html"),
        *("over_time.svg", "parts.html", "report.html", "report_body.html"),
    ]
    for name in names:
        text = source(name)
        assert "autoescape" not in text
        assert set(re.findall(r"\w+(?=\s*\|\s*safe)", text)) <= {"style", "script"}


@given(st.floats(-5000, 5000, allow_subnormal=False), st.floats(0, 3000), st.integers(3, 9))
def test_ticks_are_round_and_enclose_what_is_shown(low: float, span: float, most: int) -> None:
    marks = ticks(low, low + span, most)
    assert marks[0] <= low
    assert marks[-1] >= low + span
    assert len(marks) <= most + 3
    assert len({b - a for a, b in itertools.pairwise(marks)}) <= 1


def test_a_likelihood_is_never_printed_as_certain() -> None:
    assert [percent(share) for share in (0.0, 0.5, 1.0)] == ["under 0.1 %", "50.0 %", "over 99.9 %"]


def test_the_picture_has_its_numbers_as_text_for_screen_readers() -> None:
    picture = render("error_bars.svg", bars=error_bars(stood(contest("ab", 30), "ab").table))
    label = picture.partition('aria-label="')[2].partition('"')[0]
    assert label.startswith("Ratings with 95 % intervals: a 15")
    assert "±" in label
    assert picture.count('class="bar"') == 6
    assert 'role="img"' in picture


def test_long_names_that_differ_at_their_ends_differ_in_the_picture() -> None:
    names = [f"a-name-of-a-bot-that-is-long-{number}" for number in (1, 2)]
    picture = render("error_bars.svg", bars=error_bars(stood(contest(names, 30), names).table))
    shown = re.findall(r'class="name">([^<]*)<', picture)
    assert len(set(shown)) == 2
    assert {len(name) for name in shown} == {26}


def test_a_bot_with_too_few_blocks_has_a_hollow_dot_and_no_bar() -> None:
    picture = render("error_bars.svg", bars=error_bars(stood(contest("ab", 5), "ab").table))
    assert picture.count("dot hollow") == 2
    assert 'class="bar"' not in picture
    assert "too few" in picture


def test_the_pictures_of_a_ladder_have_the_versions_of_its_table() -> None:
    played = contest("abc", 5)
    standings = with_earlier(stood(played, "abc"), ["b"])
    steps = [RatingStep(at, dict.fromkeys("abc", 1500.0)) for at in (1, 2)]
    values: Any = report_values(standings, played, steps, lambda _: "", None, None)
    assert {bar.name for bar in values["bars"].bars} == {"a", "c"}
    assert [line.name for line in values["drawn"]] == ["a", "c"]


def test_there_is_no_picture_of_nothing() -> None:
    assert error_bars(stood([]).table) is None
    assert over_time([], "abc") is None
    assert over_time([RatingStep(3, {"a": 1500.0})], "a") is None


def test_lines_over_time_differ_in_colour_or_dash() -> None:
    names = [f"bot{n}" for n in range(2 * COLOURS)]
    steps = [RatingStep(blocks, {name: 1500.0 + n for n, name in enumerate(names)}) for blocks in (1, 2)]
    lines = render("over_time.svg", course=over_time(steps, names)).split("<polyline")[1:]
    looks = {line.partition('class="')[2].partition(" vector-effect")[0] for line in lines}
    assert len(looks) == len(names)


# The page.


def test_the_page_has_every_section() -> None:
    played = contest("abc", 31, fault=0.05)
    assert page(played).of("h2") == [
        "Standings",
        "Without forfeited matches",
        "How sure is the order?",
        "Cross table",
        "Does one number describe the bots?",
        "Head to head",
        "Seats, draws and mirroring",
        "Elo over time",
        "Faults",
        "Matches",
        "Time",
        "How to read this page",
    ]


def test_the_page_of_a_tournament_that_has_not_begun_is_a_page() -> None:
    assert page([]).of("h2") == ["Standings", "Faults", "Time", "How to read this page"]


def test_a_cycle_is_named_on_top_and_its_pairs_are_listed() -> None:
    played = [
        row(bots, (1, 2), match=f"{bots}{n}", block=f"{bots}{n}", deal=f"{bots}{n}")
        for n in range(12)
        for bots in ("ab", "bc", "ca")
    ]
    shown = page(played)
    assert any("Mind that Elo is only a summary" in said for said in shown.of("p"))
    assert "a beats b beats c beats a (100 %, 100 %, 100 %)" in shown.of("li")


def test_the_page_reports_drift_hosts_and_what_mirroring_gained() -> None:
    ladder = [row("ab", (1, 2) if n % 3 else (2, 1), match=f"m{n:03}", round=n) for n in range(120)]
    hosts = {match.match: ("x", "y")[n % 2] for n, match in enumerate(ladder)}
    standings = stand("evening", "coins", "ab", ladder, None, (), hosts)
    shown = Page(export.html(standings, ladder))
    assert {"Does a bot change?", "Do hosts matter?"} <= set(shown.of("h2"))
    assert any("No deal was played in all rotations" in said for said in shown.of("p"))
    mirrored = [
        row(bots, ranks, match=f"{n}{bots}", block=f"{n}", deal=f"{n}")
        for n in range(40)
        for bots, ranks in (("ab", (1, 2) if n % 2 else (2, 1)), ("ba", (1, 2) if n % 2 else (2, 1)))
    ]
    assert any("gained precision here" in said for said in page(mirrored, "ab").of("p"))


def test_large_fields_have_their_likelihoods_in_csv_only() -> None:
    bots = [f"b{number:02}" for number in range(41)]
    standings = stood(contest(bots, 1), bots)
    assert "Likelihood of superiority" not in Page(export.html(standings, [])).of("caption")
    lines = list(csv.DictReader(io.StringIO(export.pairs_csv(standings), newline="")))
    assert len(lines) == 41 * 40 // 2
    assert {(line["bot"], line["other"]) for line in lines} == set(itertools.combinations(bots, 2))
    assert all(int(line["blocks_0"]) + int(line["blocks_1"]) + int(line["blocks_2"]) == 1 for line in lines)


def test_hostile_names_stay_text() -> None:
    plain = page([*contest("ab", 3), row("ab", (2, 1), faults=("late", ""))], "ab")
    names = [HOSTILE, "b"]
    played = [*contest(names, 3), row(names, (2, 1), faults=("late", ""))]
    hostile = Page(export.html(stand(HOSTILE, "coins", names, played), played))
    assert hostile.tags == plain.tags
    assert HOSTILE[:-2] + "\\x00\\u202e" in hostile.of("bdi")
    assert HOSTILE not in hostile.source


@cache
def plain_tags() -> list[str]:
    return page([row("ab", (1, 2), match="m")], "ab").tags


@given(st.lists(st.text(min_size=1, max_size=12), min_size=2, max_size=2, unique=True))
def test_no_name_changes_the_structure_of_the_page(names: list[str]) -> None:
    assert page([row(names, (1, 2), match="m", replay=names[0])], names).tags == plain_tags()


def test_links_lead_to_pages_of_matches_and_are_quoted() -> None:
    played = [row("ab", (1, 2), match="m")]
    address = 'javascript:alert("1") é.html'
    assert page(played, "ab", pages={"m": address}).links() == [
        "javascript%3Aalert%28%221%22%29%20%C3%A9.html"
    ]
    # A replay is for programs: no link leads to it, but the command that shows it is there.
    assert page(played, "ab").links() == []
    assert "referee replay show re plays/m.jsonl" in page(played, "ab", replays="re plays").of("code")
    assert page([row("ab", (1, 2), replay="")], "ab").of("code") == []


def test_a_match_lost_by_a_fault_is_linked_with_its_code() -> None:
    shown = page(
        [row("ab", (2, 1), match="m-1", faults=("crashed", "")), row("ba", (1, 2), match="m-2")],
        "ab",
        pages={"m-1": "p/m-1.html", "m-2": "p/m-2.html"},
    )
    assert shown.links() == ["p/m-1.html", "p/m-1.html", "p/m-2.html"]
    assert " 8 (crashed)" in shown.of("td")
    assert "crashed: the bot ended its process in mid-match." in shown.of("p")


def test_very_many_matches_are_not_all_listed_but_counted() -> None:
    played = [row("ab", (1, 2), match=f"m{n}") for n in range(MOST_MATCHES + 5)]
    shown = page(played, "ab", pages={one.match: f"{one.match}.html" for one in played})
    assert len(shown.links()) == MOST_MATCHES
    assert "5 more are in the CSV table of matches." in shown.of("p")


def test_groups_that_never_met_are_named_on_top() -> None:
    shown = page([row("ab", (1, 2)), row("cd", (1, 2))], "abcd")
    assert any("cannot be compared: a, b; c, d" in said for said in shown.of("p"))


def test_a_note_lists_few_groups_and_counts_the_others() -> None:
    pairs = [f"{number}a,{number}b".split(",") for number in range(10)]
    bots = [bot for pair in pairs for bot in pair]
    (groups, *sides) = stood([row(pair, (1, 2)) for pair in pairs], bots).notes
    assert groups.endswith("compared: 0a, 0b; 1a, 1b; 2a, 2b; and 7 more groups of 14 bots")
    assert len(sides) == 4
    assert sides[-1] == "the same holds in 7 more groups"
    many = [f"b{number}" for number in range(9)]
    (note,) = stood([*contest(many, 1), row("yz", (1, 1))], [*many, *"yz"]).notes[:1]
    assert note.endswith("compared: b0, b1, b2, b3, b4, b5 and 3 more; y, z")


def test_the_cross_table_says_how_often_two_bots_were_compared() -> None:
    assert "compared 8 times." in "".join(page(contest("abc", 4)).of("p"))
    more = [*contest("abc", 4), row("ab", (1, 2))]
    assert "compared 8 to 9 times." in "".join(page(more).of("p"))


def test_the_page_reports_of_every_bot_whether_it_remembers_deals() -> None:
    played = [
        row(bots, (2, 1), match=f"{n}-{bots}", block=f"{n}", deal=f"{n}")
        for n in range(12)
        for bots in ("ab", "ba")
    ]
    standings = stand("evening", "coins", "ab", played, order=[one.match for one in played])
    shown = Page(export.html(standings, played))
    assert "Does a bot remember deals?" in shown.of("h2")
    assert any(said.startswith("Warning: bot a seems to remember deals") for said in shown.of("p"))
    assert [cell for cell in shown.of("td") if cell in ("yes", "no")] == ["yes", "no"]
    assert "Does a bot remember deals?" not in page(played, "ab").of("h2")


def test_the_page_asks_for_nothing_and_forbids_it_too() -> None:
    shown = page(contest("abc", 31))
    policy = next(value for _, value in shown.attributes if value.startswith("default-src"))
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    asking = {"src", "srcset", "action", "data", "poster", "style"}
    assert not asking & {name for name, _ in shown.attributes}
    assert not {"link", "img", "iframe", "object", "base"} & set(shown.tags)
    assert "http" not in shown.source.replace("http-equiv", "")


def test_a_live_page_loads_itself_again() -> None:
    assert '<meta http-equiv="refresh" content="30"/>' in export.html(stood([]), [], refresh_s=30)
    assert "refresh" not in export.html(stood([]), [])


# Files for programs.


def test_the_document_keeps_what_was_measured_apart() -> None:
    slow, fast = (contest("abc", 4, charged_ms=used) for used in (800, 2))
    documents = [json.loads(export.json(stood(played), played)) for played in (slow, fast)]
    measured = [document.pop("measured") for document in documents]
    assert documents[0] == documents[1]
    assert measured[0] != measured[1]
    assert measured[0]["time"][0] == {
        "name": documents[0]["standings"]["table"][0]["name"],
        "matches": 16,
        "charged_ms": 800 * 16,
        "took_us": 40_000 * 16,
        "median_us": 10_000,
        "slowest_us": 20_000,
    }
    assert {line["name"] for line in documents[0]["standings"]["table"]} == set("abc")


def test_canonical_json_has_sorted_keys_and_no_spaces() -> None:
    written = export.standings_json(stood(contest("abc", 4)))
    assert written == json.dumps(json.loads(written), sort_keys=True, separators=(",", ":")).encode()


@pytest.mark.parametrize("name", ['quo"te', "com,ma", "new\r\nline", " space ", "ünï"])
def test_csv_comes_back_as_it_was(name: str) -> None:
    played = contest([name, "b"], 31)
    lines = list(csv.DictReader(io.StringIO(export.standings_csv(stood(played, [name, "b"])), newline="")))
    assert [line["bot"] for line in lines] == [name, "b"]
    assert float(lines[0]["low"]) < float(lines[0]["elo"]) < float(lines[0]["high"])
    seats = list(csv.DictReader(io.StringIO(export.matches_csv(played), newline="")))
    assert len(seats) == 2 * len(played)
    assert {(line["match"], line["seat"]) for line in seats} == {
        (match.match, str(seat)) for match in played for seat in (0, 1)
    }


def test_csv_lines_end_as_the_standard_says_and_have_equally_many_cells() -> None:
    written = export.standings_csv(stood(contest("abc", 31, fault=0.2)))
    assert written.endswith("\r\n")
    assert written.count("\n") == written.count("\r\n") == 4
    assert len({len(line) for line in csv.reader(io.StringIO(written, newline=""))}) == 1
    heads = written.splitlines()[0]
    assert heads.startswith("place,place_to,pool,bot,elo,")
    assert heads.endswith(
        "later_percent,memory_p,memory_named,nash,nash_elo,alpha_rank,swiss_points,buchholz,head_to_head,rests,"
        "out_in_round,by_lot,version,left_out,authors,fault_crashed,fault_late"
    )


def test_no_spreadsheet_takes_a_name_for_a_formula() -> None:
    played = contest([FORMULA, "b"], 2)
    for written in (export.standings_csv(stood(played, [FORMULA, "b"])), export.matches_csv(played)):
        cells = [cell for line in csv.reader(io.StringIO(written, newline="")) for cell in line]
        assert "'" + FORMULA in cells
        assert FORMULA not in cells


# Who chose the luck.


def test_a_report_without_a_beacon_says_that_the_operator_chose_the_luck() -> None:
    shown = page(contest("abc", 2), luck=LuckOrigin())
    assert ("h2", "Who chose the luck?") in shown.texts
    assert any("The operator chose the seed" in text for _, text in shown.texts)
    assert "beacon" not in shown.source.lower()


def test_a_report_of_a_ladder_says_nothing_of_luck() -> None:
    assert "luck" not in page(contest("abc", 2)).source


def test_a_report_with_a_beacon_shows_the_published_parts_and_no_markup_of_theirs() -> None:
    origin = LuckOrigin(
        ("operator", "beacon", "entrants"),
        beacon=HOSTILE,
        value=f"9f3e{HOSTILE}",
        commitment="c0" * 32,
        plan_hash="b1" * 32,
        fingerprint="f2" * 32,
        texts={"a": f"seven hens {HOSTILE}"},
    )
    shown, plain = page(contest("abc", 2), luck=origin), page(contest("abc", 2), luck=LuckOrigin())
    assert {"script", "img"} & set(shown.tags) == {"script", "img"} & set(plain.tags)
    assert shown.tags.count("script") == plain.tags.count("script")
    texts = [text for _, text in shown.texts]
    for part in ("c0" * 32, "b1" * 32, "f2" * 32):
        assert part in texts
    assert any(text.startswith("seven hens") for text in texts)
    assert any(text.startswith("9f3e") for text in texts)


def test_a_report_before_the_reveal_says_what_is_not_known() -> None:
    texts = [text for _, text in page([], luck=LuckOrigin(("operator", "beacon"), beacon="lottery")).texts]
    assert {"lottery", "not known yet", "none yet"} <= set(texts)
    assert any(text.startswith("It is not drawn yet.") for text in texts)
