"""The results of a tournament as the public may see them: with a frozen table, and under pseudonyms."""

from pathlib import Path

from tournaments.config.plan import Plan
from tournaments.report.facts import ReportFacts
from tournaments.report.results_so_far import ResultsSoFar
from tournaments.site.events import plan_event
from tournaments.site.model import SiteEvent


def public_results(plan: Plan) -> ResultsSoFar:
    """Return the results that the public may see."""
    return results_shown(plan_event(plan))


def results_shown(event: SiteEvent) -> ResultsSoFar:
    """Return what a report shows of an event."""
    facts = ReportFacts(
        terms=event.facts,
        hosts=event.hosts,
        first=event.state.first,
        last=event.state.last,
        authors=event.authors,
        versions={
            name: one.digest
            for name, versions in event.versions.items()
            for one in versions
            if one.counts and one.digest
        },
    )
    # A part that waits has no folder of replays, and no match that could have one.
    replays = event.replays or Path()
    return ResultsSoFar(
        event.played,
        event.standings,
        event.head,
        replays,
        luck=event.luck,
        facts=facts,
        planned=event.fixtures,
        has_pseudonyms=bool(event.masks),
    )
