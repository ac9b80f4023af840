"""The page of feedback about one bot: one file with the player in it, which opens from disk."""

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Final

import referee
from referee import registry
from referee.player.frames import packed
from referee.player.linker import script, style, web_file
from referee.player.page import GENERATOR, PLAYER_STYLES, PageMatch, in_script, page_data, policy
from referee.wording import clean_lines, in_ms, plural
from tournaments.feedback.choosing import kinds_of_faults, with_advice_once
from tournaments.feedback.gathering import Gathered, OwnReplay
from tournaments.feedback.model import OwnMatch
from tournaments.feedback.repeating import REPEATING
from tournaments.feedback.starts import TRYING, fate
from tournaments.feedback.text import (
    CLOCK_HEADS,
    MOST_FAULTS,
    MOST_MATCHES,
    clock_row,
    no_faults,
    standing,
    thinking,
)
from tournaments.report.markup import source, templates

PACKAGE: Final = "tournaments.feedback"

MOST_SHOWN: Final = 60
"""Matches in the player; files of the others' seats are beside the page."""


def page_of(found: Gathered) -> str:
    """Return the page of what was gathered about a bot."""
    feedback = found.feedback
    matches = list(_page_matches(found))
    games = {name: registry.game(name) for name in sorted({match.game for match in matches})}
    code = script("feedback_page.js", games, _modules()) if matches else ""
    # The player's own sheets come last, so that its headings do not look like those of the page.
    sheets = (web_file("theme.css"), source("report.css"), source("feedback.css", PACKAGE))
    sheet = "".join(sheets) + style(PLAYER_STYLES[1:], games.values())
    return (
        templates(PACKAGE)
        .get_template("feedback.html")
        .render(
            feedback=feedback,
            policy=policy(sheet, code),
            generator=f"{GENERATOR} {referee.version()}",
            style=sheet,
            script=code,
            matches=matches,
            shown={match.match for match in matches},
            by_id={(part.event, match.match): match for part in feedback.parts for match in part.matches},
            data=in_script(page_data(matches, _first_moment(found))),
            repeating=REPEATING,
            standing=standing,
            thinking=thinking,
            clock_row=clock_row,
            clock_heads=[(head, "number") for head in CLOCK_HEADS],
            kinds_of_faults=kinds_of_faults,
            with_advice_once=with_advice_once,
            fate=fate,
            trying=TRYING,
            no_faults=no_faults,
            most_faults=MOST_FAULTS,
            most_matches=MOST_MATCHES,
            plural=plural,
            in_ms=in_ms,
            clean_lines=clean_lines,
        )
    )


def _page_matches(found: Gathered) -> Iterator[PageMatch]:
    """Return the matches of the player: those worth a look, those with faults, then the last ones."""
    taken: set[str] = set()
    for match in _by_interest(found):
        if match.file and match.match not in taken and len(taken) < MOST_SHOWN:
            taken.add(match.match)
            yield _page_match(match, found.replays[match.file], len(taken))


def _by_interest(found: Gathered) -> Iterator[OwnMatch]:
    for part in found.feedback.parts:
        by_id = {match.match: match for match in part.matches}
        yield from (by_id[one.match] for one in part.worth)
        yield from (match for match in reversed(part.matches) if match.faults)
    for part in found.feedback.parts:
        yield from reversed(part.matches)


def _page_match(match: OwnMatch, replay: OwnReplay, number: int) -> PageMatch:
    others = ", ".join(other.name for other in match.others)
    return PageMatch(
        match=match.match,
        game=replay.document["game"],
        label=f"{match.outcome} against {others} ({match.match})",
        packed=packed(replay.document),
        # No two are offered for comparison: which matches had one deal is not shown.
        deal=number,
        file=match.file,
    )


def _first_moment(found: Gathered) -> dict[str, str | int]:
    """Return where the player opens: at the first match that is worth a look."""
    for part in found.feedback.parts:
        for one in part.worth:
            match = next(match for match in part.matches if match.match == one.match)
            return {"match": one.match, "as": str(match.seat), "at": one.step or 0}
    return {}


@cache
def _modules() -> dict[str, str]:
    """Return the modules of this package by name."""
    name = "feedback_page.js"
    return {name: (files(PACKAGE) / "web" / name).read_text("utf-8")}
