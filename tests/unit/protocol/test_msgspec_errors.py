"""The texts of msgspec's errors are split into what is wrong and where."""

import msgspec
import pytest

from protocol.messages import Act
from protocol.msgspec_errors import split_validation_error


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        ("x", int, ("Expected `int`, got `str`", "")),
        ({"match": 1}, Act, ("Expected `str`, got `int`", "$.match")),
        ({"a": ["x"]}, dict[str, list[int]], ("Expected `int`, got `str`", "$[...][0]")),
        ({"a": 1}, dict[int, int], ("Expected `int`, got `str`", "key in $")),
    ],
)
def test_an_error_is_split_into_what_is_wrong_and_its_path(
    value: object, kind: type, expected: tuple[str, str]
) -> None:
    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.convert(value, kind)
    assert split_validation_error(caught.value) == expected
