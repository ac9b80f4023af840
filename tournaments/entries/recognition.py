"""Recognises how a bot is built and started: by its bot.toml, its build file, or its main file.

The first rule that fits counts. A main file is called `main` or `bot`, or is the only file of its language.
"""

import json
import re
import shlex
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from tournaments.config.file_keys import Command
from tournaments.config.mistakes import Mistakes, PlanError, look, syntax_error
from tournaments.entries.submission_error import SubmissionError

BOT_FILE: Final = "bot.toml"
_MOST_BYTES: Final = 1 << 20
_MOST_TOML: Final = 1 << 14
"""Python reads a TOML key of many parts in time that grows with the square of their number."""
_CURE: Final = f'add a {BOT_FILE} with command = "..." (docs/entries.md)'


class BotFile(Struct, frozen=True):
    """The keys of a bot.toml."""

    command: Command
    name: str = ""
    language: str = ""
    build: str = ""


class Recipe(Struct, frozen=True):
    """How a bot is built and started."""

    language: str
    command: tuple[str, ...] = ()
    """Its words, in the bot's folder; empty if the build shows what it is."""
    build: str = ""
    """A line for a shell, in the bot's folder; empty if there is nothing to build."""
    products: tuple[str, ...] = ()
    """Where the build puts the program, as patterns; the first that fits one file counts."""
    starter: tuple[str, ...] = ()
    """What goes before the program."""
    folder: str = ""
    """The bot's folder in the submission; empty: all of it."""


class _Kind(Struct, frozen=True):
    """A language whose bots are a main file."""

    language: str
    suffixes: tuple[str, ...]
    starter: tuple[str, ...] = ()
    """What runs a main file; empty: it is built first, or runs by itself."""
    build: str = ""
    """How it is built: `{main}` is the main file, `{stem}` its name without ending."""
    command: tuple[str, ...] = ()


_KINDS: Final = (
    _Kind("Python", (".py",)),
    _Kind("JavaScript", (".js", ".mjs", ".cjs"), ("node",)),
    _Kind("Bash", (".sh", ".bash"), ("bash",)),
    _Kind("Perl", (".pl",), ("perl",)),
    _Kind("Ruby", (".rb",), ("ruby",)),
    _Kind("Lua", (".lua",), ("lua",)),
    _Kind("PHP", (".php",), ("php",)),
    _Kind("Java", (".java",), build="javac -d classes *.java", command=("java", "-cp", "classes", "{stem}")),
    _Kind("C", (".c",), build="cc -O2 -o bot *.c -lm", command=("./bot",)),
    _Kind("C++", (".cpp", ".cc", ".cxx"), build="c++ -O2 -std=c++20 -o bot *{suffix}", command=("./bot",)),
    _Kind("Rust", (".rs",), build="rustc -O -o bot {main}", command=("./bot",)),
    _Kind("Go", (".go",), build="GO111MODULE=off go build -o bot *.go", command=("./bot",)),
    _Kind("Java", (".jar",), ("java", "-jar")),
)
_COMPILED: Final = (".c", ".cpp", ".cc", ".cxx", ".rs", ".go", ".java", ".hs", ".zig", ".cs", ".kt", ".nim")
_HELPER: Final = re.compile(r"(?:tests?|ci|build|setup|conftest)\.|test_", re.I)
"""Files that authors write around a bot."""
_MAIN: Final = ("main", "bot", "__main__", "index", "run", "start")
"""What a main file may be called; capitals do not count."""


def recognise(folder: Path) -> Recipe:
    """Return how the bot in a folder is built and started. Raises SubmissionError if that is not clear."""
    unclear: SubmissionError | None = None
    for rule in (_recognised, _last_resort):
        for inside in _places(folder):
            try:
                recipe = rule(folder / inside)
            except SubmissionError as error:
                # Another place may be clear: the scripts around a bot are not the bot.
                unclear = unclear or error
                continue
            if recipe is not None:
                return msgspec.structs.replace(recipe, folder=inside)
    some = ", ".join(sorted(path.name for path in folder.iterdir())[:8])
    raise unclear or SubmissionError(
        f"no bot.toml, Makefile or main file is among its files ({some}): {_CURE}"
    )


def _places(folder: Path) -> list[str]:
    """Return the folders in which a bot may be: the whole, and the usual places inside."""
    if (folder / BOT_FILE).is_file():
        return [""]
    inside = sorted(path.name for path in folder.iterdir() if path.is_dir() and not path.is_symlink())
    usual = [name for name in ("bot", "src") if name in inside]
    return ["", *usual, *([inside[0]] if len(inside) == 1 and inside != usual else [])]


