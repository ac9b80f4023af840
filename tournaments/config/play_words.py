"""The terms of a match as words of `referee play` and other commands."""

from referee import registry
from referee.errors import RefereeError
from referee.match.faults import PROFILES
from referee.process.spec import Level, ResourceLimits
from referee.replay.format import Header
from tournaments.config.terms import LIMITS


def terms_words(header: Header) -> list[str]:
    """Return the options for the same profile, clock and rules: those that differ from the usual ones."""
    words = ["--profile", header.profile]
    profile = PROFILES.get(header.profile)
    for field in header.clock.__struct_fields__:
        value = getattr(header.clock, field)
        if profile is None or getattr(profile.clock, field) != value:
            words += ["--clock", f"{field.removesuffix('_ms')}={value}"]
    try:
        defaults = registry.game(header.game).resolve(None, len(header.names))
    except RefereeError:
        # The game may no longer be installed; the rest of the command does not need it.
        defaults = {}
    changed = {name: value for name, value in header.options.items() if defaults.get(name) != value}
    return words + [word for name, value in changed.items() for word in ("--set", f"{name}={value}")]


def confinement_words(level: Level, limits: ResourceLimits) -> list[str]:
    """Return the options for the same level and limits of a bot: those that differ from the usual ones."""
    usual = ResourceLimits()
    changes = [
        f"{name}={getattr(limits, field)}"
        for name, field in LIMITS.items()
        if getattr(limits, field) != getattr(usual, field)
    ]
    words = ["--level", level] if level != "trusted" else []
    return [*words, *(["--limit", ",".join(changes)] if changes else [])]
