"""The one formula of every hash chain."""

import hashlib

import pytest

from referee.replay.hashchain import START, link


def test_a_link_is_the_hash_of_the_link_before_it_and_the_body() -> None:
    assert START == "0" * 64
    first = link(START, b"one")
    assert first == hashlib.sha256(b"0" * 64 + b"one").hexdigest()
    assert link(first, b"two") == hashlib.sha256(first.encode() + b"two").hexdigest()


def test_a_link_that_is_no_text_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="surrogates"):
        link("\udcff", b"one")
