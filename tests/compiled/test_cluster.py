"""Blocks on a Ray cluster: the results of one process, whoever dies; run with the environment of docs/cluster.md."""

import json
import os
import socket
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from bj_env.analysis.benchmark import Setting, compare
from bj_env.cli.main import main
from bj_env.compiled.simulate import simulate
from bj_env.errors import BlackjackError
from bj_env.rules.houses import parse_rules
from bj_env.strategies.simple import HitDecision

ray = pytest.importorskip("ray")

from bj_env.compiled.cluster import on_cluster  # noqa: E402 (it takes ray)


@pytest.fixture(params=[1, 2], ids=["one worker", "two workers"])
def cluster(request: pytest.FixtureRequest) -> Iterator[None]:
    ray.init(address="local", num_cpus=request.param, include_dashboard=False, logging_level="error")
    yield
    ray.shutdown()


def below_15(total: int, soft: bool, upcard: int) -> bool:
    return total < 15


def test_simulate_gives_what_one_process_gives_to_the_bit(cluster: None) -> None:
    for rules, seats in (("6D PEN75", ["hi-lo", "basic"]), ("six-deck", [HitDecision(below_15)])):
        whole = simulate(rules, seats, 230_000, seed=5, threads=1)
        assert simulate(rules, seats, 230_000, seed=5, backend="ray") == whole


def test_it_stops_at_the_same_standard_error(cluster: None) -> None:
    stopped = simulate("six-deck", ["basic"], 10**9, seed=5, stderr=3e-3, backend="ray")
    assert stopped == simulate("six-deck", ["basic"], 10**9, seed=5, stderr=3e-3)


def test_the_benchmark_gives_what_one_process_gives_to_the_bit(cluster: None) -> None:
    setting = Setting(parse_rules("6D PEN75"), ("basic", "agent"), rounds=60_000, seed=3)
    assert compare({"hi-lo": "hi-lo"}, setting, cluster="auto") == compare({"hi-lo": "hi-lo"}, setting)


def test_the_command_line_says_the_same(cluster: None, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["bench", "mimic", "--rounds", "20000", "--json"]
    said = [json.loads((main([*given, *ray_option]), capsys.readouterr().out)[1]) for ray_option in ([], ["--ray"])]
    assert said[0] == said[1]


def killed_once(folder: Path, chunk: range) -> int:
    """Return the sum of a chunk; the first worker to play the chunk of 10 kills itself."""
    if chunk.start == 10:
        try:
            (folder / "killed").touch(exist_ok=False)
        except FileExistsError:
            pass
        else:
            os._exit(9)
    return sum(chunk)


def test_a_chunk_whose_worker_dies_is_played_again_and_the_order_stays(cluster: None, tmp_path: Path) -> None:
    chunks = [range(start, start + 10) for start in range(0, 100, 10)]
    play = partial(killed_once, tmp_path)
    assert list(on_cluster(play, iter(chunks))) == [sum(chunk) for chunk in chunks]
    assert (tmp_path / "killed").exists()


def failing(chunk: range) -> int:
    raise BlackjackError("expected something else")


def test_an_error_of_a_worker_is_that_of_one_process(cluster: None) -> None:
    with pytest.raises(BlackjackError, match=r"^expected something else$"):
        list(on_cluster(failing, iter([range(3)])))


def test_workers_of_another_version_are_refused(cluster: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bj_env.compiled.cluster.sources", lambda: "0123456789abcdef")  # of the driver alone
    with pytest.raises(BlackjackError, match=r"expected bj_env with the sources 0123456789ab, got .*install the same"):
        simulate("six-deck", ["basic"], 1000, backend="ray")


def refused(address: str) -> str:
    begin = time.monotonic()
    with pytest.raises(BlackjackError) as caught:
        simulate("six-deck", ["basic"], 1000, backend=f"ray:{address}")
    assert time.monotonic() - begin < 10
    return str(caught.value)


def test_an_address_that_nobody_answers_is_an_error_within_ten_seconds() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        port = silent.getsockname()[1]
        assert f"nobody answers at 127.0.0.1:{port}" in refused(f"127.0.0.1:{port}")
        silent.listen()
        assert f"nobody answers at 127.0.0.1:{port} within 5 seconds" in refused(f"127.0.0.1:{port}")
    assert "expected an address like" in refused("nowhere")
    assert "nobody answers" in refused("no-such-host.invalid:6379")


def test_another_cluster_than_the_one_in_use_is_refused(cluster: None) -> None:
    assert "that this process uses, got 10.0.0.9:6379" in refused("10.0.0.9:6379")
