"""Modules of JavaScript are linked into one script, and what cannot be linked is refused."""

import shutil
import subprocess
from pathlib import Path

import pytest

import referee.player
from referee import registry
from referee.errors import RefereeError
from referee.player.linker import link, script, style, web_file
from tests.lacking import lacking

WEB = Path(referee.player.__file__).parent / "web"

MODULES = {
    "main.js": (
        'import { twice, Box as Case } from "./parts.js";\n'
        'import data from "./data.json" with { type: "json" };\n'
        "export const answer = twice(data.number) + new Case(1).content;\nconsole.log(answer);\n"
    ),
    "parts.js": (
        'import { two } from "./base.js";\nexport function twice(value) {\n  return two * value;\n}\n'
        "export class Box {\n  constructor(content) {\n    this.content = content;\n  }\n}\n"
    ),
    "base.js": "export const two = 2;\n",
    "data.json": '{"number": 20, "text": "</script>"}',
}


def linked(**changes: str) -> str:
    modules = MODULES | {name.replace("_", "."): text for name, text in changes.items()}
    return link("main.js", modules.__getitem__)


def test_a_linked_script_runs_without_modules(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        lacking("there is no Node.js on this host: `apt-get install nodejs`")
    path = tmp_path / "linked.cjs"
    path.write_text(linked())
    ended = subprocess.run([node, path], capture_output=True, text=True, timeout=60, check=True)
    assert ended.stdout == "41\n"


def test_a_module_stands_once_and_before_those_that_import_it() -> None:
    text = linked(
        main_js='import { two } from "./base.js";\nimport { twice } from "./parts.js";\ntwice(two);\n'
    )
    assert text.count("const two = 2") == 1
    assert text.index("const two = 2") < text.index("function twice")


def test_data_cannot_end_the_script_of_a_page() -> None:
    assert "</script" not in linked()


@pytest.mark.parametrize(
    "line",
    [
        'import * as parts from "./parts.js";',
        'export { twice } from "./parts.js";',
        "export default 1;",
        "export let changing = 1;",
        '  import { twice } from "./parts.js";',
    ],
)
def test_a_line_of_another_form_is_refused_with_its_module(line: str) -> None:
    with pytest.raises(RefereeError, match=r"main\.js: this line cannot be linked"):
        linked(main_js=f"{line}\n")


def test_modules_that_import_each_other_are_refused() -> None:
    with pytest.raises(RefereeError, match=r"base\.js -> parts\.js -> base\.js|in a circle"):
        linked(base_js='import { twice } from "./parts.js";\nexport const two = twice;\n')


@pytest.mark.parametrize("entry", ["replay_page.js", "match_page.js", "position.js"])
def test_every_entry_links_with_all_games(entry: str) -> None:
    code = script(entry, registry.games())
    assert "</script" not in code.lower()
    assert "chicago-poker" in code


@pytest.mark.parametrize("path", sorted(WEB.glob("*.js")), ids=lambda path: path.name)
def test_scripts_make_no_markup_of_texts_and_ask_no_other_host(path: Path) -> None:
    text = path.read_text()
    for banned in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "new Function",
        "fetch(",
    ):
        assert banned not in text, f"{path.name} uses {banned}"
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    assert max(map(len, text.splitlines())) <= 140


def test_a_sheet_has_the_styles_asked_for_and_those_of_the_boards() -> None:
    sheet = style(["theme.css"], [registry.game("gangsters")])
    assert sheet.startswith(web_file("theme.css"))
    assert len(sheet) > len(web_file("theme.css"))
