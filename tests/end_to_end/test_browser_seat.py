"""`referee play --bot browser`, by the requests that pages send: links, lobby, secrets, clock."""

import json
import os
import random
import re
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.match.result import Acted
from referee.replay import files, format, playback
from tests.end_to_end.browser_seats import SeatClient, links_of, phase
from tests.end_to_end.commands import Command, Workspace, workspace_in
from tests.end_to_end.hubs import processes
from tests.end_to_end.terminals import INTERRUPT, terminal

WEEK_MS = 604_800_000


def replays_in(folder: Path) -> list[format.Replay]:
    found = [files.read(path) for path in sorted((folder / "replays").glob("*.jsonl"))]
    for replay in found:
        playback.verify(replay)
    return found


def play(workspace: Workspace, *words: str) -> Command:
    return workspace.start("play", *words, "--no-open", "--seed", "5", listen="out")


def play_to_the_end(client: SeatClient) -> None:
    luck = random.Random(7)
    while client.decide(luck):
        pass


def deciding(client: SeatClient) -> dict[str, Any]:
    return client.until(lambda state: phase(state) == "decide")


def test_a_person_plays_two_matches_by_one_link_and_has_all_the_time(tmp_path: Path) -> None:
    with workspace_in(tmp_path) as workspace:
        command = play(workspace, "coins", "--bot", "Ann=browser", "--bot", "first", "--matches", "2")
        _, links = links_of(command, 1)
        ann = SeatClient(links[""])
        assert ann.get("/seat.html").status_code == 200
        now = deciding(ann)["now"]
        assert now["names"] == ["Ann", "first"]
        assert now["ask"]["clock"] is None
        legal = [action for action, _ in now["ask"]["legal"]]
        ask = {"match": now["match"], "ask": now["ask"]["id"]}
        assert ann.post("/seat/act", **ask, action="fly").status_code == 409
        assert ann.post("/seat/act", **ask | {"match": "other"}, action=legal[0]).status_code == 409
        hint = ann.post("/seat/hint", **ask)
        assert hint.json()["action"] in legal
        assert ann.post("/seat/act", **ask, action=legal[0]).status_code == 204
        again = ann.post("/seat/act", **ask, action=legal[0])
        assert again.status_code == 409, "an answer of a second tab was taken"
        assert "made already" in again.text
        play_to_the_end(ann)
        ann.close()
        ended = command.end()
    assert ended.code == 0, ended.err
    assert ended.out.count("A match is over: ") == 2
    replays = replays_in(tmp_path)
    assert len(replays) == 2
    for replay in replays:
        assert replay.header.bots[replay.header.names.index("Ann")] == "browser"
        assert replay.header.clock_of(replay.header.names.index("Ann")).move_ms == WEEK_MS
        assert replay.result.faults == ("", "")


@pytest.fixture(scope="module")
def class_links(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, dict[str, str]]]:
    """Start a match of Chicago Poker between two people, and end it with Ctrl-C."""
    folder = tmp_path_factory.mktemp("class")
    with workspace_in(folder) as workspace:
        command = play(workspace, "chicago-poker", "--bot", "browser", "--bot", "Bob=browser")
        yield links_of(command, 2)
        command.signal()
        ended = command.end()
    assert ended.code == 130
    assert "void: interrupted by the operator" in ended.out
    assert "Zoe has taken the seat browser." in ended.out


def test_a_lobby_hands_out_seats_and_a_seat_that_is_given_back_is_closed(
    class_links: tuple[str, dict[str, str]],
) -> None:
    lobby_link, links = class_links
    lobby, bob = SeatClient(lobby_link), SeatClient(links["Bob"])
    assert [seat["free"] for seat in json.loads(lobby.first("/lobby/events"))["seats"]] == [True, True]
    bob.state()
    assert [seat["free"] for seat in json.loads(lobby.first("/lobby/events"))["seats"]] == [True, False]
    for wrong in ("", " ", "B0b", "a\u202eb", "x" * 33):
        assert lobby.post("/lobby/take", name=wrong).status_code == 409, wrong
    assert lobby.post("/lobby/take", name="Zoe", seat="Bob").status_code == 409
    taken = lobby.post("/lobby/take", name=" Zoe ")
    zoe = SeatClient(f"{lobby.base}/seat.html#{taken.json()['token']}")
    assert zoe.until(lambda state: state["now"])["now"]["names"] == ["Zoe", "Bob"]
    assert bob.until(lambda state: state["now"])["now"]["names"] == ["Zoe", "Bob"]
    assert "all seats are taken" in lobby.post("/lobby/take", name="Max").text
    assert zoe.post("/seat/leave").status_code == 204
    assert zoe.get("/seat/log?match=x").status_code == 401
    assert SeatClient(links["browser"]).state()["name"] == "browser"
    for client in (lobby, bob, zoe):
        client.close()


def test_the_page_of_a_seat_gets_no_card_of_another_seat(class_links: tuple[str, dict[str, str]]) -> None:
    people = [SeatClient(link) for link in class_links[1].values()]
    states = [person.until(lambda state: state["now"] and state["now"]["view"]) for person in people]
    hands = [set(state["now"]["view"]["hand"]) for state in states]
    assert hands[0] != hands[1]
    for state, own, other in zip(states, hands, reversed(hands), strict=True):
        known = json.dumps(state)
        assert all(f'"{card}"' in known for card in own)
        assert not any(f'"{card}"' in known for card in other - own)
    for person in people:
        person.close()


