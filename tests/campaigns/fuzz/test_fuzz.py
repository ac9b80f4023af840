"""The quick form of all fuzzing: known inputs, new ones, and hypothesis. `make fuzz` is the long form."""

import json
import sys
from importlib.util import find_spec
from typing import Any

import msgpack  # type: ignore[import-untyped]
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol import limits
from protocol.codec import Encoding, encode
from tests.campaigns.fuzz import engine, guided
from tests.campaigns.fuzz.codecs import check_bot
from tests.campaigns.fuzz.engine import FoundError, HangError, Target, run
from tests.campaigns.fuzz.targets import TARGETS
from tests.lacking import lacking
from tests.unit.protocol.strategies import from_bots

QUICK = {
    "codec": 20_000,
    "kit": 10_000,
    "gate": 800,
    "match": 400,
    "hub": 150,
    "replay": 150,
    "dossier": 1_000,
    "plan": 600,
    "luck": 600,
}
"""Inputs of the quick form: about a second each."""

every_target = pytest.mark.parametrize("target", TARGETS.values(), ids=list(TARGETS))

leaves: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**64 - 1),
    st.floats(),
    st.text(max_size=300),
    st.binary(max_size=20),
)
trees = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=9) | st.dictionaries(st.text(max_size=9) | leaves, inner, max_size=9)
    ),
    max_leaves=30,
)


@every_target
def test_only_documented_errors_come_out_of(
    target: Target, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "FOUND", tmp_path)
    report = run(target, QUICK[target.name], "quick")
    assert report.inputs == QUICK[target.name]


@given(message=from_bots, more=st.dictionaries(st.text(max_size=9), trees, max_size=3), data=st.data())
def test_messages_with_anything_in_place_of_something(
    message: Any, more: dict[str, Any], data: st.DataObject
) -> None:
    plain = msgpack.unpackb(encode(message, Encoding.MSGPACK)) | more
    plain[data.draw(st.sampled_from(sorted(plain)))] = data.draw(trees)
    check_bot(_packed(plain))
    check_bot(json.dumps(_in_json(plain)).encode("utf-8", "surrogatepass")[: limits.MESSAGE_BYTES + 1])


def _packed(plain: Any) -> bytes:
    return bytes(msgpack.packb(plain, unicode_errors="surrogatepass"))


def _in_json(plain: Any) -> Any:
    """Return what JSON can say of a value."""
    if isinstance(plain, dict):
        return {str(key): _in_json(value) for key, value in plain.items()}
    if isinstance(plain, list):
        return [_in_json(value) for value in plain]
    return plain.hex() if isinstance(plain, bytes) else plain


@pytest.mark.parametrize("name", ["gate", "match", "hub"])
def test_any_program_of_inputs_in_any_order(name: str) -> None:
    @settings(max_examples=2 * settings().max_examples)
    @given(st.binary(min_size=4, max_size=300))
    def play(program: bytes) -> None:
        TARGETS[name].check(program)

    try:
        play()
    finally:
        TARGETS[name].close()


def test_atheris_runs_the_same_targets(capfd: pytest.CaptureFixture[str]) -> None:
    if find_spec("atheris") is None:
        lacking("atheris is not installed here: pip install '.[fuzz]'")
    assert guided.run("codec", 2_000, 60) == 0
    assert "Done 2000 runs" in capfd.readouterr().out


def test_without_atheris_nothing_is_run_and_that_is_said(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "atheris", None)
    assert guided.run("codec", 10, 1) == 2
    assert "NOT RUN: atheris is not installed here" in capfd.readouterr().err


def _never(luck: Any, corpus: Any) -> bytes:
    return bytes([luck.getrandbits(8)])


def test_the_engine_keeps_the_input_that_brought_out_an_error(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "FOUND", tmp_path / "found")

    def check(data: bytes) -> None:
        if data == b"\x2a":
            raise KeyError("undocumented")

    with pytest.raises(FoundError, match=r"KeyError: 'undocumented'; the input \(1 bytes\) is in"):
        run(Target("toy", check, _never, list), 100_000, "1")
    (found,) = (tmp_path / "found").iterdir()
    assert found.read_bytes() == b"\x2a"


def test_the_engine_ends_an_input_that_hangs(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "FOUND", tmp_path)
    monkeypatch.setattr(engine, "HANG_S", 0.05)

    def check(data: bytes) -> None:
        while data:
            pass

    with pytest.raises(FoundError, match="still busy") as caught:
        run(Target("toy", check, _never, list), 10, "1")
    assert isinstance(caught.value.__cause__, HangError)


def test_the_engine_notices_a_process_that_grows(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "GROWTH_MIB", 8)
    kept: list[bytearray] = []

    def check(data: bytes) -> None:
        kept.append(bytearray(2**20))
        kept[-1][:] = data * 2**20

    with pytest.raises(FoundError, match="grew by"):
        run(Target("toy", check, _never, list), 1_000, "1")
