"""Every paragraph, section and ruling that is cited exists, and is about what cites it.

A game's code and tests cite its RULES.md: a paragraph as `(3.5)`, a section as `section 4 of RULES.md`, a
ruling as `R7` or `A7`. SPEC.md is cited by its name, and in the conformance kit by the bare number.
"""

import ast
import functools
import io
import json
import re
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
GAMES = sorted(path.parent for path in (ROOT / "referee/games").glob("*/RULES.md"))
OTHERS = {".venv", "node_modules", "target", "__pycache__", "data"}
"""Folders of files that are not ours, or of an older release."""

PARAGRAPH = re.compile(r"(?:\(|[,;] |# |\b(?:of|what|see|in|and|to|by) )(\d{1,2}\.\d{1,2})(?![.\d])")
SECTION = re.compile(r"\(?\bsection (\d{1,2})(?: of RULES\.md|\))")
SPEC_CITED = (
    re.compile(r"SPEC(?:\.md)?,? (?:section )?(\d{1,2}(?:\.\d{1,2})?)\b"),
    re.compile(r"sections? (\d{1,2}) (?:to \d{1,2} )?of (?:protocol/)?SPEC"),
    re.compile(r"sections? \d{1,2} to (\d{1,2}) of (?:protocol/)?SPEC"),
)


class Book(NamedTuple):
    """The numbered parts of a document, each with its text."""

    sections: dict[str, str]
    paragraphs: dict[str, str]
    rulings: dict[str, str]

    def common(self) -> set[str]:
        """Return the beginnings of words that are in so many paragraphs that they are the subject of none."""
        counted = Counter(stem for text in self.paragraphs.values() for stem in stems(text))
        return {stem for stem, count in counted.items() if count > len(self.paragraphs) / 3}

    def is_about(self, number: str, text: str) -> bool:
        """Return whether a paragraph has a word in common with a text that cites it."""
        return bool((stems(text) & stems(self.paragraphs[number])) - self.common())

    def text(self, number: str) -> str | None:
        """Return the text of a paragraph, a section or a ruling."""
        return self.paragraphs.get(number) or self.sections.get(number) or self.rulings.get(number)


