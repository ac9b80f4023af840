"""The roster of a class, as spreadsheets write it."""

from pathlib import Path

import pytest

from referee.errors import ConfigError
from tournaments.entries.class_roster import ClassRoster, RosterLine, read_roster


def roster(tmp_path: Path, data: str | bytes) -> ClassRoster:
    path = tmp_path / "class.csv"
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return read_roster(path)


SAME = {
    "plain": "id,name,team\n1,Ann Lee,Aces\n2,Zoë,\n",
    "windows": "\ufeffStudent ID;Full Name;Group\r\n1;Ann Lee;Aces\r\n2;Zoë;\r\n\r\n",
    "tabs": "SID\tStudent\tTeam name\n1\tAnn Lee\tAces\n2\tZoë\n",
    "first and last": "Username,First name,Surname,Group\n1,Ann,Lee,Aces\n2,Zoë,,\n",
    "separator named": "sep=;\r\nID;Name;Team\r\n1;Ann Lee;Aces\r\n2;Zoë;\r\n",
    "old line ends": "id,name,team\r1,Ann Lee,Aces\r2,Zoë,\r",
    "lines in cells": 'id,name,address,team\n1,"Ann\nLee","12 Street\n3rd floor",Aces\n2,Zoë,,\n',
    "quotes": '"ID","Name","Team"\n"1","Ann Lee","Aces"\n"2","Zoë",""\n',
}


@pytest.mark.parametrize("data", SAME.values(), ids=list(SAME))
def test_a_roster_is_read_as_spreadsheets_write_it(tmp_path: Path, data: str) -> None:
    ann, zoe = roster(tmp_path, data).students
    assert (ann.ids, ann.name, ann.team) == (("1",), "Ann Lee", "Aces")
    assert (zoe.ids, zoe.name, zoe.team) == (("2",), "Zoë", "")


def test_other_encodings_are_read(tmp_path: Path) -> None:
    for encoding in ("utf-16", "cp1252"):
        (zoe,) = roster(tmp_path, "id,name\n2,Zoë\n".encode(encoding)).students
        assert zoe.name == "Zoë"


def test_a_student_is_found_by_any_id_and_else_by_the_only_name() -> None:
    ann, ann_too = RosterLine(("1", "ann@x.org"), "Ann Lee"), RosterLine(("2",), "Ann Lee")
    bo = RosterLine(("3",), "Bo Berg-Larsen")
    found = ClassRoster((ann, ann_too, bo))
    assert found.find("ANN@x.org", "") is ann
    assert found.find("2", "Ann Lee") is ann_too
    assert found.find("", "Ann Lee") is None
    assert found.find("", "bo  berg-larsen") is bo
    assert found.find("77", "berglarsenbo") is bo


@pytest.mark.parametrize("word", ["Participant ", "participante ", "Teilnehmer/in"])
def test_the_worksheet_of_moodle_knows_students_by_the_numbers_in_the_names_of_files(
    tmp_path: Path, word: str
) -> None:
    text = f'Identifier,"Full name",Status\n{word}77,"Ann Lee",x\n{word}78,"Ann Lee",x\n'
    found = roster(tmp_path, text)
    one = found.find("78", "Ann Lee")
    assert one is not None
    assert one.ids == (f"{word}78".strip(),)
    assert found.find("7", "Ann Lee") is None


WRONG = {
    "": "the roster is empty",
    "shoe,size\n1,2\n": ":1: no column has ids or names",
    "id,name\n1,Ann,Lee\n": ":2: it has 3 cells, but there are 2 columns",
    "id,name\n1,Ann\n2,Bo\n1,Cem\n": ":4: the id '1' is in line 2 already",
    'id,name\n1,"a\nb"\n3,\n3,Cem\n': ":5: the id '3' is in line 4 already",
    'id,name\n1,Ann\n2,"Bo\n3,Cem\n': ":3: a quotation mark is opened and not closed",
    'id,name\n1,"Ann" Lee\n': ":2: this is no table",
    "id,name,team\n,,Aces\n": ":2: neither an id nor a name",
}


@pytest.mark.parametrize("data", WRONG, ids=list(WRONG.values()))
def test_a_mistake_names_file_and_line(tmp_path: Path, data: str) -> None:
    with pytest.raises(ConfigError) as raised:
        roster(tmp_path, data)
    assert f"{tmp_path / 'class.csv'}" in str(raised.value)
    assert WRONG[data] in str(raised.value)