def _files(folder: Path) -> set[str]:
    """Return the names of the files in which a bot may be: hidden ones are settings of its author's tools."""
    files = [path for path in folder.iterdir() if path.is_file() and not path.is_symlink()]
    return {path.name for path in files if not path.name.startswith(".")}


def _recognised(folder: Path) -> Recipe | None:
    names = _files(folder)
    if BOT_FILE in names:
        return _described(folder / BOT_FILE)
    for name, rule in _BUILD_FILES.items():
        if name in names:
            return rule(folder / name)
    has_sources = any(Path(name).suffix in _COMPILED for name in names)
    return _MADE if has_sources and not names.isdisjoint(_MAKEFILES) else _main_file(folder, names)


def _last_resort(folder: Path) -> Recipe | None:
    """Return the recipe of a Makefile without sources beside it, or of a program that runs by itself."""
    names = _files(folder)
    return _program(folder, names) if names.isdisjoint(_MAKEFILES) else _MADE


# bot.toml.


def _described(path: Path) -> Recipe:
    """Return what a bot.toml says; that of a sample bot may be copied too."""
    raw = _toml(path)
    if isinstance(raw.get("bot"), list):
        return _sample(raw)
    mistakes = Mistakes(Path(path.name), _text(path))
    look(raw, BotFile, mistakes)
    try:
        mistakes.raise_any()
    except PlanError as error:
        raise SubmissionError("; ".join(str(error).splitlines())) from error
    file = msgspec.convert(raw, BotFile)
    return Recipe(file.language, _words(file.command), file.build)


def _sample(raw: Mapping[str, Any]) -> Recipe:
    try:
        first = raw["bot"][0]
        words = _words(str(first["run"]).replace("{here}", "."))
        return Recipe(str(raw.get("language", "")), words, str(first.get("build", "")))
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise SubmissionError(f"{BOT_FILE}: it is not as a sample's: {_CURE}") from error


def _words(command: str | list[str]) -> tuple[str, ...]:
    """Return the words of a command; a Python file is run by the referee's Python, which has the kit."""
    try:
        words = shlex.split(command) if isinstance(command, str) else list(command)
    except ValueError as error:
        raise SubmissionError(f"{BOT_FILE}: cannot read the command {command!r}: {error}") from error
    if not words:
        raise SubmissionError(f"{BOT_FILE}: the command is empty")
    is_python = len(words) > 1 and re.fullmatch(r"python3?", words[0]) and words[1].lower().endswith(".py")
    return tuple(words[1:] if is_python else words)


# Build files.


def _cargo(path: Path) -> Recipe:
    raw = _toml(path)
    binaries = raw.get("bin") or [raw.get("package") or {}]
    named = binaries[0].get("name") if isinstance(binaries, list) and isinstance(binaries[0], dict) else None
    is_plain = isinstance(named, str) and re.fullmatch(r"[\w-]{1,200}", named)
    products = (f"target/release/{named}",) if is_plain else ()
    return Recipe("Rust", (), "cargo build --release", (*products, "target/release/*"))


def _go(_path: Path) -> Recipe:
    return Recipe("Go", ("./bot",), "go build -o bot .")


def _maven(_path: Path) -> Recipe:
    products = ("target/bot.jar", "target/*-with-dependencies.jar", "target/*.jar")
    return Recipe("Java", (), "mvn --batch-mode --quiet package", products, ("java", "-jar"))


def _node(path: Path) -> Recipe:
    try:
        raw = json.loads(_text(path))
        scripts, needed = raw.get("scripts") or {}, raw.get("dependencies") or {}
        main = str(raw.get("main") or "")
        builds = "build" in scripts
    except (AttributeError, TypeError) as error:
        raise SubmissionError("package.json: it is no JSON of a package: it lacks the keys of one") from error
    except (ValueError, RecursionError) as error:
        raise SubmissionError(f"package.json: it is no JSON of a package: {error}") from error
    if main and not re.fullmatch(r"(?:\./)?[\w@+ -][\w.@+ -]{0,99}(?:/[\w@+ -][\w.@+ -]{0,99}){0,9}", main):
        raise SubmissionError('package.json: "main" is no plain path of a file in this folder: change it')
    folder = path.parent
    has_modules = (folder / "node_modules").is_dir()
    steps = [*(["npm install"] if needed and not has_modules else []), *(["npm run build"] if builds else [])]
    mains = [main, "dist/bot.js", "dist/main.js", "dist/index.js", "bot.js", "main.js", "index.js"]
    there = [name for name in mains if name and (builds or (folder / name).is_file())]
    if not there:
        raise SubmissionError(f'package.json: it names no "main", and there is no bot.js: {_CURE}')
    if builds:
        return Recipe("JavaScript", (), " && ".join(steps), tuple(there), ("node",))
    return Recipe("JavaScript", ("node", there[0]), " && ".join(steps))


