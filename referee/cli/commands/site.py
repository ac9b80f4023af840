"""`referee site`: shows what has been played in browsers, and the links and acts of a live site."""

import asyncio
import json
import shlex
import signal
import time
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit
from urllib.request import Request, build_opener

import click
import msgspec

from referee.cli import examples
from referee.cli.options.common import subject_argument
from referee.cli.options.default_command import DefaultGroup
from referee.cli.options.web import PORT, check_libraries
from referee.errors import AddressError, ConfigError, RefereeError, nearest
from referee.gate.keystore import bot_key, check_key
from referee.hub.feed_messages import OrganiserAct
from referee.wording import clean, plural
from tournaments.config.entry_record import Invitation, read_record
from tournaments.entries.class_roster import keep_roster, read_roster
from tournaments.entries.decisions import invite
from tournaments.entries.entries_key import ensure_key
from tournaments.entries.submissions import invitations
from tournaments.event_file import event_at, plans_of
from tournaments.live.order_desk import noting_at
from tournaments.live.settings import EventSource, SiteSettings
from tournaments.live.site_process import listen, url_of, web_address
from tournaments.live.sources import (
    beside_each_other,
    check_readable,
    event_sources,
    ladder_source,
    sources_at,
)
from tournaments.live.tokens import Tokens
from tournaments.site.events import ladder_event
from tournaments.store import ladders
from tournaments.store.errors import StoreBusyError
from tournaments.store.store import Store, is_there

_ANSWER_S = 20.0
_DEFAULT = "show"


@click.group(
    cls=DefaultGroup,
    default=_DEFAULT,
    epilog=examples(
        "referee site spring.toml",
        "referee site spring.toml serve replays --web 0.0.0.0:8000",
        "referee site export spring.toml autumn.toml --out events",
        "referee site token spring.toml alice",
        "referee site reveal spring.toml",
    ),
)
def site() -> None:
    """Show events and replays in browsers, and manage the site of an event.

    `referee site PATH...` shows what was played; a path that is called like a command is written `./token`.
    """


@site.command(_DEFAULT, epilog=examples("referee site spring.toml", "referee site events --web 9000 --open"))
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--web",
    metavar="[HOST:]PORT",
    default=PORT,
    show_default=True,
    help="Where to listen; only this host can reach it, unless another HOST is named.",
)
@click.option("--open", "opens", is_flag=True, help="Open it in the browser of this host.")
def show(paths: tuple[Path, ...], web: str, opens: bool) -> None:
    """Show the events at PATHS in browsers until Ctrl-C.

    A path is a tournament file, the folder of a ladder or its store, a folder of replays, or a folder with
    several of the first two. An event that is being played by another process is shown as far as it is: new
    results appear by themselves.
    """
    check_libraries("referee site")
    events = beside_each_other(source for path in paths for source in sources_at(path))
    if len(events) == 1:
        # Of several events, those that can be read are shown.
        check_readable(events[0])
    address = web_address(web)
    listener = listen(address)
    url = url_of(listener, address)
    settings = SiteSettings(events=events, url=url, is_local=address.is_local)
    if not address.is_local:
        click.echo(f"Warning: every host that reaches {url} can see the site.", err=True)

    def ready() -> None:
        click.echo(f"{plural(len(events), 'event')} at {url}/ until Ctrl-C", err=True)
        if opens:
            webbrowser.open(url)

    # A signal is how this command ends: it is no failure.
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        from tournaments.live.server import serve

        asyncio.run(serve(settings, listener, ready=ready))
    except KeyboardInterrupt:
        return


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


@site.command(epilog=examples("referee site export spring.toml autumn.toml --out events"))
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--out",
    "folder",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder of the sites: a new one, or one that was written before.",
)
def export(paths: tuple[Path, ...], folder: Path) -> None:
    """Write the events at PATHS as static files: a folder for each, and a page that lists them.

    Open its index.html, or copy the folder to any web server. `referee tournament export --site` does the
    same for one event.
    """
    from referee.cli.output.site_progress import write_event_site
    from tournaments.live.event_reading import read_event
    from tournaments.live.live_pages import shown_together
    from tournaments.site.several import write_sites

    sources = beside_each_other(source for path in paths for source in sources_at(path))
    events = [(source, read_event(source, []).public) for source in sources]
    write_sites(shown_together(events), folder, lambda event, own: write_event_site(event, own, quiet=True))
    click.echo(f"{plural(len(events), 'event')}: open {folder / 'index.html'} in a browser", err=True)


