"""Where the pages of a site are: paths and links, all relative, so that a site can lie in any folder."""

import re
from typing import Final
from urllib.parse import quote, urlencode

from tournaments.results import Played
from tournaments.site.model import SiteEvent

GENERATOR = "Referee, site"
"""What every page of a site says of its maker; a file that says otherwise is not ours."""


_MATCH_ID: Final = re.compile(r"\w[\w.~-]{0,119}", re.ASCII)


def is_match_id(text: str) -> bool:
    """Return whether a text can be the id of a match: it becomes the name of a file, and part of addresses.

    >>> is_match_id("coins-0001-d20924106c28-r0"), is_match_id("../../x")
    (True, False)
    """
    return _MATCH_ID.fullmatch(text) is not None


def match_address(match: str) -> str:
    """Return the address of the player with a match."""
    return "match.html#" + urlencode({"match": match})


def moment_address(match: str, seat: int, step: int) -> str:
    """Return the address of the player at one step of a match, as a seat saw it."""
    return "match.html#" + urlencode({"match": match, "as": seat, "at": step})


def why_path(match: str) -> str:
    """Return the path of the page about the faults of a match."""
    return f"why/{match}.html"


def why_address(match: str) -> str:
    """Return the address of that page."""
    return quote(why_path(match))


def bot_path(event: SiteEvent, name: str) -> str:
    """Return the path of the page of a bot."""
    return f"bots/{event.slugs[name]}.html"


def pair_address(one: str, other: str) -> str:
    """Return the address of the matches of two bots."""
    return "pair.html#" + urlencode({"a": one, "b": other})


def matches_address(bot: str, seat: int | None = None, fault: str = "") -> str:
    """Return the address of the list of a bot's matches: all, those in a seat, or those with a fault."""
    wanted = {"bot": bot, "seat": "" if seat is None else str(seat), "fault": fault}
    return "matches.html#" + urlencode({name: value for name, value in wanted.items() if value})


def group_address(bots: tuple[str, ...], round: int | None) -> str:
    """Return the address of the matches of a group: of two bots their page, otherwise the list of matches."""
    if len(bots) == 2:
        return pair_address(*bots)
    wanted = {"bot": bots[0], "opponent": bots[1], "round": "" if round is None else str(round)}
    return "matches.html#" + urlencode({name: value for name, value in wanted.items() if value})


def root_of(path: str) -> str:
    """Return the way from a page to the folder of the site.

    >>> root_of("index.html"), root_of("bots/random.html")
    ('', '../')
    """
    return "../" * path.count("/")


def replay_path(match: Played) -> str:
    """Return the path of the script with the frames of a match."""
    return f"replays/{match.match}.js"
