"""The ladder of one game while a daemon plays it: its store, its versions, its ratings."""

import itertools
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Self

from referee.hub.pairing import Finished
from referee.server.hours import Hours
from referee.server.served_game import ServedGame
from tournaments.config.ladder_file import LadderGame
from tournaments.ladder import Ladder
from tournaments.rating.earlier_versions import with_earlier
from tournaments.rating.standings import Standings
from tournaments.results import Played
from tournaments.site.notes import add_note, is_paused, public_notes
from tournaments.store import ladders
from tournaments.store.ladder_versions import VersionRegister, earlier_versions
from tournaments.store.recorder import Recorder
from tournaments.store.store import Store


class LadderRun:
    """A ladder that is being played; a context manager, which closes its store."""

    def __init__(self, terms: LadderGame, folder: Path, seed: str) -> None:
        """Open the store in the folder, and count all that was played before."""
        self.terms = terms
        self.folder = folder
        info = terms.game.info
        self.ladder = Ladder(f"Ladder of {info.title}", info.id, terms.seats, seed=seed, even=terms.even)
        self._seed = seed
        self._sent: dict[str, int] = {}
        """By bot the rating that its author was sent last."""
        with ExitStack() as stack:
            self.store = stack.enter_context(Store(ladders.store_path(folder)))
            self.versions = stack.enter_context(VersionRegister(self.store))
            numbers = itertools.count(self.store.head().results + 1)
            self.recorder = Recorder(self.store, lambda one: ladders.ladder_row(one, next(numbers)))
            for row in self.store.all_played():
                if row.result.game == info.id:
                    self.ladder.add(row)
            self._open = stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._open.__exit__(*error)  # type: ignore[arg-type]

    @property
    def id(self) -> str:
        """The id of the game."""
        return self.terms.game.info.id

    @property
    def is_paused(self) -> bool:
        """Whether the organiser has paused it; a pause outlasts the daemon."""
        return is_paused(self.store)

    def served_game(self, jobs: int, hours: Hours | None) -> ServedGame:
        """Return what a daemon plays of it."""
        terms = self.terms
        return ServedGame(
            terms.game,
            terms.seats,
            terms.options,
            folder=self.folder,
            choose=self.ladder.choose,
            identify=self.versions.identify,
            jobs=terms.jobs or jobs,
            profile=terms.profile,
            seed=self._seed,
            hours=hours,
        )

    def note_terms(self, hours: Hours | None) -> None:
        """Note what is played, and when, if that is news."""
        terms, when = self.terms, "" if hours is None else hours.in_words()
        ladders.note(
            self.store, ladders.LadderTerms(self.ladder.name, self.id, terms.seats, terms.options, when)
        )

    def announce(self, text: str | None) -> str:
        """Note an announcement, if it is news, and return the one that holds; None changes nothing."""
        before = public_notes(self.store).announcement
        if text is None or text == before:
            return before
        add_note(self.store, "announce", text)
        return text

    def finish(self, finished: Finished) -> Played:
        """Count a match that is committed, and return its row."""
        row = self.recorder.take(finished.result.match)
        self.ladder.add(row)
        return row

    def rating_news(self, bot: str) -> int | None:
        """Return the rating of a bot in whole points if it differs from that of the last call; or None."""
        rating = self.ladder.rating(bot)
        if rating is None or self._sent.get(bot) == round(rating):
            return None
        self._sent[bot] = round(rating)
        return round(rating)

    def standings(self) -> Standings:
        """Return the standings, with earlier versions of bots at their end."""
        earlier = earlier_versions(self.ladder.played, self.versions.all())
        return with_earlier(self.ladder.standings(), earlier)


def keep_by_game(runs: Sequence[LadderRun], finished: Sequence[Finished]) -> None:
    """Commit matches of several ladders, each to its own store. Called in the archive's thread."""
    for run in runs:
        own = [one for one in finished if one.result.game == run.id]
        if own:
            run.recorder.keep(own)