def _cmake(_path: Path) -> Recipe:
    build = "cmake -S . -B build -DCMAKE_BUILD_TYPE=Release && cmake --build build"
    return Recipe("C or C++", (), build, ("build/bot", "build/main", "build/*"))


_MAKEFILES: Final = frozenset(["Makefile", "makefile", "GNUmakefile"])
_MADE: Final = Recipe(
    "Makefile",
    build="make",
    products=("bot", "main", "build/bot", "bin/bot", "build/*", "bin/*", "*"),
)

_BUILD_FILES: Final[Mapping[str, Callable[[Path], Recipe]]] = {
    "Cargo.toml": _cargo,
    "go.mod": _go,
    "pom.xml": _maven,
    "package.json": _node,
    "CMakeLists.txt": _cmake,
}


# Main files.


def _main_file(folder: Path, names: Collection[str]) -> Recipe | None:
    """Return the recipe of the main file: by its name, or because it is the only file of its language."""
    found = [
        (rank, name, kind)
        for kind in _KINDS
        for name in sorted(names)
        if Path(name).suffix.lower() in kind.suffixes and not _HELPER.match(name)
        for rank in [_rank(name)]
    ]
    named = [one for one in found if one[0] < len(_MAIN)]
    if named:
        best = min(one[0] for one in named)
        chosen = [one for one in named if one[0] == best]
    else:
        chosen = found
    if not chosen:
        return None
    (_, name, kind), *others = chosen
    is_one_program = all(other is kind for _, _, other in others) and kind.build
    if others and not is_one_program:
        two = " and ".join(name for _, name, _ in chosen[:2])
        raise SubmissionError(f"which is the bot, {two}? Call it main{Path(name).suffix}, or {_CURE}")
    return _of_kind(kind, name if len(chosen) == 1 else _java_main(folder, chosen, name))


def _rank(name: str) -> int:
    stem = Path(name).stem.lower()
    return _MAIN.index(stem) if stem in _MAIN else len(_MAIN)


def _java_main(folder: Path, chosen: Sequence[tuple[int, str, _Kind]], first: str) -> str:
    """Return the file with a main method among several of one language."""
    having = [name for _, name, _ in chosen if re.search(r"\bmain\s*\(", _text(folder / name))]
    return having[0] if having else first


def _of_kind(kind: _Kind, name: str) -> Recipe:
    path = Path(name)
    if not kind.build:
        # A name with a dash before it would be an option.
        return Recipe(kind.language, (*kind.starter, f"./{name}" if name.startswith("-") else name))
    build = kind.build.format(main=shlex.quote(name), suffix=path.suffix)
    return Recipe(kind.language, tuple(word.format(stem=path.stem) for word in kind.command), build)


def _program(folder: Path, names: Collection[str]) -> Recipe | None:
    """Return the recipe of a program that runs by itself: an executable, or a script with its interpreter."""
    runnable = sorted(name for name in names if _runs(folder / name))
    called = [name for name in runnable if Path(name).stem.lower() in _MAIN] or runnable
    return Recipe("program", (f"./{called[0]}",)) if len(called) == 1 else None


def _runs(path: Path) -> bool:
    with path.open("rb") as file:
        head = file.read(4)
    return head.startswith((b"#!", b"\x7fELF"))


# What a build has made.


def product_of(recipe: Recipe, folder: Path, before: set[Path]) -> tuple[str, ...]:
    """Return the command of a bot that is built. `before` are the files that were there before it was."""
    if recipe.command:
        return recipe.command
    is_program = not recipe.starter
    for pattern in recipe.products:
        fits = [path for path in sorted(folder.glob(pattern)) if path.is_file() and path not in before]
        if is_program:
            fits = [path for path in fits if path.stat().st_mode & 0o100 and _runs(path)]
        if len(fits) == 1 or (fits and not is_program):
            return (
                *recipe.starter,
                str(fits[0].relative_to(folder)) if recipe.starter else f"./{fits[0].relative_to(folder)}",
            )
    where = " or ".join(recipe.products[:3])
    raise SubmissionError(f"the build ended well, but no program was found (looked for {where}): {_CURE}")


def _toml(path: Path) -> dict[str, Any]:
    if path.stat().st_size > _MOST_TOML:
        raise SubmissionError(f"{path.name}: it is larger than {_MOST_TOML >> 10} KiB; shorten it")
    try:
        return tomllib.loads(_text(path))
    except tomllib.TOMLDecodeError as error:
        raise SubmissionError(str(syntax_error(Path(path.name), error))) from error
    except (ValueError, RecursionError) as error:
        raise SubmissionError(f"{path.name}: this is no TOML: {error}") from error


def _text(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(_MOST_BYTES).decode("utf-8-sig", errors="replace").replace("\r\n", "\n")
