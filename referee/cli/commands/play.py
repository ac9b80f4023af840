"""`referee play`: plays matches between bots on this host, and prints the table."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from protocol.messages import TimeControl
from referee.cli import examples
from referee.cli.options.attach import ATTACH_ADDRESS, Attachment, attached
from referee.cli.options.bots import HELP, complete_bot
from referee.cli.options.common import POSITIVE, json_option
from referee.cli.options.games import game_argument
from referee.cli.options.terms import (
    jobs_option,
    level_options,
    limit_option,
    replay_folder,
    terms_options,
    warn,
    warn_of_division,
    workers_option,
)
from referee.cli.options.web import check_libraries, stays, web_option, web_stay_option
from referee.cli.output.log import EventLog
from referee.cli.output.progress import Progress
from referee.cli.output.run_report import RunReport, result_line, show
from referee.errors import ConfigError, RefereeError
from referee.game import Game, Options
from referee.hub.awaited_bot import patient
from referee.hub.capacity import WorkDivision, divide_host
from referee.hub.event_loop import allow_many_files, collect_rarely
from referee.hub.fixture import Fixture
from referee.hub.match_run import MatchRun
from referee.hub.pairing import Finished, Pairing
from referee.hub.signals import Stop
from referee.match.faults import Profile
from referee.process.sandbox.levels import check_folders
from referee.process.spec import BotSpec, Level, ResourceLimits, Transport, starts_fresh
from referee.wording import clean, plural
from referee.worker.open_hub import open_hub
from tournaments.config.bots import BROWSER, HUMAN, PEOPLE, is_at_browser, is_person, is_sample, read_bots
from tournaments.config.cautions import memory_caution, new_seed
from tournaments.config.terms import ClockChanges, options_of, profile_of
from tournaments.pairing.contest import Contest, fixtures_of, single
from tournaments.pairing.play_order import order_of_play
from tournaments.rating.memory import MemoryLine, memory
from tournaments.rating.tally import Tally
from tournaments.results import played

if TYPE_CHECKING:
    from referee.cli.human.people import People
    from referee.cli.output.site_host import SiteHost


class PlaySetting(msgspec.Struct, frozen=True):
    """All options of the command, checked; no process has been started yet."""

    game: Game
    bots: list[BotSpec]
    contest: Contest
    profile: Profile
    fixtures: list[Fixture]
    work: WorkDivision
    replays: Path
    compress: bool
    timed: bool
    awaited: Attachment | None = None
    """The bot that its author starts."""

    @property
    def waits(self) -> bool:
        """Whether a match may take as long as people like: then Ctrl-C ends it at once."""
        return bool(self.people) or self.awaited is not None

    @property
    def people(self) -> list[str]:
        """Names of the people among the bots."""
        return [bot.name for bot in self.bots if is_person(bot)]

    @property
    def has_browsers(self) -> bool:
        """Whether some of the people play in browsers."""
        return any(map(is_at_browser, self.bots))


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    return [*complete_bot(ctx, param, incomplete), *(word for word in PEOPLE if word.startswith(incomplete))]


@click.command(
    epilog=examples(
        "referee play chicago-poker --bot random --bot first",
        "referee play chicago-poker --bot poker --bot 'python mybot.py' --deals 50 --seed 7",
        "referee play chicago-poker --bot old=./v1 --bot new=./v2 --bot random --seats 2 --json",
        "referee play chicago-poker --bot random --bot random --set edition=fr --clock move=500,bank=0",
        "referee play gangsters --bot Ann=human --bot gangsters",
        "referee play chicago-poker --bot browser --bot poker",
        "referee play chicago-poker --bot poker --attach me",
    )
)
@game_argument()
@click.option(
    "--bot",
    "bots",
    metavar="BOT",
    multiple=True,
    shell_complete=_complete,
    help=f"{HELP} {HUMAN}: a person at this terminal. {BROWSER}: a person at a browser; the link is printed. "
    "Give one --bot for each bot.",
)
@click.option(
    "--attach",
    metavar="NAME",
    help="Wait for this bot, which you start yourself: in a debugger, or in another terminal. Its clock is "
    "off. It is one of those named by --bot, or one more, in the first seat.",
)
@click.option(
    "--address",
    default=ATTACH_ADDRESS,
    show_default=True,
    help="Where --attach waits: a port, host:port, or a ZeroMQ address.",
)
@click.option(
    "--matches", type=POSITIVE, help="Number of matches; default: one deal for every group of bots."
)
@click.option("--deals", type=POSITIVE, help="Number of deals, each played in all rotations of the seats.")
@click.option("--deal", metavar="NAME", help="Play only this deal, once, with the bots in the given order.")
@click.option("--seed", help="The seed of all luck; default: a new one, which is printed.")
@click.option(
    "--seats", type=POSITIVE, help="Bots in a match; default: all bots, up to the seats of the game."
)
@click.option("--no-mirror", is_flag=True, help="Play every deal only once.")
@terms_options
@click.option("--timed", is_flag=True, help="Give people the same time as bots; default: a week.")
@limit_option()
@level_options()
@click.option(
    "--fresh/--no-fresh",
    default=None,
    help="Start new bot processes for every match; default: only for bots that are not trusted.",
)
@click.option(
    "--transport",
    type=click.Choice(["auto", "zmq", "stdio"]),
    default="auto",
    show_default=True,
    help="How bots communicate; auto: as each bot prefers.",
)
@jobs_option()
@workers_option()
@click.option(
    "--replays",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("replays"),
    show_default=True,
    help="The folder of the replays; a match that is played again replaces its replay.",
)
@click.option("--compress", is_flag=True, help="Compress the replays with gzip.")
@web_option
@web_stay_option
@click.option(
    "--no-open", is_flag=True, help=f"Do not open the page of --bot {BROWSER} in this desktop's browser."
)
@json_option
@click.option("--quiet", "-q", is_flag=True, help="Print only the table.")
@click.pass_context
def play(
    ctx: click.Context,
    /,
    web: str | None,
    web_stay: bool | None,
    no_open: bool,
    as_json: bool,
    quiet: bool,
    **asked: Any,
) -> None:
    """Play matches of a GAME between bots on this host, and print the table.

    Deals are mirrored: each deal is played once for every rotation of the seats. If there are more bots than
    seats, every combination of bots plays.

    With a person among the bots a deal is played once, and Ctrl-C leaves at once. A person at the terminal
    plays one match after the other. For people at browsers a site is started, at the address of --web or at a
    free port of this host.

    A loss by a fault is a result like any other. Exits with 1 if a match was void or its replay could not be
    written, and with 2 if nothing was played. After Ctrl-C running matches are played to the end; a second
    Ctrl-C abandons them.
    """
    setting = _setting(**asked)
    programs = setting.contest.seats - len(setting.people)
    if not quiet and programs > 0:
        work = setting.work
        warn_of_division(work, setting.game.info, programs, asked["level"], workers=asked["workers"])
    _warn_of_memory(setting)
    if setting.has_browsers:
        check_libraries(f"--bot {BROWSER}")
        web = web or "0"
    with replay_folder(setting.replays), _site(setting, web) as site:
        report, trouble = _run(setting, site, quiet=quiet, as_json=as_json, opens=not no_open)
        show(report, as_json=as_json, quiet=quiet)
        if trouble is not None:
            click.echo(f"referee: {clean(str(trouble))}", err=True)
        if site is not None and stays(web_stay) and not report.interrupted:
            site.stay()
    if report.interrupted:
        ctx.exit(130)
    ctx.exit(1 if trouble is not None or report.void else 0)


def _setting(
    *,
    game: Game,
    bots: tuple[str, ...],
    matches: int | None,
    deals: int | None,
    deal: str | None,
    seed: str | None,
    seats: int | None,
    no_mirror: bool,
    settings: Options,
    preset: str | None,
    profile_name: str,
    clock: ClockChanges,
    limits: ResourceLimits,
    level: Level,
    fresh: bool | None,
    transport: Transport,
    jobs: int | None,
    workers: int | None,
    replays: Path,
    compress: bool,
    timed: bool,
    attach: str | None,
    address: str,
) -> PlaySetting:
    """Check all options before any process is started."""
    if sum(given is not None for given in (matches, deals, deal)) > 1:
        raise ConfigError("--matches, --deals and --deal exclude each other")
    specs = read_bots(bots, transport, limits, starts_fresh(level, fresh), level, people=True)
    awaited, specs = attached(attach, address, specs)
    size = _seats(game, len(specs), seats)
    options = options_of(game, preset, settings, size)
    check_folders(specs, [replays])
    has_people = any(map(is_person, specs))
    contest = Contest(
        game=game.info.id,
        bots=tuple(spec.name for spec in specs),
        seats=size,
        seed=new_seed() if seed is None else seed,
        options=options,
        # A person would recognise the cards of a deal that is played again.
        mirrored=not (no_mirror or has_people),
    )
    fixtures = _fixtures(contest, deal, deals, matches)
    waits = has_people or awaited is not None
    if waits and (workers or 1) > 1:
        raise ConfigError("--workers is for bots that are started here; people and --attach need one process")
    at_once = 1 if awaited else _jobs(specs, jobs, len(fixtures), has_people)
    return PlaySetting(
        game=game,
        bots=specs,
        contest=contest,
        profile=profile_of(profile_name, clock),
        fixtures=fixtures,
        work=divide_host(game.info, size, level, jobs=at_once, workers=1 if waits else workers),
        replays=replays,
        compress=compress,
        timed=timed,
        awaited=awaited,
    )


def _jobs(specs: list[BotSpec], asked: int | None, matches: int, has_people: bool) -> int | None:
    """Return how many matches are played at once: one if a person is at the terminal; None: what is fair."""
    if not has_people:
        return asked
    if any(is_person(spec) and not is_at_browser(spec) for spec in specs):
        return 1
    return asked or min(matches, sum(map(is_at_browser, specs)))


def _warn_of_memory(setting: PlaySetting) -> None:
    """Warn if a deal comes again to bots that can remember it."""
    programs = [bot.program for bot in setting.bots if not is_person(bot)]
    fresh = all(bot.fresh for bot in setting.bots)
    if programs and len({fixture.deal for fixture in setting.fixtures}) < len(setting.fixtures):
        only_samples = all(map(is_sample, programs))
        warn(memory_caution(programs[0].level, fresh, only_samples=only_samples, in_file=False))


def _fixtures(contest: Contest, deal: str | None, deals: int | None, matches: int | None) -> list[Fixture]:
    if deal is None:
        return fixtures_of(contest, deals=deals, matches=matches)
    if len(contest.bots) != contest.seats:
        raise ConfigError(
            f"--deal plays one match with all bots: {len(contest.bots)} bots do not fit {contest.seats} seats"
        )
    return single(contest, deal)


def _seats(game: Game, bots: int, wanted: int | None) -> int:
    """Return the number of bots in a match."""
    least, most = game.info.least_seats, game.info.most_seats
    if wanted is not None:
        game.check_seats(wanted)
    needed = least if wanted is None else wanted
    if bots < needed:
        raise ConfigError(
            f"a match of {game.info.id} needs {plural(needed, 'bot')}, not {bots}: "
            "name more with --bot (the same bot may be named twice)"
        )
    return min(bots, most) if wanted is None else wanted


@contextmanager
def _site(setting: PlaySetting, web: str | None) -> "Iterator[SiteHost | None]":
    """Start the site, if there is an address for it, and end it at the end."""
    if web is None:
        yield None
        return
    # Imported here: most runs have no site, and it needs much.
    from referee.cli.output.site_host import SiteHost
    from tournaments.live.sources import run_source

    info, contest = setting.game.info, setting.contest
    with SiteHost(
        web,
        lambda: [run_source(info.title, info.id, contest.bots, setting.fixtures, setting.replays)],
        log=EventLog(None, "text"),
        note=lambda text: click.echo(text, err=True),
    ) as site:
        if not setting.has_browsers:
            site.introduce()
        yield site


def _run(
    setting: PlaySetting, site: "SiteHost | None", *, quiet: bool, as_json: bool, opens: bool
) -> tuple[RunReport, RefereeError | None]:
    """Play, and return the report, with the error that ended the run early."""
    tally = Tally(setting.contest.bots)
    order = {fixture.match: number for number, fixture in enumerate(setting.fixtures)}
    finished: list[Finished] = []
    blocks = {fixture.match: fixture.block for fixture in setting.fixtures}
    progress = Progress(len(setting.fixtures), quiet=quiet or setting.waits)
    people = _people(setting, as_json) if setting.people else None
    trouble: RefereeError | None = None

    def report(one: Finished) -> None:
        finished.append(one)
        tally.add(one.result)
        progress.done(tally.leader())
        if site is not None:
            site.add_row(played(one, 1, blocks[one.result.match]))
        if people is not None and people.browsers is not None:
            people.browsers.report(result_line(one.result))

    began = time.monotonic()
    allow_many_files()
    hub = open_hub(
        setting.bots,
        work=setting.work,
        replays=setting.replays,
        compress=setting.compress,
        profile=setting.profile,
        report=report,
        note=progress.note,
        forkserver=people.forkserver() if people is not None else None,
    )
    with Stop() as stop, hub:
        if site is not None:
            site.watch(hub, stop)
        if people is not None:
            people.attach(hub, stop.ask)
        if people is not None and site is not None:
            people.open_site(hub, site, opens=opens)
        if setting.awaited is not None:
            setting.awaited.attach(hub)
        hub.preflight([setting.game.info.id])
        collect_rarely()
        clocks = _clocks(setting, people)
        hub.submit(
            _pairing(setting, fixture, clocks)
            for fixture in order_of_play(setting.fixtures, setting.contest.seed)
        )
        with progress, MatchRun(hub, progress.note, stop=stop, drains=not setting.waits):
            try:
                hub.run()
            except RefereeError as error:
                trouble = error
        if site is not None:
            site.unwatch()
    return (
        RunReport(
            game=setting.game.info,
            contest=setting.contest,
            commands={spec.name: spec.program.command_line() for spec in setting.bots},
            people=frozenset(setting.people),
            profile=setting.profile,
            work=setting.work,
            replays=setting.replays,
            planned=len(setting.fixtures),
            finished=sorted(finished, key=lambda one: order[one.result.match]),
            table=tally.table(),
            memory=_memory(setting, finished),
            void=tally.void,
            took_s=time.monotonic() - began,
            interrupted=stop.asked,
        ),
        trouble,
    )


def _clocks(setting: PlaySetting, people: "People | None") -> dict[str, TimeControl]:
    """Return the clocks that differ from that of the other bots, by name."""
    clock = setting.profile.clock
    clocks = people.clocks(clock) if people is not None else {}
    return clocks | ({setting.awaited.name: patient(clock)} if setting.awaited is not None else {})


def _memory(setting: PlaySetting, finished: list[Finished]) -> tuple[MemoryLine, ...]:
    """Return whether bots did better when a deal came again."""
    blocks = {fixture.match: fixture.block for fixture in setting.fixtures}
    rows = [played(one, 1, blocks[one.result.match]) for one in finished if not one.result.void]
    order = [fixture.match for fixture in order_of_play(setting.fixtures, setting.contest.seed)]
    return memory(rows, order, setting.contest.bots)


def _pairing(setting: PlaySetting, fixture: Fixture, clocks: dict[str, TimeControl]) -> Pairing:
    return setting.contest.planner.pairing(fixture, setting.game, setting.profile, clocks=clocks)


def _people(setting: PlaySetting, as_json: bool) -> "People":
    # Imported here: matches between bots need no screen.
    from referee.cli.human.people import People
    from referee.cli.human.screen import Screen

    screen = Screen(sys.stderr if as_json else sys.stdout)
    return People(setting.game.info.id, setting.bots, screen, timed=setting.timed)
