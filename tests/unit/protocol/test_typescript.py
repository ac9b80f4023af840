"""The messages as TypeScript types."""

import re
import subprocess
import sys

import pytest

from protocol import schema, typescript


def test_the_checked_in_types_are_fresh() -> None:
    fresh = typescript.FILE.read_text(encoding="utf-8") == typescript.text()
    assert fresh, "run: python -m protocol.typescript --write"


@pytest.mark.parametrize("name", schema.schema()["$defs"])
def test_every_definition_has_its_type(name: str) -> None:
    definition = schema.schema()["$defs"][name]
    text = typescript.text()
    if "properties" not in definition:
        named = [choice["$ref"].rpartition("/")[2] for choice in definition["anyOf"]]
        assert f"export type {name} = {' | '.join(named)};" in text
        return
    interface = re.search(rf"export interface {name} \{{\n(.*?)\}}", text, re.DOTALL)
    assert interface
    fields = re.findall(r"^  (\w+)(\??): .+;$", interface[1], re.MULTILINE)
    assert [field for field, _ in fields] == list(definition["properties"])
    assert [field for field, mark in fields if not mark] == definition["required"]


@pytest.mark.parametrize(
    "line",
    [
        '  type: "hello";',
        "  wants?: string[];",
        "  token?: string | null;",
        "  options: Record<string, string | number>;",
        "  clock: AskClock;",
        "  ranks: number[];",
        "  resumed?: boolean;",
        "  view?: Record<string, any> | null;",
    ],
)
def test_a_value_has_the_type_that_the_schema_says(line: str) -> None:
    assert f"\n{line}\n" in typescript.text()


def test_the_module_prints_the_types() -> None:
    command = [sys.executable, "-m", "protocol.typescript"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == typescript.text()
    wrong = subprocess.run([*command, "--help-me"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 2
    assert "usage" in wrong.stderr
