"""Runs are real: killed, they go on to the same result; damage and divergence are named; no two share a folder."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from safetensors import safe_open
from safetensors.numpy import load_file, save_file
from tensorboard.backend.event_processing.event_file_loader import EventFileLoader

import agents.run.training
import train
from agents.run.checkpoints import (
    CheckpointError,
    checkpoint_path,
    digest_of,
    read_checkpoint,
    restore_newest,
    save_checkpoint,
)
from agents.run.config import Config, load_config
from agents.run.folder import create_folder, lock_folder
from agents.run.training import TrainingError, check_numbers, evaluated, run_interval
from bj_env.analysis.policy_value import best_total_dependent
from tests.small_learner import CONFIG, SETS, SMALL, SmallLearner, run

KILLED = -9


def config(*changes: str) -> Config:
    return load_config(CONFIG, [*SMALL, *changes])


def nothing(done: int) -> None:
    """Show no progress."""


@pytest.fixture(scope="module")
def straight(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a run that nobody killed."""
    runs = tmp_path_factory.mktemp("straight")
    assert run("--runs", str(runs), *SETS)[0] == 0
    return runs / "small"


def scalars(folder: Path) -> list[tuple[str, int, float]]:
    """Return tag, step and value of all that TensorBoard would show."""
    return sorted(
        (value.tag, event.step, value.tensor.float_val[0])
        for file in sorted((folder / "tensorboard").iterdir())
        for event in EventFileLoader(str(file)).Load()
        for value in event.summary.value
    )


def tensors(folder: Path) -> dict[str, list[float]]:
    """Return what the last checkpoint holds, but for times."""
    content = load_file(checkpoint_path(folder, 4000))
    return {name: each.tolist() for name, each in content.items() if "second" not in name and name != "history.time"}


def check_same(folder: Path, other: Path) -> None:
    """Check that two runs came to the same, to the bit, and that nothing else is left of either."""
    for file in ("policy/tensors.safetensors", "results.json", "config.toml", "run.json", "learning_curve.png"):
        assert (folder / file).read_bytes() == (other / file).read_bytes(), file
    np.testing.assert_equal(tensors(folder), tensors(other))
    assert names(folder) == names(other)
    shown = [[each for each in scalars(one) if "second" not in each[0]] for one in (folder, other)]
    assert shown[0] == shown[1]
    assert len(set(shown[0])) == len(shown[0])


