"""Bytecode for bots that cannot write it: current, and an error for none."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]


def test_modules_have_current_bytecode_afterwards(tmp_path: Path) -> None:
    source = tmp_path / "kit" / "module.py"
    source.parent.mkdir()
    source.write_text("X = 1\n")
    source.with_name("broken.py").write_text("X =\n")
    compiled = Path(importlib.util.cache_from_source(str(source)))
    _compile(source.parent)
    first = compiled.read_bytes()
    source.write_text("X = 1234\n")
    os.utime(source, (1, 1))
    _compile(source.parent)
    assert compiled.read_bytes() != first


def test_no_bytecode_is_written_where_python_must_not_write_it(tmp_path: Path) -> None:
    source = tmp_path / "module.py"
    source.write_text("X = 1\n")
    _compile(tmp_path, PYTHONDONTWRITEBYTECODE="1")
    assert list(tmp_path.iterdir()) == [source]


def _compile(folder: Path, **environment: str) -> None:
    code = (
        "import sys; from pathlib import Path; from referee.process.bytecode import compile_modules; "
        "compile_modules([Path(sys.argv[1])])"
    )
    usual = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder)],
        cwd=ROOT,
        env=usual | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert not done.stdout
    assert not done.stderr
