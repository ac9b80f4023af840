"""How a bot is built and started, recognised by its files."""

import json
from pathlib import Path

import pytest

from sample_bots.project import kinds, new_project, write
from tests.classroom.submissions import as_folder
from tournaments.entries.recognition import Recipe, product_of, recognise
from tournaments.entries.submission_error import SubmissionError


def recipe(tmp_path: Path, **files: str) -> Recipe:
    """Recognise a folder with these files; `__` stands for the dot in a name."""
    folder = tmp_path / "bot-folder"
    as_folder({name.replace("__", "."): text for name, text in files.items()})(folder)
    return recognise(folder)


@pytest.mark.parametrize("language", kinds())
def test_a_project_of_new_bot_is_recognised_in_every_language(tmp_path: Path, language: str) -> None:
    project = new_project(language, tmp_path / "mybot", "gangsters", None)
    write(project)
    found = recognise(tmp_path / "mybot")
    assert found.language == project.language.language
    assert list(found.command) == project.words
    assert found.build.endswith(project.sample.build)
    assert bool(found.build) == bool(project.sample.build)


@pytest.mark.parametrize("language", kinds())
def test_such_a_project_is_recognised_without_its_bot_file_too(tmp_path: Path, language: str) -> None:
    write(new_project(language, tmp_path / "mybot", "gangsters", None))
    (tmp_path / "mybot" / "bot.toml").unlink()
    found = recognise(tmp_path / "mybot")
    assert found.folder == "bot"
    assert found.command or found.products


MAINS = {
    "main.py": ("main.py",),
    "bot.js": ("node", "bot.js"),
    "strategy.py": ("strategy.py",),
    "MAIN.PY": ("MAIN.PY",),
    "Main.java": ("java", "-cp", "classes", "Main"),
    "bot.c": ("./bot",),
    "bot.cpp": ("./bot",),
    "main.rs": ("./bot",),
    "main.go": ("./bot",),
    "bot.sh": ("bash", "bot.sh"),
    "bot.pl": ("perl", "bot.pl"),
    "bot.jar": ("java", "-jar", "bot.jar"),
}


