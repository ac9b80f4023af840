"""Every link of a document leads to a file and a heading; the index of the documents has every page."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
INDEX = ROOT / "docs" / "README.md"
OTHERS = {".venv", ".pytest_cache", "node_modules", "target"}
"""Folders of files that are not ours."""
DOCUMENTS = sorted(path for path in ROOT.glob("**/*.md") if not OTHERS & set(path.parts))
PAGES = sorted((ROOT / "docs").glob("*.md"))
FOLDERS = ("benchmarks", "deploy", "docs", "protocol", "referee", "sample_bots", "tests", "tournaments")
GUIDE_EXAMPLE = "referee/games/duels/"
"""The game that add-a-game.md writes."""
QUESTION = re.compile(r"^\| (.+\?) \| \[.+\]\((.+)\) \|$", re.MULTILINE)


def links(document: Path) -> Iterator[tuple[Path, str]]:
    """Find the relative links of a document: the file each leads to, and its anchor."""
    for target in re.findall(r"\]\(([^)\s]+)\)", document.read_text()):
        if not re.match("[a-z]+:", target):
            path, _, anchor = target.partition("#")
            yield ((document.parent / path).resolve() if path else document), anchor


def anchors(document: Path) -> set[str]:
    """Return the anchors of the headings of a document, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", document.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_of_a_document_lead_to_a_file_and_a_heading(document: Path) -> None:
    for path, anchor in links(document):
        assert path.exists(), path
        assert not anchor or anchor in anchors(path), f"{path} has no heading {anchor}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_path_of_our_tree_in_a_document_exists(document: Path) -> None:
    paths = re.findall(rf"`((?:{'|'.join(FOLDERS)})/[\w./-]*)`", document.read_text())
    missing = [path for path in paths if not (ROOT / path).exists()]
    assert [path for path in missing if not path.startswith(GUIDE_EXAMPLE)] == []


@pytest.mark.parametrize(
    "document", [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *PAGES], ids=lambda p: p.name
)
def test_a_make_target_in_a_sentence_exists(document: Path) -> None:
    targets = set(re.findall(r"`make ([\w-]+)", document.read_text()))
    known = {
        target
        for makefile in (ROOT / "Makefile", *(ROOT / "sample_bots").rglob("Makefile.in"))
        for target in re.findall(r"^([\w-]+):", makefile.read_text(), re.MULTILINE)
    }
    assert targets <= known


def test_the_index_has_every_page_once_and_the_readme_links_the_index() -> None:
    listed = [(INDEX.parent / target).resolve() for _, target in QUESTION.findall(INDEX.read_text())]
    assert sorted(path for path in listed if path.parent == INDEX.parent) == [p for p in PAGES if p != INDEX]
    assert len(set(listed)) == len(listed)
    assert INDEX in [path for path, _ in links(ROOT / "README.md")]


def test_a_page_begins_with_the_question_that_the_index_has_for_it() -> None:
    for question, target in QUESTION.findall(INDEX.read_text()):
        page = (INDEX.parent / target).resolve()
        assert page.parent != INDEX.parent or page.read_text().startswith(f"# {question}\n"), target


def test_anchors_are_those_of_github(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# How is it made?\n\n## The `end`, and more\n\nSee [above](#how-is-it-made).\n")
    assert anchors(page) == {"how-is-it-made", "the-end-and-more"}
    assert list(links(page)) == [(page, "how-is-it-made")]
