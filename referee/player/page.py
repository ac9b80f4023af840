"""Pages that are one file: they open from disk, offline, and ask no other host for anything."""

import base64
import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from secrets import token_hex
from typing import Any, Final

import msgspec
from jinja2 import Environment
from msgspec import Struct

import referee
from referee import registry
from referee.errors import RecordError, RefereeError
from referee.game import Game, Seen, View
from referee.player.frames import frames, packed
from referee.player.linker import board_source, script, style
from referee.player.templates import environment
from referee.replay.format import Replay

POSITION_STYLES: Final = ("theme.css", "stage.css")
"""The style sheets of a picture of a position."""
PLAYER_STYLES: Final = (*POSITION_STYLES, "player.css")
"""The style sheets of the player."""
GENERATOR: Final = "referee"
"""The first word of what a page of ours says made it."""


_BETWEEN: Final = " \N{EN DASH} "
"""Stands between the names of seats."""


class PageMatch(Struct, frozen=True):
    """A match for the player: its frames, and what a page knows beyond them."""

    match: str
    game: str
    label: str
    """What a reader chooses it by: the names of its seats."""
    packed: str
    """The document of `frames`, packed."""
    deal: int = 0
    """The same number for matches of one deal: they can be compared."""
    file: str = ""
    """The replay as a reader finds it, for commands; empty if unknown."""


def page_matches(
    replays: Iterable[tuple[str, Replay]], viewers_of: Callable[[Replay], Sequence[str]] = lambda _: ()
) -> Iterator[PageMatch]:
    """Make the matches of a page, one by one, from replays with their files; matches of one deal are grouped.

    `viewers_of` gives the viewers that a page shows of a replay; none: all. Raises RecordError for a replay
    that does not verify, and for a match that comes twice.
    """
    seen: set[str] = set()
    deals: dict[bytes, int] = {}
    labels: Counter[str] = Counter()
    for file, replay in replays:
        document = frames(replay, viewers_of(replay))
        header = replay.header
        deal = msgspec.json.encode((header.game, header.options, len(header.names), replay.key.hex()))
        names = _BETWEEN.join(document["names"])
        labels[names] += 1
        if document["match"] in seen:
            raise RecordError(f"{file}: a page cannot have the match {document['match']} twice")
        seen.add(document["match"])
        yield PageMatch(
            match=document["match"],
            game=header.game,
            label=names if labels[names] == 1 else f"{names} ({labels[names]})",
            packed=packed(document),
            deal=deals.setdefault(deal, len(deals)),
            file=file,
        )


def replay_page(matches: Sequence[PageMatch], moment: Mapping[str, Any] | None = None) -> str:
    """Return a page with the player and these matches.

    It opens at the moment that its address names; without one, at this `moment` (`match`, `as`, `at`).
    """
    names = {match.game for match in matches}
    title = matches[0].label if len(matches) == 1 else f"{len(matches)} matches"
    return one_file(
        title,
        entry="replay_page.js",
        styles=PLAYER_STYLES,
        games=[registry.game(name) for name in sorted(names)],
        data=page_data(matches, moment),
    )


def page_data(matches: Sequence[PageMatch], moment: Mapping[str, Any] | None = None) -> dict[str, str]:
    """Return the data of a page with the player (JSON), by the ids under which its script finds them."""
    facts = [
        {"match": each.match, "game": each.game, "label": each.label, "deal": each.deal, "file": each.file}
        for each in matches
    ]
    data = {f"frames-{number}": each.packed for number, each in enumerate(matches)}
    return {"matches": as_json(facts), "moment": as_json(moment or {}), **data}


def replay_script(match: PageMatch, others: Mapping[str, str]) -> str:
    """Return the script by which the page of a site loads a match (`replays/ID.js`).

    `others` has the labels of other matches of the same deal, by id.
    """
    about = {"file": match.file, "others": [{"match": id, "label": label} for id, label in others.items()]}
    return f"refereeFrames({_literal(match.match)}, {_literal(match.packed)}, {_literal(about)});\n"


def position_page(
    game: Game,
    view: View,
    names: Sequence[str],
    *,
    events: Sequence[Seen] = (),
    before: View | None = None,
    fits: bool = False,
) -> str:
    """Return a page with the picture of one view.

    `events` are those of the last step as its viewer saw them, and `before` is its view before that step.
    A picture that `fits` is as high as its window; others are as wide as it.
    """
    is_drawn = board_source(game) is not None
    looks = [look if is_drawn else look | {"text": game.draw(look)} for look in (view, before) if look]
    position = {
        "game": game.info.id,
        "names": list(names),
        "view": looks[0],
        "before": looks[1] if before else None,
        "events": list(events),
        "fits": fits,
    }
    return one_file(
        game.info.title,
        entry="position.js",
        styles=POSITION_STYLES,
        games=[game],
        data={"position": as_json(position)},
    )


def one_file(
    title: str, *, entry: str, styles: Iterable[str], games: Iterable[Game], data: Mapping[str, str]
) -> str:
    """Return a page with its style, its script and its data (JSON), which the script finds by their ids."""
    games = list(games)
    sheet = style(styles, games)
    code = script(entry, {game.info.id: game for game in games})
    return (
        _templates()
        .get_template("page.html")
        .render(
            policy=policy(sheet, code),
            generator=f"{GENERATOR} {referee.version()}",
            title=title,
            style=sheet,
            data=in_script(data),
            script=code,
        )
    )


def in_script(data: Mapping[str, str]) -> dict[str, str]:
    """Return JSON for script elements: nothing is unescaped there, so there must be no `<`."""
    return {id: text.replace("<", "\\u003c") for id, text in data.items()}


@cache
def _templates() -> Environment:
    return environment("referee.player")


def write_page(path: Path, text: str) -> None:
    """Write a page, whole or not at all, for all who may read files of this folder; make missing folders.

    Raises RefereeError if it cannot be written.
    """
    try:
        if path.exists() and not path.is_file():
            # A pipe or a device: it has no place beside it.
            path.write_text(text, encoding="utf-8")
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        aside = path.with_name(f".{path.name[:80]}.{token_hex(8)}")
        try:
            aside.write_text(text, encoding="utf-8")
            aside.replace(path)
        finally:
            aside.unlink(missing_ok=True)
    except OSError as error:
        raise RefereeError(f"cannot write {path}: {error.strerror}") from error


def policy(sheet: str, code: str) -> str:
    """Return a security policy that allows this style and this script, and nothing from elsewhere."""
    return (
        f"default-src 'none'; base-uri 'none'; form-action 'none'; style-src '{digest(sheet)}'; "
        f"script-src '{digest(code)}'"
    )


def digest(content: str) -> str:
    """Return the digest by which a security policy allows a style sheet or a script."""
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()


def as_json(value: Any) -> str:
    """Return a value as JSON for the data of a page."""
    return msgspec.json.encode(value).decode()


def _literal(value: Any) -> str:
    """Return a value as JavaScript that may also stand in a page."""
    return as_json(value).replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