@pytest.mark.parametrize("name", MAINS)
def test_a_main_file_is_a_bot(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("x")
    (tmp_path / "README.md").write_text("x")
    assert recognise(tmp_path).command == MAINS[name]


def test_a_main_file_is_no_option_of_what_runs_it(tmp_path: Path) -> None:
    assert recipe(tmp_path, **{"--help.py": ""}).command == ("./--help.py",)
    assert recipe(tmp_path / "perl", **{"-e.pl": ""}).command == ("perl", "./-e.pl")


def test_main_goes_before_bot_and_helpers_do_not_count(tmp_path: Path) -> None:
    found = recipe(tmp_path, main__py="", bot__py="", test_main__py="", setup__py="", tools__sh="")
    assert found.command == ("main.py",)


def test_a_hidden_file_is_no_bot(tmp_path: Path) -> None:
    for name in (".eslintrc.js", "._player.js", "player.js"):
        (tmp_path / name).write_text("x")
    assert recognise(tmp_path).command == ("node", "player.js")


def test_several_files_of_a_compiled_language_are_one_program(tmp_path: Path) -> None:
    found = recipe(tmp_path, Cards__java="class Cards {}", Player__java="void main(String[] words)")
    assert found.command == ("java", "-cp", "classes", "Player")


def test_a_makefile_counts_if_there_is_something_to_compile(tmp_path: Path) -> None:
    assert recipe(tmp_path / "c", Makefile="", strategy__c="").build == "make"
    assert recipe(tmp_path / "python", Makefile="", main__py="").command == ("main.py",)


BUILD_FILES = {
    "Cargo.toml": ('[package]\nname = "ferris"\n', "cargo build --release", "target/release/ferris"),
    "go.mod": ("module bot\n", "go build -o bot .", ""),
    "pom.xml": ("<project/>", "mvn --batch-mode --quiet package", "target/bot.jar"),
    "CMakeLists.txt": (
        "",
        "cmake -S . -B build -DCMAKE_BUILD_TYPE=Release && cmake --build build",
        "build/bot",
    ),
}


@pytest.mark.parametrize("name", BUILD_FILES)
def test_a_build_file_says_how_to_build(tmp_path: Path, name: str) -> None:
    text, build, product = BUILD_FILES[name]
    (tmp_path / name).write_text(text)
    found = recognise(tmp_path)
    assert found.build == build
    assert not product or found.products[0] == product


def test_a_package_installs_what_it_needs_unless_it_was_submitted(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text('{"main": "play.js", "dependencies": {"zeromq": "6"}}')
    (tmp_path / "play.js").write_text("")
    assert recognise(tmp_path).build == "npm install"
    (tmp_path / "node_modules").mkdir()
    assert recognise(tmp_path).build == ""
    assert recognise(tmp_path).command == ("node", "play.js")


def test_a_bot_file_goes_before_everything_and_its_python_is_ours(tmp_path: Path) -> None:
    text = 'name = "x"\nlanguage = "Python"\nbuild = "true"\ncommand = "python3 strategy.py --fast"\n'
    found = recipe(tmp_path, bot__toml=text, main__py="", Makefile="")
    assert found == Recipe("Python", ("strategy.py", "--fast"), "true")


WRONG = {
    "comand = 'x'\n": "comand: there is no such key here: did you mean command?",
    "name = 'x'\n": "command: is missing",
    "command = x\n": "bot.toml:1: this is no TOML",
    'command = "\'"\n': "cannot read the command",
    "command = []\n": "command: is a text",
    "[[bot]]\nname = 'x'\n": "not as a sample's",
}


@pytest.mark.parametrize("text", WRONG, ids=list(WRONG.values()))
def test_a_mistake_in_a_bot_file_is_named(tmp_path: Path, text: str) -> None:
    with pytest.raises(SubmissionError) as raised:
        recipe(tmp_path, bot__toml=text)
    assert WRONG[text] in str(raised.value)
    assert str(tmp_path) not in str(raised.value)


def test_what_is_not_recognised_gets_a_sentence_with_the_cure(tmp_path: Path) -> None:
    with pytest.raises(
        SubmissionError, match=r"no bot\.toml, Makefile or main file .*essay\.pdf.*: add a bot\.toml"
    ):
        recipe(tmp_path, essay__pdf="")


def test_two_possible_bots_are_named(tmp_path: Path) -> None:
    with pytest.raises(SubmissionError, match=r"which is the bot, main\.py and main\.js\?"):
        recipe(tmp_path, main__py="", main__js="")


def test_a_build_that_makes_no_program_is_named(tmp_path: Path) -> None:
    with pytest.raises(SubmissionError, match="no program was found"):
        product_of(Recipe("Makefile", build="make", products=("bot",)), tmp_path, set())


@pytest.mark.parametrize("main", ["/etc/passwd", "../../x.js", "a/../../x.js", "x" * 5_000, "**x.js", "a\0b"])
@pytest.mark.parametrize("scripts", [{}, {"build": "true"}])
def test_a_package_names_a_plain_file_of_its_folder(
    tmp_path: Path, main: str, scripts: dict[str, str]
) -> None:
    with pytest.raises(SubmissionError, match="no plain path"):
        recipe(tmp_path, package__json=json.dumps({"main": main, "scripts": scripts}), bot__js="")


def test_a_package_that_is_a_list_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(
        SubmissionError, match=r"^package\.json: it is no JSON of a package: it lacks the keys"
    ):
        recipe(tmp_path, package__json="[1]")


@pytest.mark.parametrize("name", ["../../bin/true", "**x", "a\0b", "x" * 5_000, "/x"])
def test_a_crate_of_an_odd_name_leads_nowhere(tmp_path: Path, name: str) -> None:
    found = recipe(tmp_path, Cargo__toml=f"[package]\nname = {json.dumps(name)}\n")
    assert found.products == ("target/release/*",)


@pytest.mark.timeout(20)
@pytest.mark.parametrize("name", ["bot.toml", "Cargo.toml"])
def test_a_toml_that_would_be_read_for_hours_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(SubmissionError, match=f"{name}: it is larger than 16 KiB"):
        recipe(tmp_path, **{name: "a." * 200_000 + "a = 1\n"})
