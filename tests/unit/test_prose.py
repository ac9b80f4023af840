"""Docstrings, comments, test names and documents use plain words.

The subject of a sentence is the thing that acts (process, connection, match, bot), so pronouns for an
unknown person are banned; *report*, *print*, *return*, *send* and *describe* say more than `tell`. A message
type of the protocol is written in backticks; text in backticks or in a code block is not prose.
"""

import ast
import functools
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PACKAGES = ("benchmarks", "protocol", "referee", "sample_bots", "tests", "tournaments")
OTHERS = {".venv", "node_modules", "target", "__pycache__"}
"""Folders of files that are not ours."""

BANNED = (
    *("nobody", "somebody", "anybody", "everybody"),
    *("whoever", "whatever", "whichever", "whoso"),
    *("tell", "tells", "told", "telling"),
    *("keeper", "keepers", "nursery", "doorkeeper"),  # former names of supervisor, forkserver, authenticator
)
WORD = re.compile(rf"(?<![A-Za-z])({'|'.join(BANNED)})(?![A-Za-z])", re.IGNORECASE)
"""A banned word; the underscores of a name separate words too."""
CODE_SPAN = re.compile(r"(`+)(?:(?!\1).)+\1", re.DOTALL)
CODE_BLOCK = re.compile(r"^( *)(```+|~~~+).*?^\1\2 *$", re.MULTILINE | re.DOTALL)


class Finding(NamedTuple):
    """A banned word: its file relative to the root, its line, and the word."""

    file: str
    line: int
    word: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.word}"


def blank(match: re.Match[str]) -> str:
    """Replace code by as many line feeds as it has, so that line numbers stay true."""
    return "\n" * match[0].count("\n")


def words_of_prose(text: str, first_line: int = 1) -> Iterator[tuple[int, str]]:
    """Find banned words in a text that begins at a line, outside code spans."""
    prose = CODE_SPAN.sub(blank, text)
    for match in WORD.finditer(prose):
        yield first_line + prose.count("\n", 0, match.start()), match[0].lower()


def words_of_document(text: str) -> Iterator[tuple[int, str]]:
    """Find banned words of a Markdown text, outside code blocks and code spans."""
    yield from words_of_prose(CODE_BLOCK.sub(blank, text))


def words_of_module(source: str) -> Iterator[tuple[int, str]]:
    """Find banned words in docstrings, comments and names of tests of a Python source."""
    if not WORD.search(source):
        return  # nearly every module: reading it as Python takes a hundred times as long
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield from words_of_prose(text, node.lineno)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) if name.startswith("test_"):
                yield from words_of_prose(name, node.lineno)
            case _:
                pass
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield from words_of_prose(token.string, token.start[0])


@functools.cache
def findings() -> tuple[Finding, ...]:
    """Find every banned word of the tree."""
    modules = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    documents = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
    documents += [path for package in PACKAGES for path in (ROOT / package).rglob("*.md")]
    return tuple(
        Finding(str(path.relative_to(ROOT)), line, word)
        for path in sorted([*modules, *documents])
        if not OTHERS & set(path.parts)
        for line, word in (words_of_module if path.suffix == ".py" else words_of_document)(path.read_text())
    )


def test_docstrings_comments_test_names_and_documents_use_plain_words() -> None:
    assert not findings(), "banned words:\n" + "\n".join(map(str, findings()))


SOURCE = '''"""Nobody knows."""

LIMIT = 3  # whatever that is
"""The `tell` of somebody."""


def test_a_bot_is_told(told: str) -> str:
    """Report `told`
    and tell
    it."""
    return "nobody"
'''


def test_banned_words_of_a_module_are_found_with_their_lines() -> None:
    assert sorted(words_of_module(SOURCE)) == [
        (1, "nobody"),
        (3, "whatever"),
        (4, "somebody"),
        (7, "told"),
        (9, "tell"),
    ]


DOCUMENT = """# Telling

A `tell` is sent.

```sh
echo nobody
```

Tell everybody; a teller and retold tales are other words.
"""


def test_banned_words_of_a_document_are_found_outside_code() -> None:
    assert list(words_of_document(DOCUMENT)) == [(1, "telling"), (9, "tell"), (9, "everybody")]
