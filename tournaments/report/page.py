"""The page of a tournament, section by section. Bots' names are hostile text: see `markup`."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import quote

from referee.match.faults import MEANING, FaultCode
from tournaments.rating.standings import Meeting, RatingStep, StandingLine, Standings, Time
from tournaments.report.markup import NOTHING, Markup, bot, element, join, text
from tournaments.report.picture import error_bars, over_time, swatch, told_interval, told_rating
from tournaments.results import Played
from tournaments.store.chain import Head

MOST_MATCHES = 1_000
"""Matches that are listed; all of them are in the table of matches as CSV."""

MOST_LINES = 12
"""Bots whose rating is drawn over time."""

MOST_CROSSED = 40
"""Bots in the cross table."""

_COMMA = Markup(", ")


class Cell:
    """A cell of a table: what it shows, and how."""

    def __init__(self, shown: Markup, class_: str | None = None, key: float | str | None = None) -> None:
        """Make a cell; `key` is what the column is sorted by, if not by what it shows."""
        self.shown, self.class_, self.key = shown, class_, key


def _number(shown: object, key: float | None = None) -> Cell:
    return Cell(text(shown), "number", key)


def table(
    caption: str, heads: Sequence[str], rows: Iterable[Sequence[Cell]], *, sortable: bool = False
) -> Markup:
    """Return a table that scrolls by itself if it is too wide; the first column heads the rows."""
    body = list(rows)
    classes = [cell.class_ for cell in body[0]] if body else [None] * len(heads)
    top = [
        element("th", text(head), scope="col", class_=_align(class_))
        for head, class_ in zip(heads, classes, strict=True)
    ]
    lines = [
        element(
            "tr",
            element("th", row[0].shown, scope="row", class_=row[0].class_, data_key=row[0].key),
            *(element("td", cell.shown, class_=cell.class_, data_key=cell.key) for cell in row[1:]),
        )
        for row in body
    ]
    whole = element(
        "table",
        element("caption", text(caption)),
        element("thead", element("tr", *top)),
        element("tbody", *lines),
        class_="sortable" if sortable else None,
    )
    return element("div", whole, class_="scroll", tabindex=0, role="region", aria_label=caption)


def _align(class_: str | None) -> str | None:
    """Return the part of a cell's class that the head of its column shares."""
    first = (class_ or "").split(" ")[0]
    return first if first in ("number", "cell") else None


def section(title: str, *content: Markup) -> Markup:
    """Return a part of the page, or nothing if there is nothing in it."""
    inside = join(content)
    return element("section", element("h2", text(title)), inside) if inside else NOTHING


def _paragraph(said: str, class_: str | None = None) -> Markup:
    return element("p", text(said), class_=class_)


def heading(standings: Standings) -> Markup:
    """Return the top of the page, with a warning of whatever makes ratings doubtful."""
    gauge = f"{standings.anchor} is fixed at 1500" if standings.anchor else "the mean of all bots is 1500"
    facts = (
        f"{standings.game}: {len(standings.table)} bots, {standings.matches} matches in "
        f"{standings.blocks} blocks. Ratings are on the Elo scale; {gauge}."
    )
    parts = [element("h1", text(standings.name)), _paragraph(facts, "lede")]
    parts += [_paragraph(f"Mind that {note}.", "warn") for note in standings.notes]
    return element("header", *parts)


def ratings(standings: Standings) -> Markup:
    """Return the standings as a picture and as a table."""
    picture = error_bars(standings.table)
    caption = (
        "Rating and 95 % interval. A hollow dot stands for too few blocks (under 30) to give an interval."
    )
    figure = element("figure", picture, element("figcaption", text(caption))) if picture else NOTHING
    return section("Standings", figure, _standings("Standings", standings.table))


def fair(standings: Standings) -> Markup:
    """Return the second table, or nothing if no match was forfeited."""
    if not standings.forfeited:
        return NOTHING
    count = "1 match was" if standings.forfeited == 1 else f"{standings.forfeited} matches were"
    said = f"{count} lost by a fault. This is the table as if they had not been played."
    title = "Without forfeited matches"
    return section(title, _paragraph(said), _standings(title, standings.without_forfeits))


