"""A missing tool is never passed over in silence."""

import pytest

from tests.lacking import ALL_TOOLS, lacking


def test_a_missing_tool_skips_the_test_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ALL_TOOLS, raising=False)
    with pytest.raises(pytest.skip.Exception, match="there is no chromium"):
        lacking("there is no chromium")


def test_a_missing_tool_is_a_failure_where_all_are_meant_to_be_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ALL_TOOLS, "1")
    with pytest.raises(pytest.fail.Exception, match="there is no chromium"):
        lacking("there is no chromium")