def test_a_wrong_secret_sees_and_does_nothing(class_links: tuple[str, dict[str, str]]) -> None:
    lobby_link, links = class_links
    base = lobby_link.rpartition("/")[0]
    secrets = ["x", links["Bob"].partition("#")[2][:-1], lobby_link.partition("#")[2]]
    for secret in secrets:
        stranger = SeatClient(f"{base}/seat.html#{secret}")
        assert stranger.get("/seat/events").status_code == 401
        assert stranger.post("/seat/resign", match="m").status_code in (401, 429)
        stranger.close()
    seat_in_lobby = SeatClient(links["Bob"])
    assert seat_in_lobby.get("/lobby/events").status_code in (401, 429)
    state = seat_in_lobby.first("/seat/events")
    seat_in_lobby.close()
    assert not any(link.partition("#")[2] in state for link in (lobby_link, *links.values()))


def test_a_person_that_resigns_loses_that_match_and_plays_the_next(tmp_path: Path) -> None:
    with workspace_in(tmp_path) as workspace:
        words = ("coins", "--bot", "Ann=browser", "--bot", "first", "--matches", "2", "--timed")
        command = play(workspace, *words, "--clock", "first=600,move=600,bank=0")
        _, links = links_of(command, 1)
        ann = SeatClient(links[""])
        first = ann.until(lambda state: phase(state) == "ready")["now"]["match"]
        assert ann.post("/seat/resign", match=first).status_code == 204
        second = ann.until(lambda state: phase(state) == "ready" and state["now"]["match"] != first)
        assert second["last"]["result"]["verdict"] == "You have resigned. The match is lost."
        match = second["now"]["match"]
        assert ann.post("/seat/begin", match=match).status_code == 204
        asked = deciding(ann)["now"]
        assert asked["ask"]["clock"]["move_ms"] == 600
        over = ann.until(lambda state: phase(state) == "over")["last"]
        assert over["match"] == match
        assert over["fault"]["code"] == "late"
        ann.close()
        ended = command.end()
    assert ended.code == 0, ended.err
    assert "resigned" in ended.out
    faults = {replay.result.match: replay.result.faults for replay in replays_in(tmp_path)}
    assert "disconnected" in faults[first]
    assert "late" in faults[match]


def test_people_at_browsers_play_at_the_same_time_but_each_one_match_at_a_time(tmp_path: Path) -> None:
    with workspace_in(tmp_path) as workspace:
        bots = [word for name in ("Ann", "Bob", "Cy", "Di") for word in ("--bot", f"{name}=browser")]
        command = play(workspace, "coins", *bots, "--seats", "2", "--no-mirror")
        _, links = links_of(command, 4)
        people = {name: SeatClient(link) for name, link in links.items()}
        matches = [person.until(lambda state: state["now"])["now"]["match"] for person in people.values()]
        assert len(set(matches)) == 2, "two matches of two people run"
        left, luck = set(people), random.Random(7)
        while left:
            for name in sorted(left):
                state = people[name].state()
                if phase(state) == "decide":
                    people[name].decide(luck)
                elif not state["connected"]:
                    left.discard(name)
        for person in people.values():
            person.close()
        ended = command.end()
    assert ended.code == 0, ended.err
    replays = replays_in(tmp_path)
    assert len(replays) == 6
    assert all(any(isinstance(entry, Acted) for entry in replay.entries) for replay in replays)
    assert all(replay.result.faults == ("", "") for replay in replays), "a person was called twice at a time"


def test_the_end_of_the_site_voids_the_match_and_costs_no_person_anything(tmp_path: Path) -> None:
    with workspace_in(tmp_path) as workspace:
        command = play(workspace, "coins", "--bot", "Ann=browser", "--bot", "first")
        _, links = links_of(command, 1)
        ann = SeatClient(links[""])
        deciding(ann)
        ann.close()
        [site] = [
            pid
            for pid in processes(str(tmp_path))
            if b"tournaments.live" in Path(f"/proc/{pid}/cmdline").read_bytes()
        ]
        os.kill(site, signal.SIGKILL)
        ended = command.end()
    assert ended.code == 1
    assert "void: an error of the referee: the process of the site" in ended.out


def test_a_person_at_the_terminal_plays_one_at_a_browser_and_the_site_stays_until_ctrl_c(
    tmp_path: Path,
) -> None:
    words = ("coins", "--bot", "Ann=human", "--bot", "Bob=browser", "--seed", "5", "--no-open")
    with terminal(tmp_path, "play", *words, size=(200, 40)) as ann:
        ann.expect("Play here: ")
        ann.expect("Ctrl-C ends at once")
        [link] = re.findall(r"http\S+/seat\.html#[\w-]+", ann.text)
        bob = SeatClient(link)
        playing = threading.Thread(target=play_to_the_end, args=(bob,), daemon=True)
        playing.start()
        while ann.expect("Your action?", "The match is over") == "Your action?":
            ann.type("1")
        playing.join(60)
        assert bob.until(lambda state: phase(state) == "over")["last"]["result"]["rows"]
        ann.expect("the site stays at ")
        assert bob.get("/rules/coins.html").status_code == 200
        bob.close()
        ann.press(INTERRUPT)
        assert ann.end() == 0