_HEADS = ("Bot", "Rating", "95 %", "Points", "Score %", "W / D / L", "Matches", "Blocks", "Faults")


def _standings(caption: str, lines: Sequence[StandingLine]) -> Markup:
    return table(caption, _HEADS, itertools.starmap(_standing, enumerate(lines, 1)), sortable=True)


def _standing(place: int, line: StandingLine) -> list[Cell]:
    faults = ", ".join(f"{count} {code}" for code, count in line.faults.items())
    return [
        Cell(_numbered(place, line.name), key=place),
        _number("none" if line.elo is None else f"{line.elo:.0f}", -9e9 if line.elo is None else line.elo),
        _number(told_interval(line), -9e9 if line.interval is None else line.interval[0]),
        _number(f"{line.points:g}"),
        _number(f"{line.percent:.1f}"),
        _number(f"{line.wins} / {line.draws} / {line.losses}", line.wins),
        _number(line.matches),
        _number(line.blocks),
        Cell(text(faults or "none"), "wide", sum(line.faults.values())),
    ]


def _numbered(place: int, name: str) -> Markup:
    return join((text(f"{place}. "), bot(name)))


def neighbours(standings: Standings) -> Markup:
    """Return how sure it is that each bot is better than the next."""
    if not standings.gaps:
        return NOTHING
    said = (
        "How much each bot is ahead of the next, with the error of that difference (which is not that of the "
        "two ratings), and how likely it is the better one."
    )
    rows = [
        [
            Cell(join((bot(gap.name), text(" over "), bot(gap.other)))),
            _number(f"{gap.elo:+.0f}"),
            _number("too few" if gap.se is None else f"± {gap.se:.0f}"),
            _number("too few" if gap.superior is None else percent(gap.superior)),
        ]
        for gap in standings.gaps
    ]
    heads = ("Neighbours", "Elo", "Standard error", "Likelihood of superiority")
    return section("How sure is the order?", _paragraph(said), table("Neighbours", heads, rows))


def percent(share: float) -> str:
    """Return a likelihood in percent; never 100, for nothing is that sure.

    >>> percent(0.8312), percent(0.99999)
    ('83.1 %', 'over 99.9 %')
    """
    if share > 0.999:
        return "over 99.9 %"
    return "under 0.1 %" if share < 0.001 else f"{100 * share:.1f} %"


def cross(standings: Standings) -> Markup:
    """Return the cross table: who scored what against whom."""
    names = [line.name for line in standings.table][:MOST_CROSSED]
    if not any(standings.cross.values()):
        return NOTHING
    heads = ["Bot", *(str(place) for place in range(1, len(names) + 1))]
    rows = [
        [
            Cell(_numbered(place, name)),
            *(_meeting(standings.cross[name].get(other), name == other) for other in names),
        ]
        for place, name in enumerate(names, 1)
    ]
    said = (
        "Percent of the comparisons that the bot of the row won against the bot of the column (a draw is "
        "half), and how many there were."
    )
    if len(names) < len(standings.table):
        said += f" Only the first {len(names)} bots are shown."
    return section("Cross table", _paragraph(said), table("Cross table", heads, rows))


def _meeting(meeting: Meeting | None, same: bool) -> Cell:
    if same:
        return Cell(text("·"), "cell self")
    if meeting is None:
        return Cell(text("-"), "cell")
    tint = "" if meeting.percent == 50 else f" g{1 + min(3, int(meeting.percent // 25))}"
    small = element("span", text(f"of {meeting.compared}"), class_="small")
    told = f"{meeting.wins} won, {meeting.draws} drawn, {meeting.losses} lost"
    shown = element("span", text(f"{meeting.percent:.0f} "), small, title=told)
    return Cell(shown, f"cell{tint}")


