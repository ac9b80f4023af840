"""The views that the differences of a document lead to, made as the player makes them."""

from typing import Any

import msgspec


def as_loaded(document: Any) -> Any:
    """Return a document as a browser has it: all keys are texts."""
    return msgspec.json.decode(msgspec.json.encode(document))


def patched(value: Any, patch: Any) -> Any:
    """Return a value with a difference applied."""
    if patch is None:
        return value
    if patch[0] == 0:
        return patch[1]
    if isinstance(value, list):
        return [patched(one, patch[1].get(str(at))) for at, one in enumerate(value)]
    gone = patch[2] if patch[0] == 2 else []
    kept = {key: one for key, one in (value or {}).items() if key not in gone}
    return kept | {key: patched(kept.get(key), each) for key, each in patch[1].items()}


def views_of(document: Any, viewer: str) -> list[Any]:
    """Return the view of a viewer after every step."""
    views: list[Any] = []
    for step in as_loaded(document)["tracks"][viewer]:
        views.append(patched(views[-1] if views else {}, step.get("view")))
    return views