def names(folder: Path) -> list[str]:
    """Return what is in a folder, but for TensorBoard's files, whose names have the time."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.parent.name != "tensorboard")


# --- killed at any moment ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("moment", [5, 7, 13, 19, 20, 22, 25])
def test_a_run_killed_while_it_writes_goes_on_to_the_same_result(moment: int, straight: Path, tmp_path: Path) -> None:
    assert run("--runs", str(tmp_path), *SETS, sync=moment)[0] == KILLED
    assert run("--resume", str(tmp_path / "small"))[0] == 0
    check_same(tmp_path / "small", straight)


@pytest.mark.parametrize("interval", [1, 3])
def test_a_run_killed_in_a_leg_comes_to_the_same_weights(interval: int, straight: Path, tmp_path: Path) -> None:
    """Report b127."""
    assert run("--runs", str(tmp_path), *SETS, interval=interval)[0] == KILLED
    code, said = run("--resume", str(tmp_path / "small"), interval=2)  # and once more
    assert code == KILLED
    assert (f"from {1000 * (interval - 1):,} rounds on" in said) == (interval > 1)
    assert ("training begins anew" in said) == (interval == 1)
    assert run("--resume", str(tmp_path / "small"))[0] == 0
    check_same(tmp_path / "small", straight)


def test_counter_checkpoints_and_schedules_go_on(tmp_path: Path) -> None:
    """Report b126."""
    longer = [*SETS, "--set", "learner.rounds=20000", "--set", "learner.checkpoints=2"]
    assert run("--runs", str(tmp_path), *longer, interval=2)[0] == KILLED
    folder = tmp_path / "small"
    assert [path.name for path in (folder / "checkpoints").iterdir()] == ["step_000010000.safetensors"]
    assert run("--resume", str(folder))[0] == 0
    files = ["step_000010000.safetensors", "step_000020000.safetensors"]
    assert sorted(path.name for path in (folder / "checkpoints").iterdir()) == files
    last = load_file(checkpoint_path(folder, 20_000))
    assert last["history.done"].tolist() == [10_000, 20_000]
    assert last["history.learning_rate"].tolist() == [0.05, 0.025]
    assert json.loads((folder / "results.json").read_text())["run"]["done"] == 20_000


def test_the_exact_regret_goes_on_too_and_is_on_the_curve(tmp_path: Path) -> None:
    total_dependent = [*SETS, "--set", "name=by-hand", "--set", "environment.rules=sutton-barto"]
    assert run("--runs", str(tmp_path), *total_dependent, interval=4)[0] == KILLED
    assert run("--resume", str(tmp_path / "by-hand"))[0] == 0
    history = load_file(checkpoint_path(tmp_path / "by-hand", 4000))
    regret = history["history.exact_regret"]
    assert np.isnan(regret).tolist() == [True, False, True, False]  # evaluations=2
    score = json.loads((tmp_path / "by-hand" / "results.json").read_text())["scores"][1]
    assert (score["name"], score["regret"], score["exact_ev"]) == ("learned", regret[3], history["history.exact_ev"][3])
    shown = [each for each in scalars(tmp_path / "by-hand") if each[0] == "exact_regret"]
    assert shown == [("exact_regret", 2000 * n, pytest.approx(regret[2 * n - 1])) for n in (1, 2)]
    for name in ("return", "return_stderr", "loss", "learning_rate", "rounds_per_second"):
        assert [step for tag, step, _ in scalars(tmp_path / "by-hand") if tag == name] == [1000, 2000, 3000, 4000]


# --- what may not go on -----------------------------------------------------------------------------------------------


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Return the one line that says why nothing is done."""
    assert train.main(arguments) == 1
    out, error = capsys.readouterr()
    assert out == ""
    assert error.startswith("train.py: ")
    assert error.count("\n") == 1
    return error