def past(steps: Sequence[RatingStep], standings: Standings) -> Markup:
    """Return how the ratings came about."""
    rated = [line.name for line in standings.table if line.elo is not None]
    names = rated[:MOST_LINES]
    picture = over_time(steps, names)
    if not picture:
        return NOTHING
    last = {line.name: line for line in standings.table}
    legend = element(
        "ul",
        *(
            element("li", swatch(n), text(f"{n + 1}. "), bot(name), text(f" {told_rating(last[name])}"))
            for n, name in enumerate(names)
        ),
        class_="legend",
    )
    said = "Rating after so many blocks, in the order of the schedule."
    if len(names) < len(rated):
        said += f" The first {len(names)} bots are shown."
    caption = element("figcaption", text(said))
    return section("Elo over time", element("figure", picture, legend, caption))


def faults(standings: Standings, played: Sequence[Played], replays: str) -> Markup:
    """Return who lost by which fault, and where to look."""
    if not standings.forfeited:
        return section("Faults", _paragraph("No match was lost by a fault."))
    codes = sorted({code for line in standings.table for code in line.faults})
    rows = [
        [Cell(bot(line.name)), *(_number(line.faults.get(code, 0)) for code in codes)]
        for line in standings.table
        if line.faults
    ]
    meanings = [f"{code}: {_meaning(code)}." for code in codes]
    lost = [match for match in played if any(match.result.faults)]
    listed = _details("Matches lost by a fault", lost, replays)
    return section(
        "Faults",
        table("Faults", ["Bot", *codes], rows, sortable=True),
        _paragraph(" ".join(meanings), "fine"),
        listed,
    )


def _meaning(code: str) -> str:
    return f"the bot {MEANING[FaultCode(code)]}"


def matches(played: Sequence[Played], replays: str) -> Markup:
    """Return all matches with links to their replays."""
    return (
        section("Matches", _details("All matches and their replays", played, replays)) if played else NOTHING
    )


def _details(title: str, played: Sequence[Played], replays: str) -> Markup:
    rows = [
        [
            Cell(_replay(match, replays)),
            Cell(join(_order(match), _COMMA), "wide"),
            Cell(text(match.result.reason), "wide"),
            _number(match.result.decisions),
        ]
        for match in itertools.islice(played, MOST_MATCHES)
    ]
    heads = ("Replay", "Result: rank, bot, score", "How it ended", "Actions")
    more = len(played) - len(rows)
    note = _paragraph(f"{more} more are in the CSV table of matches.", "fine") if more > 0 else NOTHING
    summary = element("summary", text(f"{title} ({len(played)})"))
    return element("details", summary, table(title, heads, rows, sortable=True), note)


def _replay(match: Played, replays: str) -> Markup:
    if not match.replay:
        return text(match.match)
    prefix = f"{replays}/" if replays else ""
    return element("a", text(match.match), href=quote(f"{prefix}{match.replay}"))


def _order(match: Played) -> Iterable[Markup]:
    for name, seat in sorted(match.seats(), key=lambda pair: pair[1].rank):
        fault = text(f" ({seat.fault})") if seat.fault else NOTHING
        yield join((text(f"{seat.rank}. "), bot(name), text(f" {seat.score}"), fault))


def time_used(used: Sequence[Time]) -> Markup:
    """Return what the bots used of their time."""
    rows = [
        [
            Cell(bot(one.name)),
            _number(f"{one.used_ms / 1000:.1f}", one.used_ms),
            _number(f"{one.per_match_ms:.0f}", one.per_match_ms),
        ]
        for one in used
    ]
    said = (
        "What counted on the clock, beyond the grace of every answer. It is measured, and so the one part of "
        "the page that another run would not repeat."
    )
    heads = ("Bot", "Seconds in all", "Milliseconds a match")
    return section("Time used", _paragraph(said), table("Time used", heads, rows, sortable=True))


def reading(terms: Mapping[str, str]) -> Markup:
    """Return how to read the page: words and what they mean."""
    parts = [
        join((element("dt", text(word)), element("dd", text(meaning)))) for word, meaning in terms.items()
    ]
    return section("How to read this page", element("dl", *parts, class_="fine"))


def chained(head: Head) -> Markup:
    """Return the foot of the page: what the results can be held to later."""
    said = f"Chain of results: {head}. `referee tournament verify --head` tells later whether it still holds."
    return element("footer", _paragraph(said, "fine"))
