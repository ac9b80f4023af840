"""What a reader of ratings must know beside the numbers, in words."""

from collections.abc import Iterator, Sequence

from referee.wording import plural
from tournaments.rating.linking import Linked

_MOST_LISTED, _MOST_NAMES = 3, 6
"""Groups that a note lists, and bots of each."""


def notes(linked: Linked, names: Sequence[str], anchor: str | None, split: Sequence[int]) -> Iterator[str]:
    """Return the notes on ratings; `split` are bots of whose blocks nearly none was decided."""
    groups = linked.named(names)
    if len(groups) > 1:
        yield f"no results connect these groups, so their ratings cannot be compared: {_listed(groups)}"
    parts = [[names[bot] for bot in part] for part in linked.parts]
    inside = {group: sorted(part for part in parts if part[0] in group) for group in groups}
    cores = [tuple(names[bot] for bot in core) for core in linked.cores]
    one_sided = [group for group in groups if len(inside[group]) > 1]
    for group in one_sided[:_MOST_LISTED]:
        yield (
            "one side won everything between these, so only the prior bounds their distance: "
            f"{_listed(inside[group])}"
        )
        core = next(core for core in cores if core[0] in group)
        if core != group and anchor not in core:
            yield _gauge(core, anchor if anchor in group else None)
    if (more := len(one_sided) - _MOST_LISTED) > 0:
        yield f"the same holds in {plural(more, 'more group')}"
    if split:
        yield (
            "nearly all blocks of these were split, so their intervals rest on decided blocks that may "
            f"still come: {_listed([[names[bot] for bot in split]])}"
        )


def _gauge(core: Sequence[str], anchor: str | None) -> str:
    """Return what the intervals of a group are measured from."""
    of = _listed([core])
    if anchor is not None:
        return (
            f"the anchor {anchor} has 1500, but no result bounds its distance to these from both sides, so "
            f"intervals are those of the distance to their mean, that of {anchor} too: {of}"
        )
    return f"1500 is the mean of these, and intervals are those of the distance to it: {of}"


def _listed(groups: Sequence[Sequence[str]]) -> str:
    """Return groups of bots as text: the first ones, and the number of the others."""
    texts = []
    for group in groups[:_MOST_LISTED]:
        more = len(group) - _MOST_NAMES
        texts.append(", ".join(group[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else ""))
    rest = groups[_MOST_LISTED:]
    if rest:
        texts.append(f"and {plural(len(rest), 'more group')} of {plural(sum(map(len, rest)), 'bot')}")
    return "; ".join(texts)
