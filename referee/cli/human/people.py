"""The people of a run: those at the terminal, and those at browsers."""

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from protocol.messages import TimeControl
from referee.cli.human.browser_people import BrowserPeople
from referee.cli.human.human_bots import HumanBots
from referee.cli.human.people_forkserver import Connect, PeopleForkserver
from referee.cli.human.screen import Screen
from referee.cli.output.site_host import SiteHost
from referee.hub.awaited_bot import WEEK_MS, patient
from referee.hub.hub import Hub
from referee.process.spec import BotSpec
from tournaments.config.bots import BROWSER, HUMAN, is_at_browser, is_person


class People:
    """Everything that a run needs for its people."""

    def __init__(self, game: str, bots: Sequence[BotSpec], screen: Screen, *, timed: bool) -> None:
        """Find the people among the bots. `timed`: they have the same time as bots."""
        self._timed = timed
        self.at_browsers = [bot.name for bot in bots if is_at_browser(bot)]
        self.at_terminal = [bot.name for bot in bots if is_person(bot) and not is_at_browser(bot)]
        self._terminal = HumanBots(len(self.at_terminal), screen) if self.at_terminal else None
        self.browsers: BrowserPeople | None = None
        """The seats for people at browsers, if there are any."""
        if self.at_browsers:
            self.browsers = BrowserPeople(game, self.at_browsers, timed=timed, say=screen.say)

    def forkserver(self) -> PeopleForkserver:
        """Start the forkserver of the run."""
        ways: dict[str, Connect] = {}
        if self._terminal is not None:
            ways[HUMAN] = self._terminal.connect
        if self.browsers is not None:
            ways[BROWSER] = self.browsers.connect
        return PeopleForkserver(ways)

    def attach(self, hub: Hub, leave: Callable[[], None]) -> None:
        """Listen to the terminal, if a person is there; `leave` is called at the end of the input."""
        if self._terminal is not None:
            self._terminal.attach(hub.loop, leave=leave, resign=hub.drain)

    def open_site(self, hub: Hub, site: SiteHost, *, opens: bool) -> None:
        """Offer the seats to the site, which serves their pages, and print the links."""
        browsers, process = self.browsers, site.process
        if browsers is None or process is None:
            return
        site.taken = browsers.taken
        process.offer_seats(browsers.offer)
        browsers.attach(hub, process.hand_over)
        site.gone = browsers.site_gone
        browsers.greet(site.url, opens=opens)

    def clocks(self, clock: TimeControl) -> dict[str, TimeControl]:
        """Return the clocks of people that differ from the clock of bots, by name.

        A person at a browser says when it is ready also where its decisions are timed.
        """
        if not self._timed:
            return dict.fromkeys([*self.at_terminal, *self.at_browsers], unhurried(clock))
        return dict.fromkeys(self.at_browsers, replace(clock, ready_ms=WEEK_MS))


def unhurried(clock: TimeControl) -> TimeControl:
    """Return a clock with a week for every decision."""
    return replace(patient(clock), ready_ms=clock.ready_ms)
