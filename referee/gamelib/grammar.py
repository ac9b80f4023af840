"""How actions are spelt, and what is said of texts that are no action at all."""

import re
from collections.abc import Iterator, Mapping


class Grammar:
    """The verbs of a game. Each has a pattern for the whole action, and examples of how it is spelt."""

    def __init__(self, verbs: Mapping[str, tuple[str, ...]]) -> None:
        self._patterns = {verb: re.compile(pattern, re.ASCII) for verb, (pattern, *_) in verbs.items()}
        self._examples = {verb: " or ".join(map(repr, examples)) for verb, (_, *examples) in verbs.items()}

    def __iter__(self) -> Iterator[str]:
        return iter(self._patterns)

    def read(self, action: str) -> re.Match[str] | None:
        """Return the parts of an action, or None if it is not spelt like one."""
        pattern = self._patterns.get(verb_of(action))
        return None if pattern is None else pattern.fullmatch(action)

    def explain(self, action: str, is_over: bool, is_asked: bool) -> re.Match[str] | str:
        """Return the parts of an action, or why it need not be looked at any closer."""
        if is_over:
            return "the game is over"
        if not is_asked:
            return "it is not your decision"
        found = self.read(action)
        if found is not None:
            return found
        example = self._examples.get(verb_of(action))
        if example is None:
            return f"there is no such verb; the verbs are {', '.join(self)}"
        return f"it is spelt like {example}, with single blanks and no leading zeros"


def verb_of(action: str) -> str:
    """Return the first word of an action."""
    return action.partition(" ")[0]
