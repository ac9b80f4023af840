"""Events of several tournaments: their parts, which bots go on, and what they make together."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.errors import ConfigError
from tests.unit.tournaments.plans import played
from tournaments.config.mistakes import PlanError
from tournaments.config.parts import part_seed
from tournaments.config.plan import Plan, load
from tournaments.event_file import EventPlan, event_at, plan_at, plans_of, results_of_event
from tournaments.field_choice import check_removed
from tournaments.pairing.blocks import lot
from tournaments.pairing.schedule import fixtures, pools_of
from tournaments.report.results_so_far import is_complete, plan_results
from tournaments.store import terms
from tournaments.store.errors import StoreError
from tournaments.store.field import FieldNote, field_note
from tournaments.store.store import Store

SEED = "b0b5c1d2e4f6a7981c2d3e4f5a6b7c8d"
GAME = 'game = "coins"\n'
GAMES = (
    '[[games]]\ngame = "coins"\nname = "Two"\n'
    '[[games]]\ngame = "coins"\nname = "Three"\nseats = 3\nweight = 2\n'
)
STAGES = (
    '[[stages]]\nname = "groups"\n'
    '[[stages]]\nname = "Final round"\nformat = "knockout"\ntake = 2\nblocks = 1\n'
)


def bots(*names: str) -> str:
    return "".join(f'[[bots]]\nname = "{name}"\nsample = "first"\n' for name in names)


FOUR = bots("ann", "bob", "cleo", "dora")


def write(folder: Path, text: str, top: str = "blocks = 2\n") -> Path:
    path = folder / "spring.toml"
    path.write_text(f'seed = "{SEED}"\n{top}{text}')
    return path


def play(plan: Plan, best: Sequence[str]) -> None:
    """Let a tournament be played in which the bots always come in this order."""
    while True:
        with Store(plan.store) as store:
            there = store.played()
            known = {one.match for one in there}
            missing = [one for one in fixtures(plan, there) if one.match not in known]
            if not missing:
                return
            store.add(
                [
                    played(one, tuple(1 + sorted(one.bots, key=best.index).index(bot) for bot in one.bots))
                    for one in missing
                ]
            )


def mistakes(path: Path) -> str:
    with pytest.raises(PlanError) as caught:
        event_at(path)
    return str(caught.value)


def names(event: EventPlan) -> dict[str, tuple[str, ...] | None]:
    return {one.part.name: None if one.plan is None else one.plan.names for one in event.parts}


# Parts.


def test_a_file_with_one_tournament_is_what_it_was(tmp_path: Path) -> None:
    path = write(tmp_path, FOUR, GAME)
    assert plans_of(path) == [load(path)]
    [plan] = plans_of(path)
    assert (plan.part, plan.seed, plan.store_file.name) == ("", SEED, "spring.sqlite")


def test_a_single_game_in_the_list_is_one_tournament(tmp_path: Path) -> None:
    [plan] = plans_of(write(tmp_path, '[[games]]\ngame = "coins"\nseats = 3\n' + FOUR))
    assert (plan.part, plan.game, plan.seats, plan.store_file.name) == ("", "coins", 3, "spring.sqlite")


def test_every_game_is_a_part_with_its_own_files_and_luck(tmp_path: Path) -> None:
    one, other = plans_of(write(tmp_path, GAMES + FOUR))
    assert (one.part, one.name, one.seats) == ("two", "spring: Two", 2)
    assert (other.part, other.name, other.seats) == ("three", "spring: Three", 3)
    assert (one.store_file.name, other.replays.name) == ("spring-two.sqlite", "spring-three-replays")
    assert (one.seed, other.seed) == (part_seed(SEED, "two"), part_seed(SEED, "three"))
    assert {one.operator_seed, other.operator_seed} == {SEED}
    assert not {one.deal for one in fixtures(one)} & {one.deal for one in fixtures(other)}


def test_a_store_that_is_named_is_one_for_each_part(tmp_path: Path) -> None:
    path = write(tmp_path, GAMES + FOUR, 'store = "db/results.db"\nreplays = "games"\n')
    assert [plan.store_file.relative_to(tmp_path).as_posix() for plan in plans_of(path)] == [
        "db/results-two.db",
        "db/results-three.db",
    ]
    assert [plan.replays.name for plan in plans_of(path)] == ["games-two", "games-three"]


def test_stages_and_games_are_parts_in_the_order_of_play(tmp_path: Path) -> None:
    event = event_at(write(tmp_path, STAGES.replace("take = 2", "take = 3") + GAMES + FOUR))
    assert [one.part.name for one in event.parts] == [
        "groups-two",
        "groups-three",
        "final-round-two",
        "final-round-three",
    ]


def test_keys_of_a_format_at_the_top_are_for_the_stages_of_that_format(tmp_path: Path) -> None:
    stages = (
        '[[stages]]\nname = "a"\nformat = "swiss"\n[[stages]]\nname = "b"\nformat = "round-robin"\ntake = 3\n'
    )
    path = write(tmp_path, stages + FOUR, GAME + "rounds = 3\n")
    [swiss] = plans_of(path)
    assert swiss.rounds == 3
    play(swiss, ["ann", "bob", "cleo", "dora"])
    assert [plan.format for plan in plans_of(path)] == ["swiss", "round-robin"]


def test_one_part_is_asked_for_by_its_name(tmp_path: Path) -> None:
    path = write(tmp_path, GAMES + FOUR)
    assert plan_at(path, "three").seats == 3
    with pytest.raises(ConfigError, match=r"name one with --part \(two, three\)"):
        plan_at(path)
    with pytest.raises(ConfigError, match=r"no part 'tree': did you mean three"):
        plan_at(path, "tree")
    with pytest.raises(PlanError, match="several tournaments"):
        load(path)


# Mistakes.


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (GAME + GAMES + FOUR, 2, "game: stands here or below [[games]], not in both places"),
        ('combine = "ratings"\n' + GAME + FOUR, 2, "combine: belongs to a file with several [[games]]"),
        ('combine = "sum"\n' + GAMES + FOUR, 2, 'combine: cannot be "sum": choose one of: places, ratings'),
        (GAME + STAGES.replace("take = 2\n", "") + FOUR, 5, "stages 2, take: is missing: how many bots"),
        (GAME + STAGES.replace("take = 2", "take = 9") + FOUR, 8, "stages 2, take: takes 9 bots, but only 4"),
        (GAME + STAGES.replace("take = 2", "take = 1") + FOUR, 8, "stages 2, take: 2 bots play in a match"),
        (GAME + STAGES.replace("groups", "final round") + FOUR, 6, "stages 2, name: two stages are called"),
        (GAME + '[[stages]]\nname = "a"\ntake = 2\n' + FOUR, 5, "stages 1, take: belongs to the second"),
        (GAME + '[[stages]]\nname = "../x"\n' + FOUR, 4, "stages 1, name: is a text of 1 to 40 letters"),
        (GAMES.replace("seats = 3", "seats = 9") + FOUR, 8, "games 2, seats: "),
        (GAMES.replace("weight = 2", "weight = 0") + FOUR, 9, "games 2, weight: is a number above 0"),
        (GAMES.replace('"Three"', '"Two"') + FOUR, 7, "games 2, name: two games are called Two"),
        (
            GAME + STAGES.replace('"knockout"', '"gauntlet"').replace("blocks = 1", 'hero = "ann"') + FOUR,
            7,
            "stages 2, format: a gauntlet can be the first stage only",
        ),
    ],
)
def test_a_mistake_in_a_part_has_its_line_and_its_cure(
    tmp_path: Path, text: str, line: int, said: str
) -> None:
    assert f"spring.toml:{line}: {said}" in mistakes(write(tmp_path, text, ""))


def test_two_games_of_one_name_are_one_mistake(tmp_path: Path) -> None:
    text = mistakes(write(tmp_path, GAMES.replace('"Three"', '"Two"') + FOUR, ""))
    assert len(text.splitlines()) == 1


def test_what_all_parts_share_is_wrong_once(tmp_path: Path) -> None:
    text = mistakes(write(tmp_path, GAMES + FOUR, 'level = "trusted"\nhero = "ann"\n'))
    assert text.count("hero: belongs to") == 1


# Which bots go on.


def test_a_later_stage_waits_for_the_one_before(tmp_path: Path) -> None:
    path = write(tmp_path, STAGES + FOUR, GAME)
    event = event_at(path)
    assert names(event) == {"groups": ("ann", "bob", "cleo", "dora"), "final-round": None}
    assert event.parts[1].waits == "after groups: its best 2 go on"
    with pytest.raises(ConfigError, match="its bots are not known yet: after groups"):
        event.plan_named("final-round")


@given(order=st.permutations(["ann", "bob", "cleo", "dora"]))
def test_the_best_go_on_in_the_order_of_the_table(
    tmp_path_factory: pytest.TempPathFactory, order: list[str]
) -> None:
    path = write(tmp_path_factory.mktemp("event"), STAGES + FOUR, GAME + "blocks = 1\n")
    play(plans_of(path)[0], order)
    assert names(event_at(path))["final-round"] == tuple(order[:2])


def test_a_final_that_has_begun_names_the_bot_that_came_later_to_the_stage_before(tmp_path: Path) -> None:
    path = write(tmp_path, STAGES + FOUR, GAME + "blocks = 1\n")
    play(plans_of(path)[0], ["ann", "bob", "cleo", "dora"])
    final = plans_of(path)[1]
    with Store(final.store) as store:
        store.note(terms.NOTE, terms.text_of(final))
    path.write_text(path.read_text() + bots("emil"))
    play(plans_of(path)[0], ["emil", "ann", "bob", "cleo", "dora"])
    with Store(final.store) as store, pytest.raises(StoreError) as caught:
        check_removed(plans_of(path)[1], store)
    assert str(caught.value) == (
        f"{path}: by what was added or changed in the stage before, emil would go on, not bob; but spring: "
        "Final round has begun, and a knockout is played to its end by the bots with which it began: restore "
        "what was changed, and leave out what was added (`referee entries leave-out spring.toml emil`)"
    )


def test_a_stage_that_is_not_complete_lets_no_bot_go_on(tmp_path: Path) -> None:
    path = write(tmp_path, STAGES + FOUR, GAME)
    [plan] = plans_of(path)
    with Store(plan.store) as store:
        store.add([played(one) for one in fixtures(plan)[:-1]])
    assert names(event_at(path))["final-round"] is None


@pytest.mark.parametrize("form", ["round-robin", "swiss", "knockout"])
@pytest.mark.parametrize("there", [(), ("ann",)], ids=["no bot", "one bot"])
def test_a_first_stage_that_still_waits_for_its_bots_is_not_complete(
    tmp_path: Path, form: str, there: tuple[str, ...]
) -> None:
    stages = STAGES.replace('name = "groups"', f'name = "groups"\nformat = "{form}"')
    path = write(tmp_path, stages + bots(*there), GAME + 'entries = "subs"\nnext_event = "on Friday"\n')
    event = event_at(path)
    assert names(event) == {"groups": there, "final-round": None}
    assert not is_complete(event.plans[0])
    results = results_of_event(event, plan_results)
    assert results.leaders == ()
    assert [one.name for one in results.stages[0].results[0].standings.table] == list(there)


def test_of_several_games_the_combined_table_decides_which_bots_go_on(tmp_path: Path) -> None:
    path = write(tmp_path, STAGES + GAMES.replace("seats = 3\n", "") + FOUR)
    one, other = plans_of(path)
    play(one, ["ann", "bob", "cleo", "dora"])
    # It counts twice: cleo has 1 + 6, dora 0 + 4, ann 3 + 0, bob 2 + 2 points.
    play(other, ["cleo", "dora", "bob", "ann"])
    found = names(event_at(path))
    assert found["final-round-two"] == found["final-round-three"] == ("cleo", "bob")


def test_of_several_games_the_best_of_each_pool_go_on(tmp_path: Path) -> None:
    six = bots("ann", "bob", "cleo", "dora", "emil", "fay")
    text = (STAGES + GAMES).replace("take = 2", "take = 1").replace("seats = 3\nweight = 2\n", "")
    path = write(tmp_path, text + six, "blocks = 2\npools = 2\n")
    one, other = plans_of(path)
    pools = plan_results(one).standings.pools
    ann, second, last = [line.name for line in pools["A"]]
    bob, fourth, sixth = [line.name for line in pools["B"]]
    # The points of pool A are with two bots, those of pool B are shared by all three.
    play(one, [ann, second, last, bob, fourth, sixth])
    play(other, [second, ann, last, sixth, fourth, bob])
    [found] = {there for part, there in names(event_at(path)).items() if part.startswith("final")}
    assert found is not None
    assert len(found) == 2
    assert found[0] in (ann, second)
    assert found[1] in (bob, fourth, sixth)
    ties = results_of_event(event_at(path), plan_results).ties
    assert [line.partition(" went on from groups, and not ")[0] for line in ties] == [
        f"The lot decided that {name}" for name in found
    ]
    (loser,) = {ann, second} - {*found}
    assert ties[0].endswith(f"and not {loser}, which did as well.")


@pytest.mark.parametrize("games", [GAME, GAMES.replace("seats = 3\n", "")], ids=["one game", "two games"])
def test_of_equals_those_go_on_that_the_lot_chooses_and_that_is_said(tmp_path: Path, games: str) -> None:
    path = write(tmp_path, STAGES + FOUR, games) if games == GAME else write(tmp_path, STAGES + games + FOUR)
    plans = plans_of(path)
    for plan in plans:
        with Store(plan.store) as store:
            store.add([played(one, (1, 1)) for one in fixtures(plan)])
    chosen = sorted(plans[0].names, key=lambda name: lot(plans[0], name))[:2]
    event = event_at(path)
    assert {found for found in names(event).values() if found != plans[0].names} == {tuple(chosen)}
    [sentence] = results_of_event(event, plan_results).ties
    assert sentence.startswith(f"The lot decided that {', '.join(chosen)} went on from groups, and not ")


def test_where_the_table_decides_nothing_is_said_of_a_lot(tmp_path: Path) -> None:
    path = write(tmp_path, STAGES + FOUR, GAME)
    play(plans_of(path)[0], ["dora", "cleo", "bob", "ann"])
    assert results_of_event(event_at(path), plan_results).ties == ()


def test_the_places_of_all_stages_are_those_of_the_last_one_first(tmp_path: Path) -> None:
    path = write(tmp_path, STAGES + FOUR, GAME)
    order = ["dora", "cleo", "bob", "ann"]
    play(plans_of(path)[0], order)
    play(plans_of(path)[1], order[::-1])
    places = results_of_event(event_at(path), plan_results).places
    assert [(one.place, one.name, one.stage) for one in places] == [
        (1, "cleo", "Final round"),
        (2, "dora", "Final round"),
        (3, "bob", "groups"),
        (4, "ann", "groups"),
    ]


def test_bots_that_share_a_place_of_an_event_are_shown_with_all_places_that_they_share(
    tmp_path: Path,
) -> None:
    path = write(tmp_path, STAGES.replace("take = 2", "take = 3") + FOUR, GAME + "third_place = false\n")
    play(plans_of(path)[0], ["dora", "cleo", "bob", "ann"])
    places = results_of_event(event_at(path), plan_results).places
    assert [(one.shown, one.name) for one in places][3:] == [("4", "ann")]
    assert {one.shown for one in places[:3]} == {"1-3"}


def test_a_bot_that_was_left_out_has_no_place(tmp_path: Path) -> None:
    path = write(tmp_path, STAGES + FOUR, GAME)
    [plan] = plans_of(path)
    with Store(plan.store) as store:
        store.note(*field_note(FieldNote(("ann", "bob", "cleo"), {"dora": "does not start"})))
        there = [one for one in fixtures(plan) if "dora" not in one.bots]
        store.add([played(one, (1, 1)) for one in there])
    placed = {one.name for one in results_of_event(event_at(path), plan_results).places}
    assert placed == {"ann", "bob", "cleo"}


@pytest.mark.parametrize("absent", [("dora",), ("cleo", "dora")])
def test_a_stage_takes_fewer_bots_if_no_more_have_results(tmp_path: Path, absent: tuple[str, ...]) -> None:
    path = write(tmp_path, STAGES.replace("take = 2", "take = 4") + FOUR, GAME + "blocks = 1\n")
    [plan] = plans_of(path)
    best = [name for name in plan.names if name not in absent]
    with Store(plan.store) as store:
        store.note(*field_note(FieldNote(tuple(best), dict.fromkeys(absent, "does not start"))))
        there = [one for one in fixtures(plan) if not {*absent} & {*one.bots}]
        store.add([played(one, tuple(1 + (bot != min(one.bots)) for bot in one.bots)) for one in there])
    event = event_at(path)
    assert names(event)["final-round"] == tuple(best)
    assert results_of_event(event, plan_results).ties == (
        f"Stage Final round takes 4 bots, but has only {len(best)}: no more have results in groups.",
    )


@pytest.mark.parametrize("games", [GAME, GAMES.replace("seats = 3\n", "")], ids=["one game", "two games"])
def test_a_bot_goes_on_if_all_others_of_its_pool_are_left_out(tmp_path: Path, games: str) -> None:
    text = STAGES.replace("take = 2", "take = 1") + (games if games != GAME else "") + FOUR
    path = write(tmp_path, text, (GAME if games == GAME else "") + "blocks = 1\npools = 2\n")
    for plan in plans_of(path):
        assert pools_of(plan) == [("ann", "dora"), ("bob", "cleo")]
        with Store(plan.store) as store:
            store.note(*field_note(FieldNote(("ann", "bob", "cleo"), {"dora": "does not start"})))
            there = [one for one in fixtures(plan) if "bob" in one.bots]
            store.add([played(one, tuple(1 + (bot != "bob") for bot in one.bots)) for one in there])
    for part, going in names(event_at(path)).items():
        assert not part.startswith("final") or going == ("ann", "bob")


def test_the_combined_table_names_the_weights(tmp_path: Path) -> None:
    path = write(tmp_path, GAMES + FOUR)
    for plan in plans_of(path):
        play(plan, ["ann", "bob", "cleo", "dora"])
    table = results_of_event(event_at(path), plan_results).combined
    assert table is not None
    assert table.weights == {"Two": 1, "Three": 2}
    assert {line.name: line.value for line in table.lines} == {"ann": 9, "bob": 6, "cleo": 3, "dora": 0}


# Pseudonyms.


def masks(path: Path) -> Mapping[str, str]:
    return plans_of(path)[0].masks


def test_a_bot_that_is_added_changes_no_pseudonym(tmp_path: Path) -> None:
    before = masks(write(tmp_path, FOUR, GAME))
    after = masks(write(tmp_path, FOUR + bots("emil"), GAME))
    assert {name: after[name] for name in before} == before
    assert len(set(after.values())) == 5


def test_pseudonyms_are_the_same_in_all_parts_and_others_with_another_seed(tmp_path: Path) -> None:
    one, other = plans_of(write(tmp_path, GAMES + FOUR))
    assert one.masks == other.masks
    path = write(tmp_path, FOUR, GAME)
    path.write_text(path.read_text().replace(SEED, SEED[::-1]))
    assert not set(masks(path).values()) & set(one.masks.values())