@functools.cache
def rules_of(folder: Path) -> Book:
    """Read the RULES.md of a game."""
    text = (folder / "RULES.md").read_text("utf-8")
    sections = dict(re.findall(r"^## (\d+)\. (.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))
    paragraphs = dict(
        re.findall(
            r"^(?:### )?(\d+\.\d+) (.*?)(?=^(?:### )?\d+\.\d+ |^## |\Z)", text, re.MULTILINE | re.DOTALL
        )
    )
    rulings = dict(re.findall(r"^\| ([RA]\d+) \| (.*)$", text, re.MULTILINE))
    return Book(sections, paragraphs, rulings)


@functools.cache
def spec() -> Book:
    """Read SPEC.md."""
    text = (ROOT / "protocol/SPEC.md").read_text("utf-8")
    sections = dict(re.findall(r"^## (\d+)\. (.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))
    paragraphs = dict(
        re.findall(r"^\*\*(\d+\.\d+)\*\*(.*?)(?=^\*\*\d+\.\d+\*\*|^## |\Z)", text, re.MULTILINE | re.DOTALL)
    )
    return Book(sections, paragraphs, {})


def prose_of(source: str) -> Iterator[tuple[int, str]]:
    """Yield docstrings and blocks of comments of a Python source, each with its line."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield node.lineno, text
            case _:
                pass
    block: list[str] = []
    last = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT:
            continue
        if token.start[0] != last + 1 and block:
            yield last, "\n".join(block)
            block = []
        block.append(token.string)
        last = token.start[0]
    if block:
        yield last, "\n".join(block)


def modules_of(game: Path) -> list[Path]:
    """Return the modules that cite the rules of a game: its own, its tests, and its sample bots."""
    found = [*game.glob("*.py"), *(ROOT / "tests/rules" / game.name).glob("*.py")]
    return sorted([*found, *(ROOT / "sample_bots/python").glob(f"*{game.name.removeprefix('chicago_')}*.py")])


def cited_in(text: str, letter: str) -> set[str]:
    """Return the numbers that a text cites: paragraphs, sections, and rulings of this letter."""
    rulings = re.findall(rf"(?<![\w`]){letter}\d{{1,2}}\b(?!`)", text)
    return {*PARAGRAPH.findall(text), *SECTION.findall(text), *rulings}


def stems(text: str) -> set[str]:
    """Return the first letters of the words of a text, but for the short ones."""
    return {word[:4].lower() for word in re.findall(r"[A-Za-z]{4,}", text)}


@pytest.mark.parametrize("game", GAMES, ids=[game.name for game in GAMES])
def test_what_the_code_and_tests_of_a_game_cite_exists_and_is_about_the_same(game: Path) -> None:
    book = rules_of(game)
    letter = min(book.rulings)[0]
    wrong, found = [], 0
    for path in modules_of(game):
        for line, text in prose_of(path.read_text("utf-8")):
            for number in sorted(cited_in(text, letter)):
                found += 1
                about = book.text(number)
                place = f"{path.relative_to(ROOT)}:{line} cites {number}"
                if about is None:
                    wrong.append(f"{place}, which does not exist")
                elif number in book.paragraphs and not book.is_about(number, text):
                    wrong.append(f"{place}, which is about something else")
    assert not wrong, "\n".join(wrong)
    assert found > 10


@pytest.mark.parametrize("game", GAMES, ids=[game.name for game in GAMES])
def test_what_the_rules_of_a_game_cite_exists(game: Path) -> None:
    book = rules_of(game)
    text = re.sub(r"```.*?```", "", (game / "RULES.md").read_text("utf-8"), flags=re.DOTALL)
    text = re.sub(r"`[^`]*`", "", text)
    # Numbers after these words are those of a booklet, or of a release.
    text = re.sub(r"(?:English|French|Names of|renamed in) [\d.]+", "", text)
    letter = min(book.rulings)[0]
    cited = set(re.findall(rf"\b(?:{letter}\d{{1,2}}|(?<![.\d])\d{{1,2}}\.\d{{1,2}}(?![.\d]))\b", text))
    cited |= set(re.findall(r"\bsection (\d+)", text))
    assert len(cited) > 30
    assert sorted(number for number in cited if book.text(number) is None) == []


def test_the_cases_of_vengeance_cite_paragraphs_of_its_rules() -> None:
    cases = json.loads((ROOT / "tests/rules/vengeance/cases.json").read_text("utf-8"))
    book = rules_of(ROOT / "referee/games/vengeance")
    for case in cases:
        first, *others = case["rule"].split(" ")
        about = book.text(first)
        assert about is not None, case["id"]
        for other in others:  # another paragraph, or an option in the table of options
            assert book.text(other) or f"`{other}`" in about, case["id"]


def files_that_cite_the_spec() -> Iterator[tuple[Path, str]]:
    """Yield every source and document, with its text."""
    endings = {".py", ".md", ".js", ".ts", ".go", ".rs", ".java", ".c", ".cpp", ".h", ".sh", ".pl", ".toml"}
    for path in sorted(ROOT.rglob("*")):
        if path.suffix in endings and path.is_file() and not OTHERS & set(path.relative_to(ROOT).parts):
            yield path, path.read_text("utf-8")


def test_every_paragraph_of_the_protocol_that_is_cited_exists() -> None:
    found, wrong = 0, []
    for path, text in files_that_cite_the_spec():
        cited = {number for pattern in SPEC_CITED for number in pattern.findall(text)}
        if path.is_relative_to(ROOT / "referee/conformance"):
            for _, prose in prose_of(text):
                cited |= set(PARAGRAPH.findall(prose))
        found += len(cited)
        wrong += [f"{path.relative_to(ROOT)}: {number}" for number in cited if spec().text(number) is None]
    assert not wrong, "\n".join(wrong)
    assert found > 8


def test_a_citation_of_what_does_not_exist_is_found() -> None:
    text = "Count a line (3.6, 9.9): R99 of section 4 of RULES.md, and what 1.4 says; not 13.8 or 0.1.0."
    assert cited_in(text, "R") == {"3.6", "9.9", "R99", "4", "1.4"}
    assert cited_in("# 5.5: the last member died (section 6)", "R") == {"5.5", "6"}
    assert SPEC_CITED[0].findall("[SPEC.md, section 8] SPEC 11.2 SPEC.md 2.8 [SPEC.md, 9.7]") == [
        "8",
        "11.2",
        "2.8",
        "9.7",
    ]


def test_a_citation_of_the_wrong_paragraph_is_found() -> None:
    poker = rules_of(ROOT / "referee/games/chicago_poker")
    text = "The Limousine: the one action with too many spellings to list in advance"
    assert [number for number in ("4.4", "4.5") if poker.is_about(number, text)] == ["4.4"]