def test_a_finished_run_says_so(straight: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = names(straight)
    assert train.main(["--resume", str(straight)]) == 0
    assert capsys.readouterr().out == f"{straight} is finished: {straight / 'report.md'}\n"
    assert names(straight) == before


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert f"{tmp_path / 'none'} is no run: there is no such folder" in refused(capsys, "--resume", f"{tmp_path}/none")
    assert f"{tmp_path} is no run: it has no config.toml" in refused(capsys, "--resume", str(tmp_path))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("option", ["--config=configs/default.toml", "--seed=1", "--set=seed=1", "--runs=runs"])
def test_a_run_goes_on_as_it_was_configured(option: str, straight: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(capsys, "--resume", str(straight), option)
    assert f"the run has its own configuration: leave out {option.split('=')[0]}" in said


def test_a_run_that_is_alive_is_not_run_by_another(straight: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with lock_folder(straight):
        code, said = run("--resume", str(straight))
    assert (code, said) == (1, f"train.py: {straight} is being run by another process\n")
    assert run("--resume", str(straight))[0] == 0


def killed(runs: Path) -> Path:
    """Return the folder of a run that was killed in its second interval."""
    assert run("--runs", str(runs), *SETS, interval=2)[0] == KILLED
    return runs / "small"


def test_a_run_whose_configuration_was_changed_does_not_go_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = killed(tmp_path) / "config.toml"
    file.write_text(file.read_text().replace("seed = 1", "seed = 2"))
    assert f"{file} is not as the run began: begin another" in refused(capsys, "--resume", str(file.parent))


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"command": 1}', "[" * 100_000])
def test_a_run_that_has_lost_its_origin_is_named(
    content: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, lock = create_folder(tmp_path, "some", {"config.toml": "", "run.json": content})
    with lock:
        pass
    assert f"{folder / 'run.json'} is damaged" in refused(capsys, "--resume", str(folder))


def test_going_on_with_other_code_is_told(tmp_path: Path) -> None:
    file = killed(tmp_path) / "run.json"
    now = json.loads(file.read_text())["commit"]
    file.write_text(file.read_text().replace(f'"commit": "{now}"', '"commit": "abc"'))
    _, said = run("--resume", str(file.parent))
    assert f"train.py: the run began with commit abc and goes on with {now}: its result may be another\n" in said
    results = json.loads((file.parent / "results.json").read_text())
    assert results["run"]["commit"] == f"abc, then {now}"


def test_a_resume_removes_what_the_run_left_half_made_and_nothing_else(straight: Path, tmp_path: Path) -> None:
    folder = killed(tmp_path)
    (folder / "notes").mkdir()
    mine = [folder / "notes" / ".draft.part", folder / ".draft.part", folder / "notes" / ".policy-plan"]
    for path in mine:
        path.write_text("mine")
    (folder / ".policy-notes").symlink_to(folder / "notes")
    left = [folder / ".results.json.part", folder / "checkpoints" / ".step_000002000.safetensors.part"]
    for path in left:
        path.write_text("half")
    (folder / ".report.md.part").symlink_to(folder / "notes" / ".draft.part")
    (folder / ".policy-abc123").mkdir()
    assert run("--resume", str(folder))[0] == 0
    assert [path.read_text() for path in mine] == ["mine"] * 3
    assert (folder / ".policy-notes").is_symlink()
    assert not any(path.exists() for path in [*left, folder / ".report.md.part", folder / ".policy-abc123"])
    assert (folder / "results.json").read_bytes() == (straight / "results.json").read_bytes()


@pytest.mark.parametrize("size", [600, 2000, 6000])
def test_a_full_disk_is_told_in_one_line_and_the_run_goes_on_once_there_is_room(
    size: int, straight: Path, tmp_path: Path
) -> None:
    """A limit on the size of files stands in for a full disk."""
    folder = killed(tmp_path)
    code, said = run("--resume", str(folder), largest=size)
    error = f"train.py: {folder}: File too large; go on with: python train.py --resume {folder}"
    assert (code, said.splitlines()[-1]) == (1, error)
    assert "Traceback" not in said
    assert run("--resume", str(folder))[0] == 0
    check_same(folder, straight)


# --- damage -----------------------------------------------------------------------------------------------------------


def checkpoints(folder: Path) -> SmallLearner:
    """Leave three checkpoints in a folder; return the learner, which is at the last."""
    learner, history = SmallLearner(config()), []
    for _ in range(3):
        history.append(run_interval(learner, nothing))
        save_checkpoint(folder, learner, history)
    return learner


def rewrite(path: Path, **changes: NDArray[Any]) -> None:
    """Write a checkpoint with other tensors, and a digest that fits them."""
    with safe_open(path, "np") as file:
        said = file.metadata()
    content = load_file(path) | {name.replace("__", "."): each for name, each in changes.items()}
    save_file(content, path, said | {"sha256": digest_of(content, int(said["done"]))})


DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "empty": (lambda path: path.write_bytes(b""), ""),
    "truncated": (lambda path: path.write_bytes(path.read_bytes()[:-1]), ""),
    "a folder": (lambda path: (path.unlink(), path.mkdir()), "it is no plain file"),
    "a FIFO": (lambda path: (path.unlink(), os.mkfifo(path)), "it is no plain file"),
    "another's": (lambda path: shutil.copy(path.with_name("step_000001000.safetensors"), path), "got one after 1000"),
    "a digit": (lambda path: flip(path, -100), "its content is not the one that was written"),
    "shape": (lambda path: rewrite(path, state__speed=np.zeros((2, 7))), "state speed: expected float64 [11, 7], got"),
    "type": (lambda path: rewrite(path, state__done=np.array(3.0)), "done: expected int64 [], got float64 []"),
    "more": (lambda path: rewrite(path, state__else=np.zeros(1)), "else: expected nothing, got float64 [1]"),
    "nan": (lambda path: rewrite(path, state__speed=np.full((11, 7), np.nan)), "speed: expected finite numbers"),
    "history": (lambda path: rewrite(path, history__done=np.zeros(2)), "its history does not lead to 3000"),
}


def flip(path: Path, place: int) -> None:
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("kind", DAMAGE)
def test_a_damaged_checkpoint_is_named_and_the_one_before_is_used(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    last = checkpoints(tmp_path)
    damage, expected = DAMAGE[kind]
    damage(checkpoint_path(tmp_path, 3000))
    learner = SmallLearner(config())
    history = restore_newest(tmp_path, learner)
    error = capsys.readouterr().err
    assert error.startswith(f"train.py: {checkpoint_path(tmp_path, 3000)} is damaged and left out: ")
    assert expected in error
    assert error.count("\n") == 1
    assert [row["done"] for row in history] == [1000, 2000]
    run_interval(learner, nothing)
    np.testing.assert_array_equal(learner.scores, last.scores)


def test_a_bit_that_changes_anywhere_in_a_checkpoint_is_noticed(tmp_path: Path) -> None:
    learner = checkpoints(tmp_path)
    path = checkpoint_path(tmp_path, 3000)
    content = path.read_bytes()
    state, history = read_checkpoint(path, 3000, learner.state())
    found = 0
    for place in range(0, len(content), 5):
        flip(path, place)
        try:
            again, noted = read_checkpoint(path, 3000, learner.state())
        except CheckpointError:
            found += 1
        else:  # a blank between the parts of the header
            np.testing.assert_equal(again, state)
            assert noted == history
        path.write_bytes(content)
    assert found > len(content) / 5 - 10


def test_where_none_is_left_the_training_begins_anew(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    checkpoints(tmp_path)
    for done in (1000, 2000, 3000):
        flip(checkpoint_path(tmp_path, done), -1)
    learner = SmallLearner(config())
    assert restore_newest(tmp_path, learner) == []
    assert learner.done == 0
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 4
    assert lines[-1] == f"train.py: no good checkpoint in {tmp_path}: training begins anew"


# --- divergence -------------------------------------------------------------------------------------------------------


def test_a_training_that_diverges_is_stopped_and_its_last_good_checkpoint_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(train, "make_learner", lambda config: SmallLearner(config, gain=1000))
    assert train.main(["--runs", str(tmp_path), *SETS]) == 1
    folder, error = tmp_path / "small", capsys.readouterr().err
    kept = checkpoint_path(folder, 2000)
    assert error == f"train.py: the training diverged: loss is inf after 3,000 rounds; last good checkpoint: {kept}\n"
    assert sorted((folder / "checkpoints").iterdir()) == [checkpoint_path(folder, 1000), kept]
    assert read_checkpoint(kept, 2000, SmallLearner(config()).state())
    assert not (folder / "policy").exists()


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("loss", np.nan, "loss is nan after 0 rounds"),
        ("return", -np.inf, "return is -inf after 0 rounds"),
        ("return", 1001.0, "return is 1001 after 0 rounds"),
    ],
)
def test_a_scalar_without_sense_is_named(name: str, value: float, expected: str) -> None:
    with pytest.raises(TrainingError, match=expected):
        check_numbers(SmallLearner(config()), {"return": 0.0, name: value})


def test_tensors_that_are_no_numbers_are_named() -> None:
    learner = SmallLearner(config())
    learner.speed[0, 0] = np.inf
    with pytest.raises(TrainingError, match="state tensor 'speed' is not finite after 0 rounds"):
        check_numbers(learner, {"return": 0.0})


def test_a_policy_better_than_the_best_is_an_alarm(monkeypatch: pytest.MonkeyPatch) -> None:
    learner = SmallLearner(config("name=by-hand", "environment.rules=sutton-barto"))
    exact, best = evaluated(learner)["exact_ev"], best_total_dependent(learner.profile.rules)
    monkeypatch.setattr(agents.run.training, "best_total_dependent", lambda rules: best._replace(ev=exact - 2e-9))
    with pytest.raises(TrainingError, match="alarm: after 0 rounds the policy has the exact value"):
        evaluated(learner)
    monkeypatch.setattr(agents.run.training, "best_total_dependent", lambda rules: best._replace(ev=exact - 5e-10))
    assert evaluated(learner)["exact_regret"] == pytest.approx(-5e-10)