@site.command(
    epilog=examples(
        "referee site token spring.toml",
        "referee site token spring.toml alice bob",
        "referee site token spring.toml --new-entry 'Ann Lee'",
        "referee site token spring.toml --roster class.csv --url https://contest.example",
    )
)
@subject_argument
@click.argument("bots", nargs=-1, metavar="[BOT]...")
@click.option("--organiser", is_flag=True, help="Print the link of the organiser's page.")
@click.option(
    "--new-entry",
    "new_entries",
    multiple=True,
    metavar="NAME",
    help="Print a link for an author or team without a bot, who uploads one. May be repeated.",
)
@click.option(
    "--roster",
    "roster_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Print such a link for each team and student of a CSV file (id, name, team).",
)
@click.option(
    "--url",
    default=f"http://127.0.0.1:{PORT}",
    show_default=True,
    help="The address of the site, as its readers reach it.",
)
def token(
    file: Path,
    bots: tuple[str, ...],
    organiser: bool,
    new_entries: tuple[str, ...],
    roster_file: Path | None,
    url: str,
) -> None:
    """Print a link for the author of each BOT, or of all bots: it shows the logs of that bot alone.

    FILE is a tournament file, the folder of a ladder, or its store. Where the tournament has the key
    `entries`, the author of a bot may upload a new version with the link. The links stay valid until the file
    with the ending .site-secret beside the store is removed.
    """
    invited = _invited(file, new_entries, roster_file)
    sources = _sources(file, make_secret=True)
    tokens = Tokens(sources[0].secret)
    # Parts of one event share their tokens; the first is where a reader begins.
    base = url.rstrip("/") + (f"/e/{sources[0].slug}" if len(sources) > 1 else "")
    if organiser:
        click.echo(f"{base}/organiser.html#{tokens.organiser()}")
        return
    known = _bots_of(file)
    if unknown := [bot for bot in bots if bot not in known]:
        raise ConfigError(f"{file}: no bot {unknown[0]!r}: {nearest(unknown[0], known)}")
    for bot in [*bots, *invited] or known:
        click.echo(f"{clean(bot)}\t{base}/author.html#{tokens.author(bot)}")
    click.echo("Each link is for the author of that bot alone.", err=True)


def _invited(file: Path, new_names: Sequence[str], roster_file: Path | None) -> list[str]:
    """Reserve names for authors without a bot, and return the names."""
    new = [Invitation(f"name:{name.casefold()}", name, (name,)) for name in new_names]
    if roster_file is not None:
        new += invitations(read_roster(roster_file))
    if not new:
        return []
    ensure_key(file)
    plans = plans_of(file)
    names = invite(plans, new)
    if roster_file is not None and plans[0].entries is not None:
        keep_roster(roster_file, plans[0].entries)
    return names


@site.command(
    epilog=examples("referee site login http://contest.example:8000 --key mybot.key --server-key KEY")
)
@click.argument("url")
@click.option("--key", "key_file", required=True, type=click.Path(path_type=Path), help="The bot's key file.")
@click.option("--server-key", required=True, metavar="KEY", help="The public key of the daemon.")
@click.option("--open", "opens", is_flag=True, help="Open the link in the browser of this host.")
def login(url: str, key_file: Path, server_key: str, opens: bool) -> None:
    """Prove the key of a bot to the site at URL, and print a link to the logs of that bot.

    A site of several games has a link for each. Links are valid for twelve hours. The same key plays on the
    ladder (`referee join --key`).
    """
    check_libraries("referee site login", "nacl")
    from tournaments.live.key_login import login_grant, login_request

    pair = bot_key(key_file)
    check_key(server_key)
    base = url.rstrip("/")
    if urlsplit(base).scheme not in ("http", "https"):
        raise AddressError(f"{url!r} is no address of a site: it begins with http:// or https://")
    bot = ""
    for place in _places_of(base):
        answer = _post(f"{place}/api/v1/login", login_request(pair, server_key, time.time()))
        grant = login_grant(pair, server_key, str(answer.get("box", "")))
        if grant is None:
            raise RefereeError(
                f"the answer of {base} was not made by the daemon with that key: is KEY right?"
            )
        bot, link = grant.bot, f"{place}/author.html#{grant.token}"
        click.echo(link)
        if opens:
            webbrowser.open(link)
    click.echo(f"It shows the logs of {clean(bot)} for twelve hours: keep it secret.", err=True)


