"""The page of a tournament in a real browser: on a phone, on a desk, at night, on paper."""

import struct
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from referee.replay import files, format
from tests.browser.windows import DESK, PHONE, Media, Scheme, Window
from tests.unit.referee.replay.played import SimulatedMatch
from tests.unit.tournaments.rows import contest, row
from tournaments.rating.standings import stand
from tournaments.report import export
from tournaments.report.match_pages import write_match_pages

HOSTILE = '<img src=x onerror="document.title=1">\u202e'
LONG = "a-bot-whose-name-is-as-long-as-names-may-be-" * 2
BOTS = ("sensible", HOSTILE, LONG, "random", "first")

FAINT = """
(() => {
  const numbers = colour => (colour.match(/[0-9.]+/g) || []).map(Number);
  const light = ([r, g, b]) => {
    const part = c => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const ground = node => {
    for (; node; node = node.parentElement) {
      const colour = numbers(getComputedStyle(node).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const faint = [];
  for (const node of document.querySelectorAll("main *")) {
    const own = [...node.childNodes].some(n => n.nodeType === 3 && n.data.trim());
    if (!own || node.tagName === "title") continue;
    const style = getComputedStyle(node);
    const inks = numbers(node instanceof SVGElement ? style.fill : style.color);
    const [a, b] = [light(inks), light(ground(node))].sort((x, y) => y - x);
    const contrast = (a + 0.05) / (b + 0.05);
    if (contrast < 4.5) faint.push(`${node.tagName}.${node.getAttribute("class")} ${contrast.toFixed(2)}`);
  }
  return [...new Set(faint)];
})()
"""
"""Texts whose contrast is under what WCAG 2 AA wants."""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    played = contest(BOTS, 31, fault=0.02)
    folder = tmp_path_factory.mktemp("report")
    (folder / "matches").mkdir()
    pages = {match.match: f"matches/{match.match}.html" for match in played}
    for address in pages.values():
        (folder / address).touch()
    path = folder / "report.html"
    standings = stand("Spring", "coins", BOTS, played, order=[match.match for match in played])
    path.write_text(export.html(standings, played, pages=pages), encoding="utf-8")
    return path


@pytest.fixture
def window(browser: Browser) -> Iterator[Window]:
    with browser.new_context(viewport={"width": DESK, "height": 900}) as context:
        yield Window(context)


@pytest.mark.parametrize("width", [PHONE, DESK])
def test_nothing_is_wider_than_the_window(window: Window, page: Path, width: int) -> None:
    window.open(page, width=width)
    assert window.evaluate("document.documentElement.scrollWidth") == width
    # Tables that are wider scroll by themselves; everything else ends within the window.
    outside = """[...document.querySelectorAll("main *")].filter(node => !node.closest("table, details")
        && node.getBoundingClientRect().right > innerWidth + 1).map(node => node.outerHTML.slice(0, 80))"""
    assert window.evaluate(outside) == []


@pytest.mark.parametrize("width", [PHONE, DESK])
def test_the_page_looks_like_something(window: Window, page: Path, tmp_path: Path, width: int) -> None:
    window.open(page, width=width)
    picture = window.page.screenshot(full_page=True)
    (tmp_path / f"report-{width}.png").write_bytes(picture)  # To look at after a failure.
    assert picture.startswith(b"\x89PNG")
    assert struct.unpack(">I", picture[16:20]) == (width,)
    assert len(picture) > 50_000
    bars = window.evaluate("document.querySelectorAll('svg .bar').length")
    assert bars == 3 * len(BOTS)
    assert window.evaluate("document.querySelectorAll('svg polyline').length") == len(BOTS)


def test_letters_keep_their_size_on_a_phone(window: Window, page: Path) -> None:
    window.open(page, width=PHONE)
    least = """Math.min(...[...document.querySelectorAll("svg text")].map(
        node => parseFloat(getComputedStyle(node).fontSize) * node.getScreenCTM().d))"""
    assert window.evaluate(least) >= 12


