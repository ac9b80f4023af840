"""The player in a page that is one file, opened from disk in a real browser."""

from pathlib import Path
from random import Random

import msgspec
import pytest
from playwright.sync_api import Page, expect

from referee.player.frames import FORMAT, frames, packed
from referee.player.page import PageMatch
from tests.browser.axe import findings
from tests.browser.player_pages import (
    DESK,
    PHONE,
    Open,
    is_scrolled_sideways,
    match_of,
    matches_of,
    position,
    replays_of,
    wait_for_step,
    written,
)
from tests.unit.referee.replay.played import SimulatedMatch

HOSTILE = '<img src=x onerror="document.title=1">\u202e'


@pytest.fixture(scope="module")
def poker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a page with two matches of one deal; the first has two strikes at its start."""
    folder = tmp_path_factory.mktemp("poker")
    replays = replays_of(folder, match_of("chicago-poker", 5, mischief=True), match_of("chicago-poker", 1))
    return written(folder / "poker.html", matches_of(replays))


@pytest.fixture(scope="module")
def gangsters(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gangsters")
    return written(folder / "g.html", matches_of(replays_of(folder, match_of("gangsters", 5))))


def button(page: Page, name: str) -> None:
    page.locator(f"button[aria-label^='{name}']").click()


# Stepping.


def test_buttons_go_to_the_start_back_on_and_to_the_end(poker: Path, open_page: Open) -> None:
    page = open_page(poker, "#at=10")
    last = position(page)["last"]
    for name, step in (("One step on", 11), ("One step back", 10), ("To the start", 0), ("To the end", last)):
        button(page, name)
        assert position(page)["step"] == step
    assert page.locator("[aria-label^='One step on']").is_disabled()
    expect(page.locator(".result-reason")).to_be_visible()
    assert page.locator(".step-number").inner_text().startswith(f"{last} of {last}")


def test_a_link_to_a_moment_counts_also_while_the_address_of_the_last_one_is_written(
    poker: Path, open_page: Open
) -> None:
    page = open_page(poker, "#at=3")
    page.evaluate("() => { location.hash = '#at=8'; history.replaceState(null, '', '#at=3'); }")
    wait_for_step(page, 8)


def test_all_is_reached_by_keys(poker: Path, open_page: Open) -> None:
    page = open_page(poker, "#at=10")
    last = position(page)["last"]
    keys = {"ArrowRight": 11, "ArrowLeft": 10, "PageDown": 20, "PageUp": 10, "Home": 0, "End": last}
    for key, step in keys.items():
        page.keyboard.press(key)
        assert position(page)["step"] == step, key
    for key, viewer in (("p", "public"), ("0", "0"), ("1", "1"), ("e", "everything")):
        page.keyboard.press(key)
        assert position(page)["viewer"] == viewer
        assert page.locator(f".viewer[data-viewer='{viewer}']").get_attribute("aria-pressed") == "true"
    page.keyboard.press("?")
    expect(page.locator("dialog[open]")).to_contain_text("full screen")
    page.keyboard.press("ArrowLeft")
    assert position(page)["step"] == last
    page.keyboard.press("Escape")
    page.keyboard.press("l")
    expect(page.locator("dialog[open] .legend-list dd").first).to_be_visible()
    expect(page.locator("dialog[open] .fact-list")).to_contain_text("chicago-poker-5")


def test_the_tab_key_leads_to_viewers_controls_slider_and_the_current_event(
    poker: Path, open_page: Open
) -> None:
    page = open_page(poker, "#at=10")
    reached = []
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.getAttribute('class') ?? ''"))
        if "event" in reached:
            break
    assert {"plain-button viewer", "plain-button control control-play", "line-slider", "event"} <= {
        name.strip() for name in reached
    }
    page.keyboard.press("ArrowRight")
    assert position(page)["step"] == 11
    page.locator(".viewer[data-viewer='public']").focus()
    page.keyboard.press("Enter")
    assert position(page)["viewer"] == "public"
    # The chips were made anew, and the focus has not gone.
    assert page.evaluate("document.activeElement.dataset.viewer") == "public"


def test_it_plays_at_the_speed_chosen_until_it_is_paused_or_at_the_end(poker: Path, open_page: Open) -> None:
    page = open_page(poker, "#at=0")
    for _ in range(8):
        page.keyboard.press("+")
    assert page.locator(".speed").input_value() == "16"
    page.keyboard.press("Space")
    page.wait_for_function("() => document.querySelector('.player').position.step >= 3")
    page.keyboard.press("Space")
    assert page.locator(".player[data-playing]").count() == 0
    last = position(page)["last"]
    page.evaluate("at => { location.hash = `#at=${at}`; }", last - 2)
    wait_for_step(page, last - 2)
    page.keyboard.press("Space")
    wait_for_step(page, last)
    page.wait_for_selector(".player:not([data-playing])")
    page.keyboard.press("Space")
    assert position(page)["step"] < last
    page.reload()
    assert page.locator(".speed").input_value() == "16"


def test_the_slider_is_dragged_and_the_chart_of_times_is_clicked(poker: Path, open_page: Open) -> None:
    page = open_page(poker, "#at=0")
    last = position(page)["last"]
    area = page.locator(".line-area").bounding_box()
    slider = page.locator(".line-slider").bounding_box()
    assert area
    assert slider
    middle = slider["y"] + slider["height"] / 2
    page.mouse.move(area["x"] + 1, middle)
    page.mouse.down()
    page.mouse.move(area["x"] + area["width"] / 2, middle, steps=5)
    assert abs(position(page)["step"] - last / 2) <= 1
    page.mouse.up()
    page.mouse.move(area["x"], middle)
    assert abs(position(page)["step"] - last / 2) <= 1
    page.locator(".line-lanes").click(position={"x": area["width"] / 4, "y": 8})
    assert abs(position(page)["step"] - last / 4) <= 1
    assert page.locator(".line-slider").get_attribute("aria-valuenow") == str(position(page)["step"])


def test_the_chart_of_times_has_a_lane_for_each_seat_whose_clock_the_viewer_knows(
    poker: Path, open_page: Open
) -> None:
    page = open_page(poker, "#as=everything")
    assert page.locator(".lane-bars").count() == 2
    page.keyboard.press("1")
    assert page.locator(".lane-bars").count() == 1
    page.keyboard.press("p")
    expect(page.locator(".line-lanes")).to_be_hidden()
    expect(page.locator(".line-hint")).to_contain_text("The public does not see")


# Faults.


def test_faults_are_marked_explained_and_one_key_away(poker: Path, open_page: Open) -> None:
    page = open_page(poker, "#at=0&as=everything")
    assert page.locator(".fault-mark").count() == 2
    page.keyboard.press("n")
    assert position(page)["step"] == 1
    current = page.locator(".event[aria-current]")
    expect(current).to_contain_text("sent an action that the rules do not allow, which is a strike")
    expect(current).to_contain_text("For its author: let it answer with one of the actions")
    page.keyboard.press("n")
    expect(page.locator(".event[aria-current]")).to_contain_text("answered after its time was up")
    second = position(page)["step"]
    page.keyboard.press("b")
    assert position(page)["step"] == 1
    page.locator(".fault-mark").nth(1).click()
    assert position(page)["step"] == second
    # A strike is known to its bot and the referee alone.
    page.keyboard.press("p")
    assert page.locator(".fault-mark").count() == 0
    expect(page.locator("[aria-label^='To the next fault']")).to_be_hidden()


def test_a_forfeit_and_a_void_match_are_shown_like_any_other(tmp_path: Path, open_page: Open) -> None:
    crashed = SimulatedMatch("forfeit", game="gangsters", match="forfeit").ready()
    for _ in range(4):
        seat = crashed.owing()[0]
        crashed.answer(seat, crashed.pick(seat))
    crashed.fail(crashed.owing()[0])
    void = SimulatedMatch("void", game="gangsters", match="void").ready()
    void.match.abandon("the operator's wish")
    path = written(tmp_path / "ends.html", matches_of(replays_of(tmp_path, crashed, void)))
    page = open_page(path, "#match=forfeit&at=end&as=public")
    expect(page.locator(".result-reason")).to_contain_text("wins: forfeit")
    expect(page.locator(".seat-table .result-fault")).to_have_text("crashed")
    page.locator(".chooser").first.select_option("void")
    wait_for_step(page, 0)
    # Why a match is void may be about a secret.
    expect(page.locator(".result-reason")).to_have_text("Void: the match does not count.")
    page.keyboard.press("e")
    expect(page.locator(".result-reason")).to_contain_text("(the operator's wish)")


# Seats and what they know.


def test_a_seat_sees_its_own_decisions_and_the_public_none(poker: Path, open_page: Open) -> None:
    page = open_page(poker, "#as=everything&at=4")
    due = page.evaluate("document.querySelector('.player').position.view.to_act")[0]
    expect(page.locator(".decision-chosen code")).to_be_visible()
    page.keyboard.press(str(due))
    expect(page.locator(".decision-chosen code")).to_be_visible()
    page.keyboard.press("p")
    expect(page.locator(".decision")).to_contain_text("the public does not see the choice")
    assert page.locator(".legal-action").count() == 0
    assert page.locator(".seat-table td").count() == 0
    page.keyboard.press(str(1 - due))
    assert page.locator(".seat-table td.unknown").count() == 2


def test_legal_actions_are_listed_and_the_places_of_one_are_lit(gangsters: Path, open_page: Open) -> None:
    page = open_page(gangsters, "#as=everything&at=6")
    frames_of = page.evaluate("document.querySelector('.player').position.view.to_act")
    assert len(frames_of) == 1
    actions = page.locator(".legal-action")
    assert actions.count() > 5
    chosen = page.locator(".legal-action.is-chosen")
    assert chosen.inner_text() == page.locator(".decision-chosen code").inner_text()
    assert page.locator(".board .lit").count() == 0
    actions.nth(0).hover()
    assert page.locator(".board .lit").count() > 0
    page.locator(".step-number").hover()
    assert page.locator(".board .lit").count() == 0
    actions.nth(0).click()
    page.locator(".step-number").hover()
    assert page.locator(".board .lit").count() > 0
    assert actions.nth(0).get_attribute("aria-pressed") == "true"
    page.keyboard.press("ArrowRight")
    assert page.locator(".board .lit").count() == 0


def test_the_command_that_asks_a_bot_again_is_at_hand_and_copied(poker: Path, open_page: Open) -> None:
    page = open_page(poker, "#as=everything&at=6", permissions=["clipboard-read", "clipboard-write"])
    page.locator(".again summary").click()
    command = page.locator(".again-command").inner_text()
    seat = page.evaluate("document.querySelector('.player').position.view.to_act")[0]
    assert command.startswith(f"referee at replays/chicago-poker-5.jsonl --seat {seat} --decision ")
    assert command.endswith(" -- COMMAND")
    page.locator(".copy-button").click()
    expect(page.locator(".copy-state")).to_have_text("copied")
    assert page.evaluate("navigator.clipboard.readText()") == command


def test_clocks_show_what_was_used_and_what_is_left(poker: Path, open_page: Open) -> None:
    page = open_page(poker, "#as=everything&at=0")
    cells = page.locator(".seat-table tbody td")
    assert cells.all_inner_texts() == ["0 µs", "40 ms", "0 µs", "40 ms"]
    page.keyboard.press("End")
    texts = page.locator(".seat-table tbody tr").all_inner_texts()
    assert len(texts) == 2
    assert all(" ms" in text or " s" in text for text in texts)


# The address.


def test_the_address_names_the_moment_and_a_link_to_it_is_copied(poker: Path, open_page: Open) -> None:
    page = open_page(poker, "#as=1&at=17", permissions=["clipboard-read", "clipboard-write"])
    shown = position(page)
    assert (shown["match"], shown["viewer"], shown["step"]) == ("chicago-poker-5", "1", 17)
    page.keyboard.press("ArrowRight")
    step = position(page)["step"]
    page.wait_for_function("at => location.hash.includes(`at=${at}`)", arg=step)
    page.keyboard.press("c")
    expect(page.locator(".notice")).to_have_text("The link to this moment is copied.")
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == f"{poker.as_uri()}#match=chicago-poker-5&as=1&at={step}"
    page.evaluate("location.hash = '#as=public&at=3'")
    wait_for_step(page, 3)
    assert position(page)["viewer"] == "public"


@pytest.mark.parametrize("moment", ["#at=999999", "#at=-3&as=77", "#as=<b>&at=x", "#at=5&at=6", "#%%%"])
def test_a_wrong_moment_shows_the_nearest_right_one(poker: Path, open_page: Open, moment: str) -> None:
    shown = position(open_page(poker, moment))
    assert 0 <= shown["step"] <= shown["last"]
    assert shown["viewer"] == "everything"


def test_an_unknown_match_is_explained(poker: Path, open_page: Open) -> None:
    page = open_page(poker, "#match=none", ready=".player.is-failed")
    expect(page.get_by_role("alert")).to_contain_text("This page has no match none. It has chicago-poker-5")
    page.evaluate("location.hash = '#match=chicago-poker-1'")
    wait_for_step(page, 0)
    expect(page.locator(".player-message")).to_be_hidden()


# Events in words.


def test_events_are_listed_and_a_click_goes_to_one(poker: Path, open_page: Open) -> None:
    page = open_page(poker, "#as=everything&at=30")
    current = page.locator(".event[aria-current]")
    assert current.get_attribute("data-at") == "30"
    page.wait_for_function(
        """() => {
          const box = name => document.querySelector(name).getBoundingClientRect();
          const [around, inside] = [box(".event-list"), box(".event[aria-current]")];
          return inside.top >= around.top && inside.bottom <= around.bottom;
        }"""
    )
    page.locator(".event[data-at='28']").click()
    assert position(page)["step"] == 28
    expect(page.locator("[role=status][aria-live=polite]")).to_contain_text("Step 28.")


# Two matches of one deal.


def test_two_matches_of_one_deal_are_compared_in_step(poker: Path, open_page: Open) -> None:
    page = open_page(poker, "#at=12&as=1")
    assert page.locator(".stage").count() == 1
    page.locator(".compare select").select_option("chicago-poker-1")
    page.wait_for_selector(".is-comparing")
    labels = page.locator(".stage > .board[role=img]")
    assert [each.get_attribute("aria-label") for each in labels.all()] == [
        "Chicago Poker, position after step 12, as seen by Bo"
    ] * 2
    page.keyboard.press("ArrowRight")
    assert all("after step 13" in (each.get_attribute("aria-label") or "") for each in labels.all())
    page.wait_for_function("() => location.hash.includes('with=chicago-poker-1')")
    page.keyboard.press("End")
    page.reload()
    page.wait_for_selector(".is-comparing .player-board")
    assert page.locator(".stage").count() == 2
    page.locator(".compare select").select_option("")
    page.wait_for_selector(".player:not(.is-comparing)")
    assert page.locator(".stage").count() == 1


# Looking closer.


def test_the_board_is_enlarged_by_buttons_wheel_and_keys_and_dragged_with_a_map(
    gangsters: Path, open_page: Open
) -> None:
    page = open_page(gangsters, "#at=6")
    board = page.locator(".stage > .board:not(.mini-map)")

    def shown() -> list[float]:
        return [float(part) for part in (board.get_attribute("viewBox") or "").split()]

    whole = shown()
    expect(page.locator(".mini-map")).to_be_hidden()
    button(page, "Look closer")
    assert shown()[2] == pytest.approx(whole[2] / 1.5, rel=0.01)
    expect(page.locator(".mini-map")).to_be_visible()
    before = shown()
    box = board.bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2 - 60, box["y"] + box["height"] / 2, steps=4)
    page.mouse.up()
    assert shown()[0] > before[0]
    page.mouse.wheel(0, -200)
    page.wait_for_function(
        "wide => document.querySelector('.stage > .board').viewBox.baseVal.width < wide", arg=before[2] - 1
    )
    for _ in range(6):
        page.keyboard.press("o")
    assert shown() == whole


def test_on_a_touch_screen_a_swipe_steps_and_two_fingers_enlarge(gangsters: Path, open_page: Open) -> None:
    page = open_page(gangsters, "#at=6", PHONE)
    box = page.locator(".stage").bounding_box()
    assert box
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 3)
    devices = page.context.new_cdp_session(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        at = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]
        devices.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": at})

    touch("touchStart", middle)
    for way in (30, 60, 90):
        touch("touchMove", (middle[0] - way, middle[1]))
    touch("touchEnd")
    wait_for_step(page, 7)
    touch("touchStart", middle)
    for way in (30, 60, 90):
        touch("touchMove", (middle[0] + way, middle[1]))
    touch("touchEnd")
    wait_for_step(page, 6)
    touch("touchStart", (middle[0] - 20, middle[1]), (middle[0] + 20, middle[1]))
    for way in (30, 50, 80):
        touch("touchMove", (middle[0] - way, middle[1]), (middle[0] + way, middle[1]))
    touch("touchEnd")
    page.wait_for_selector(".stage.is-close")
    assert position(page)["step"] == 6


# Light and dark, phone and desk, paper.


def test_the_choice_of_dark_is_remembered(gangsters: Path, open_page: Open) -> None:
    page = open_page(gangsters)
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    button(page, "Change between light and dark")
    assert page.evaluate(ground) != light
    # What a page keeps reaches the browser a little later, and a new page asks the browser.
    for _ in range(20):
        page.reload()
        page.wait_for_selector(".player[data-step]")
        if page.evaluate(ground) != light:
            break
    assert page.evaluate(ground) != light
    page.keyboard.press("d")
    assert page.evaluate(ground) == light


def test_blocked_storage_and_clipboard_do_no_harm(gangsters: Path, open_page: Open) -> None:
    block = """
    for (const [owner, name] of [[window, "localStorage"], [Navigator.prototype, "clipboard"]]) {
      Object.defineProperty(owner, name, { get() { throw new DOMException("blocked", "SecurityError"); } });
    }
    document.execCommand = () => false;
    """
    page = open_page(gangsters, "#at=3", before=block)
    page.keyboard.press("d")
    page.keyboard.press("+")
    page.keyboard.press("c")
    expect(page.locator(".notice")).to_contain_text("The link to this moment: file:")


@pytest.mark.parametrize("width", [320, PHONE, 768, DESK, 1920])
def test_nothing_is_wider_than_the_window_and_the_board_is_in_sight(
    poker: Path, open_page: Open, width: int
) -> None:
    page = open_page(poker, "#at=20&as=everything", width)
    assert not is_scrolled_sideways(page)
    box = page.locator(".stage").bounding_box()
    assert box
    assert box["width"] > 0.45 * width
    controls = page.locator(".control-buttons").bounding_box()
    assert controls
    if width >= 900:
        assert controls["y"] + controls["height"] <= 800
    page.keyboard.press("End")
    assert not is_scrolled_sideways(page)


@pytest.mark.parametrize(("width", "scheme"), [(PHONE, "light"), (DESK, "dark")])
def test_there_is_no_barrier(poker: Path, open_page: Open, width: int, scheme: str) -> None:
    page = open_page(poker, "#at=1&as=everything&with=chicago-poker-1", width, color_scheme=scheme)
    page.wait_for_selector(".is-comparing")
    assert findings(page) == []
    page.keyboard.press("End")
    page.keyboard.press("l")
    page.wait_for_selector("dialog[open]")
    assert findings(page) == []


def test_a_barrier_is_found(tmp_path: Path, open_page: Open) -> None:
    (tmp_path / "bad.html").write_text("<html lang='en'><title>x</title><button></button>")
    page = open_page(tmp_path / "bad.html", ready="button")
    assert any(finding.startswith("button-name (critical)") for finding in findings(page))


def test_it_fills_the_screen_and_prints_the_position_without_its_controls(
    gangsters: Path, open_page: Open
) -> None:
    page = open_page(gangsters, "#at=4")
    page.keyboard.press("f")
    page.wait_for_function("() => document.fullscreenElement?.matches('.player')")
    page.keyboard.press("f")
    page.wait_for_function("() => !document.fullscreenElement")
    page.emulate_media(media="print")
    expect(page.locator(".controls")).to_be_hidden()
    expect(page.locator(".stage > .board").first).to_be_visible()
    assert page.pdf().startswith(b"%PDF")


def test_without_script_the_page_says_what_to_do(gangsters: Path, open_page: Open) -> None:
    page = open_page(gangsters, ready="noscript", java_script_enabled=False)
    assert "referee replay show" in page.locator("body").inner_text()


# Other pages, other versions, hostile names.


def test_embedded_it_shows_board_and_controls_alone(poker: Path, tmp_path: Path, open_page: Open) -> None:
    outer = tmp_path / "outer.html"
    outer.write_text(
        f'<iframe src="{poker.as_uri()}#embed=1&at=9&as=public" width="700" height="520"></iframe>'
    )
    page = open_page(outer, ready="iframe")
    frame = page.frame_locator("iframe")
    expect(frame.locator(".player[data-step='9']")).to_be_visible()
    expect(frame.locator(".stage")).to_be_visible()
    expect(frame.locator(".control-play")).to_be_visible()
    expect(frame.locator(".player-head")).to_be_hidden()
    expect(frame.locator(".player-side")).to_be_hidden()
    sizes = page.frames[1].evaluate("[document.documentElement.scrollHeight, innerHeight]")
    assert sizes[0] <= sizes[1]


def test_a_page_around_hears_of_each_step(gangsters: Path, open_page: Open) -> None:
    page = open_page(gangsters, "#at=2")
    page.evaluate(
        "addEventListener('referee-step', ({ detail }) => { window.heard = [detail.step, detail.viewer]; })"
    )
    page.keyboard.press("ArrowRight")
    assert page.evaluate("window.heard") == [3, "everything"]


def test_another_version_of_the_format_is_refused_kindly(tmp_path: Path, open_page: Open) -> None:
    (replay,) = replays_of(tmp_path, match_of("coins", 1))
    document = frames(replay) | {"format": FORMAT + 1, "referee": "9.9.9"}
    (match,) = matches_of([replay])
    newer = msgspec.structs.replace(match, packed=packed(document))
    page = open_page(written(tmp_path / "newer.html", [newer]), ready=".player.is-failed")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text(f"prepared by referee 9.9.9 in format {FORMAT + 1}")
    expect(alert).to_contain_text("`referee replay page` makes a page anew")


def test_damaged_frames_are_explained(tmp_path: Path, open_page: Open) -> None:
    broken = PageMatch(match="m", game="coins", label="a", packed="bm90IGd6aXA=")
    page = open_page(written(tmp_path / "broken.html", [broken]), ready=".player.is-failed")
    expect(page.get_by_role("alert")).to_contain_text("The match m cannot be read")


def test_hostile_names_are_text(tmp_path: Path, open_page: Open) -> None:
    (replay,) = replays_of(tmp_path, match_of("gangsters", 3))
    names = (HOSTILE, "x" * 200)
    header = msgspec.structs.replace(replay.header, names=names)
    seats = tuple(
        msgspec.structs.replace(seat, name=name)
        for seat, name in zip(replay.result.seats, names, strict=True)
    )
    result = msgspec.structs.replace(replay.result, seats=seats)
    hostile = msgspec.structs.replace(replay, header=header, result=result)
    for width in (PHONE, DESK):
        page = open_page(written(tmp_path / "hostile.html", matches_of([hostile])), "#at=5", width)
        for key in ("End", "0", "1", "p", "l"):
            page.keyboard.press(key)
        assert page.locator("img").count() == 0
        assert page.title() != "1"
        assert not is_scrolled_sideways(page)


def test_a_game_without_a_drawing_shows_its_text_board(tmp_path: Path, open_page: Open) -> None:
    path = written(tmp_path / "coins.html", matches_of(replays_of(tmp_path, match_of("coins", 2))))
    page = open_page(path, "#at=4")
    text = position(page)["view"]["text"]
    assert page.locator(".text-board text").all_text_contents() == text.split("\n")


def test_matches_with_all_that_can_go_wrong_are_stepped_through(tmp_path: Path, open_page: Open) -> None:
    wild = []
    for number in range(8):
        simulated = SimulatedMatch(f"wild {number}", seats=3, strikes=2, match=f"m-{number}")
        simulated.luck = Random(number)
        wild.append(simulated.misbehave(4))
    path = written(tmp_path / "wild.html", matches_of(replays_of(tmp_path, *wild)))
    page = open_page(path)
    for match in wild:
        page.evaluate("id => { location.hash = `#match=${id}&at=0&as=everything`; }", match.match.id)
        page.wait_for_selector(f".player[data-match='{match.match.id}']")
        page.evaluate(
            """() => {
              const on = document.querySelector("[aria-label^='One step on']");
              while (!on.disabled) on.click();
            }"""
        )
        expect(page.locator(".result-reason")).to_be_visible()