def _places_of(base: str) -> list[str]:
    """Return the addresses of the events at a site: of one game the site's own, of several one for each."""
    if "/e/" in urlsplit(base).path:
        return [base]
    events = _ask(f"{base}/api/v1").get("events", ())
    return [f"{base}/e/{quote(str(event), safe='')}" for event in events] if len(events) > 1 else [base]


def _post(address: str, body: msgspec.Struct) -> dict[str, Any]:
    """Send JSON, and return the JSON of the answer."""
    return _ask(address, msgspec.json.encode(body))


def _ask(address: str, body: bytes | None = None) -> dict[str, Any]:
    """Get JSON, or send some, and return the JSON of the answer."""
    request = Request(address, body, {"Content-Type": "application/json"})  # noqa: S310 - the scheme was checked
    try:
        with build_opener().open(request, timeout=_ANSWER_S) as answer:
            return dict(json.load(answer))
    except HTTPError as error:
        try:
            why = json.load(error)["error"]
        except (ValueError, KeyError, TypeError):
            why = f"it answers {error.code}"
        raise RefereeError(f"{address}: {why}") from error
    except (URLError, OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        raise RefereeError(f"{address}: no answer: {reason}; is the site running there?") from error


@site.command(epilog=examples("referee site announce spring.toml 'Lunch until one'"))
@subject_argument
@click.argument("text")
def announce(file: Path, text: str) -> None:
    """Show TEXT on all pages of the event; an empty text takes the last one back."""
    _note(file, "announce", text)


@site.command(epilog=examples("referee site freeze spring.toml"))
@subject_argument
def freeze(file: Path) -> None:
    """Let the public see the table as it is now, until `reveal`."""
    _note(file, "freeze")


@site.command(epilog=examples("referee site reveal spring.toml"))
@subject_argument
def reveal(file: Path) -> None:
    """Let the public see all results again."""
    _note(file, "reveal")


@site.command(epilog=examples("referee site pause serve"))
@subject_argument
def pause(file: Path) -> None:
    """Let the next `referee serve` begin no matches, until `resume`; FILE is the folder of a ladder."""
    _note(file, "pause")


@site.command(epilog=examples("referee site resume serve"))
@subject_argument
def resume(file: Path) -> None:
    """Let the next `referee serve` begin matches again, after a pause that outlasted its daemon."""
    _note(file, "resume")


def _note(file: Path, act: OrganiserAct, text: str = "") -> None:
    """Note an act of the organiser in the stores of an event that is not being played."""
    stores = [source.store_address for source in _sources(file)]
    there = [store for store in stores if is_there(store)]
    if not there:
        raise ConfigError(f"{stores[0]}: there are no results yet")
    for store in there:
        try:
            noting_at(store)(act, text, "")
        except StoreBusyError as error:
            raise ConfigError(
                f"{file}: it is being played, and only that process writes: use the organiser's page "
                f"(`referee site token {shlex.quote(str(file))} --organiser`)"
            ) from error
        click.echo(f"{act}: noted in {store}", err=True)


def _bots_of(file: Path) -> list[str]:
    """Return the bots of a tournament file, also those that do not play, or the accounts of a ladder."""
    ladder = ladders.find(file)
    if ladder is not None:
        with Store(ladder, write=False) as store:
            return ladder_event(store, whole=True).owners
    plan = event_at(file).plans[0]
    return list(dict.fromkeys([*plan.names, *read_record(plan.entries).names()]))


def _sources(file: Path, *, make_secret: bool = False) -> Sequence[EventSource]:
    """Return the events of a tournament file or a ladder."""
    ladder = ladders.find(file)
    if ladder is not None:
        return [ladder_source(ladder, make_secret=make_secret)]
    if file.is_dir():
        raise ConfigError(f"{file}: name a tournament file, the folder of a ladder, or its store")
    return beside_each_other(event_sources(event_at(file), make_secret=make_secret))