def test_labels_of_a_picture_do_not_lie_over_each_other(window: Window, page: Path) -> None:
    overlaps = """[...document.querySelectorAll("svg.picture")].flatMap(picture => {
        const boxes = [...picture.querySelectorAll("text")].map(text => [text, text.getBoundingClientRect()]);
        return boxes.flatMap(([one, a], n) => boxes.slice(n + 1)
            .filter(([, b]) => a.left < b.right && b.left < a.right)
            .filter(([, b]) => a.top + 3 < b.bottom && b.top + 3 < a.bottom)
            .map(([other]) => one.textContent + " / " + other.textContent));
    })"""
    for width in (PHONE, DESK):
        window.open(page, width=width)
        assert window.evaluate(overlaps) == []


@pytest.mark.parametrize(("scheme", "media"), [("light", "screen"), ("dark", "screen"), ("dark", "print")])
def test_every_text_stands_out_from_its_ground(
    window: Window, page: Path, scheme: Scheme, media: Media
) -> None:
    window.open(page, scheme=scheme, media=media)
    window.evaluate("document.querySelectorAll('details').forEach(node => node.open = true)")
    assert window.evaluate(FAINT) == []


def test_at_night_the_page_is_dark(window: Window, page: Path) -> None:
    grounds = []
    schemes: tuple[Scheme, ...] = ("light", "dark")
    for scheme in schemes:
        window.open(page, scheme=scheme)
        grounds.append(window.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert grounds == ["rgb(253, 252, 250)", "rgb(20, 23, 27)"]


def test_on_paper_closed_lists_are_left_out_and_no_table_is_cut(window: Window, page: Path) -> None:
    window.open(page, width=794, media="print")
    shown = "[...document.querySelectorAll('details')].filter(node => node.checkVisibility()).length"
    assert window.evaluate(shown) == 0
    heads = "[...document.querySelectorAll('h2')].filter(n => n.checkVisibility()).map(n => n.textContent)"
    assert "Faults" in window.evaluate(heads)
    assert "Matches" not in window.evaluate(heads)
    cut = """[...document.querySelectorAll("table")].filter(node => node.checkVisibility()
        && node.getBoundingClientRect().right > innerWidth).map(node => node.caption.textContent)"""
    assert window.evaluate(cut) == []
    assert window.page.pdf().startswith(b"%PDF")


def test_nothing_is_loaded_and_nothing_is_wrong(window: Window, page: Path) -> None:
    window.open(page)
    assert window.evaluate("document.styleSheets[0].cssRules.length") > 40
    assert window.asked == [page.as_uri()]
    assert window.wrong == []


def test_hostile_names_are_text(window: Window, page: Path) -> None:
    window.open(page)
    assert window.evaluate("document.title") == "Spring: standings"
    assert window.evaluate("[document.scripts.length, document.images.length]") == [1, 0]
    names = window.evaluate("[...document.querySelectorAll('tbody th bdi')].map(node => node.textContent)")
    assert HOSTILE.replace("\u202e", "\\u202e") in names


def test_tables_are_sorted_by_a_click_on_a_head(window: Window, page: Path) -> None:
    window.open(page)
    heads = window.evaluate(
        "[...document.querySelector('table').tHead.rows[0].cells].map(c => c.textContent)"
    )
    column = heads.index("Points")
    points = f"""[...document.querySelector('table').tBodies[0].rows].map(
        row => Number(row.cells[{column}].textContent))"""
    click = f"document.querySelectorAll('table.sortable thead button')[{column}].click()"
    state = f"document.querySelector('table').tHead.rows[0].cells[{column}].getAttribute('aria-sort')"
    window.evaluate(click)
    assert window.evaluate(state) == "descending"
    assert window.evaluate(points) == sorted(window.evaluate(points), reverse=True)
    window.evaluate(click)
    assert window.evaluate(state) == "ascending"
    assert window.evaluate(points) == sorted(window.evaluate(points))


def test_every_table_has_a_caption_and_heads_for_rows_and_columns(window: Window, page: Path) -> None:
    window.open(page)
    lacking = """[...document.querySelectorAll("table")].filter(table => !table.caption?.textContent
        || [...table.tHead.rows[0].cells].some(c => c.scope !== "col" || !c.textContent)
        || [...table.tBodies[0].rows].some(row => row.cells[0].scope !== "row")).length"""
    assert window.evaluate("document.querySelectorAll('table').length") > 5
    assert window.evaluate(lacking) == 0
    assert window.evaluate("[...document.querySelectorAll('svg.picture')].every(s => s.ariaLabel)") is True


def test_links_lead_to_the_pages_of_the_matches(window: Window, page: Path) -> None:
    window.open(page)
    links = window.evaluate("[...document.querySelectorAll('a')].map(node => node.href)")
    assert len(links) > 600
    assert set(links) == {path.as_uri() for path in (page.parent / "matches").iterdir()}


SIDEWAYS = """[...document.querySelectorAll(".scroll")]
    .filter(node => node.scrollWidth > node.clientWidth + 1)
    .map(node => node.ariaLabel)"""
"""Tables that are wider than their place."""


def written(folder: Path, bots: Sequence[str], blocks: int) -> Path:
    """Return the page of a tournament among these bots."""
    played = contest(bots, blocks, fault=0.02)
    path = folder / "many.html"
    standings = stand("Many", "coins", bots, played, order=[match.match for match in played])
    path.write_text(export.html(standings, played), encoding="utf-8")
    return path


def test_on_a_phone_no_column_is_beside_the_screen(window: Window, page: Path) -> None:
    window.open(page, width=PHONE)
    window.evaluate("document.querySelectorAll('details').forEach(node => node.open = true)")
    assert window.evaluate(SIDEWAYS) == []
    # Every cell of the others stands beside the head of its column.
    bare = """[...document.querySelectorAll(".cards td")].filter(node => !node.dataset.label
        || !getComputedStyle(node, "::before").content.includes(node.dataset.label)).length"""
    assert window.evaluate(bare) == 0
    broken = """[...document.querySelectorAll(".cards td.number")]
        .filter(node => node.getBoundingClientRect().height > 30).map(node => node.textContent)"""
    assert window.evaluate(broken) == []


def test_a_cross_table_of_fifteen_bots_fits_a_desk(window: Window, tmp_path: Path) -> None:
    window.open(written(tmp_path, [f"student-{number:02}" for number in range(15)], 2))
    assert window.evaluate("document.querySelector('.matrix tbody').rows.length") == 15
    assert window.evaluate(SIDEWAYS) == []


def test_a_cross_table_of_sixty_bots_scrolls_beside_the_names(window: Window, tmp_path: Path) -> None:
    path = written(tmp_path, [f"student-{number:02}" for number in range(60)], 1)
    for width in (PHONE, DESK):
        window.open(path, width=width)
        assert window.evaluate("document.documentElement.scrollWidth") == width
        assert window.evaluate(SIDEWAYS) == ["Cross table"]
        name = "document.querySelector('.matrix tbody th').getBoundingClientRect()"
        before = window.evaluate(f"{name}.left")
        window.evaluate("document.querySelector('.matrix').scrollLeft = 500")
        assert window.evaluate("document.querySelector('.matrix').scrollLeft") == 500
        assert window.evaluate(f"{name}.left") == before
        # On a phone, too, most of the width is left for the numbers.
        assert window.evaluate(f"{name}.width") < 0.45 * width


@pytest.mark.parametrize("width", [PHONE, DESK])
def test_the_page_of_a_match_fits_the_window_and_can_be_read(
    window: Window, tmp_path: Path, width: int
) -> None:
    (tmp_path / "replays").mkdir()
    simulated = SimulatedMatch().ready().play_out()
    text = files.replay_bytes(format.replay_text(simulated.match, format.About()).lines)
    (tmp_path / "replays" / "m-1.jsonl").write_bytes(text)
    played = [row("ab", (1, 2), match="m-1")]
    pages = write_match_pages(played, tmp_path / "replays", tmp_path / "report.html")
    window.open(tmp_path / pages["m-1"], width=width)
    assert window.evaluate("document.documentElement.scrollWidth") == width
    assert "Result: most coins" in window.evaluate("document.querySelector('pre').textContent")
    # Sentences are wrapped; only boards and tables may be wider than the window.
    cut = """[...document.querySelectorAll("pre .sentence")]
        .filter(node => node.getBoundingClientRect().right > innerWidth).map(node => node.textContent)"""
    assert window.evaluate(cut) == []
    sentence = "document.querySelectorAll('pre .sentence').length"
    assert window.evaluate(sentence) > len(simulated.match.log)
    assert window.evaluate(FAINT) == []
    assert window.wrong == []
