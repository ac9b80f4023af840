"""The server of metrics and health, apart from a daemon: what it answers, and what it does not reveal."""

import gzip
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from referee.cli.output.metrics import Metrics


def test_the_server_names_no_version_of_its_parts() -> None:
    with Metrics("0") as metrics, urlopen(f"{metrics.address}/metrics") as answer:
        assert answer.headers["Server"] == "referee"
        assert answer.headers["Content-Type"].startswith("text/plain; version=")
        assert b"process_cpu_seconds_total" in answer.read()


def test_metrics_are_compressed_for_a_client_that_asks_for_it() -> None:
    with Metrics("0") as metrics:
        request = Request(f"{metrics.address}/metrics", headers={"Accept-Encoding": "gzip"})
        with urlopen(request) as answer:
            assert answer.headers["Content-Encoding"] == "gzip"
            assert b"process_cpu_seconds_total" in gzip.decompress(answer.read())


def test_another_path_is_answered_with_the_paths_there_are() -> None:
    with Metrics("0") as metrics, pytest.raises(HTTPError) as raised:
        urlopen(f"{metrics.address}/")
    assert raised.value.code == 404
    assert raised.value.read() == b"/metrics and /healthz are here\n"
    raised.value.close()
