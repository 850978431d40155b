"""Saved policies: what they play, and that a damaged or hostile folder is refused and never executed."""

import json
import pickle
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from bj_env.env.env import BlackjackEnv
from bj_env.errors import BlackjackError, PolicyError
from bj_env.game.participants import Player
from bj_env.game.table import Table
from bj_env.rules.houses import parse, parse_rules
from bj_env.rules.terms import Action, Rules
from bj_env.strategies import saved_policy
from bj_env.strategies.policy_json import digest_of
from bj_env.strategies.saved_policy import LearnedDecision, Profile

COLUMNS = ("hand.phase", "hand.total", "hand.pair", "hand.upcard")
TABLE = Profile("table", parse_rules("six-deck"), 1, (1,), ("hand",), COLUMNS, provenance={"command": "test"})
NETWORK = Profile("network", parse_rules("six-deck"), 1, (1,), ("hand", "seen"))


def table_tensors(seed: int = 0) -> dict[str, Any]:
    return {"scores": np.random.default_rng(seed).normal(size=(5, 30, 11, 11, 7)).astype(np.float32)}


def network_tensors(profile: Profile = NETWORK, seed: int = 0) -> dict[str, Any]:
    draw = np.random.default_rng(seed)
    sizes = [profile.layout(profile.rules, profile.seats).width, 16, profile.actions]
    tensors = {}
    for layer, (width, out) in enumerate(pairwise(sizes)):
        tensors[f"{layer}.weight"] = draw.normal(size=(out, width)).astype(np.float32)
        tensors[f"{layer}.bias"] = draw.normal(size=out).astype(np.float32)
    return tensors


def play(decision: LearnedDecision, rules: str = "six-deck", rounds: int = 50) -> list[str]:
    table = Table(rules, [Player("learned", decision)], seed=3)
    return [str(table.play_round().record()) for _ in range(rounds)]


@pytest.mark.parametrize(
    ("profile", "tensors"), [(TABLE, table_tensors()), (NETWORK, network_tensors())], ids=["table", "network"]
)
@pytest.mark.parametrize("sampled", [False, True])
def test_a_saved_policy_plays_as_before(
    profile: Profile, tensors: dict[str, Any], sampled: bool, tmp_path: Path
) -> None:
    saved_policy.save_policy(tmp_path / "policy", profile, tensors)
    loaded = saved_policy.load_policy(tmp_path / "policy", sampled=sampled)
    assert loaded.profile == profile
    assert play(loaded) == play(LearnedDecision(profile, tensors, sampled=sampled))


def test_the_one_way_to_load_gives_the_saved_policy_and_any_other_raises(tmp_path: Path) -> None:
    """Report b121."""
    saved = LearnedDecision(TABLE, table_tensors())
    saved_policy.save_policy(tmp_path / "policy", TABLE, saved.tensors)
    loaded = saved_policy.load_policy(tmp_path / "policy")
    states = np.random.default_rng(1).integers(0, [5, 30, 11, 11, 2], (100, 5))
    np.testing.assert_array_equal(loaded.scores_of(states).argmax(axis=1), saved.scores_of(states).argmax(axis=1))
    for other in (saved, LearnedDecision):
        with pytest.raises(AttributeError):
            other.load(tmp_path)  # type: ignore[attr-defined]


def test_an_observation_gives_the_same_row_in_the_environment_and_at_the_table() -> None:
    decision = LearnedDecision(NETWORK, network_tensors())
    env = BlackjackEnv(seats=("agent",), observation=("hand", "seen"), illegal_action="raise")
    for seed in range(200):
        observation, _ = env.reset(seed=seed)
        round = env.episode.round
        if round is None or round.over:
            continue
        row = decision.row(round.view())
        np.testing.assert_array_equal(env.layout.encode(row), observation)


def test_unseen_cards_give_the_same_row_too() -> None:
    profile = NETWORK._replace(parts=("hand", "composition"))
    decision = LearnedDecision(profile, network_tensors(profile))
    env = BlackjackEnv(rules="6D PEN75", seats=("agent",), observation=profile.parts, episode="session")
    observation, info = env.reset(seed=1)
    for _ in range(200):
        if env.episode.round is not None:
            np.testing.assert_array_equal(env.layout.encode(decision.row(env.episode.round.view())), observation)
        observation, _, _, _, info = env.step(int(info["action_mask"].argmax()))


@pytest.mark.parametrize("part", ["count", "bankroll"])
def test_what_a_seat_cannot_be_shown_is_refused(part: str) -> None:
    with pytest.raises(PolicyError, match=f"a seat cannot be shown '{part}'"):
        LearnedDecision(NETWORK._replace(parts=("hand", part)), network_tensors())


@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_scores_of_many_observations_are_those_of_each(activation: str) -> None:
    decision = LearnedDecision(NETWORK._replace(activation=activation), network_tensors())
    env = BlackjackEnv(seats=("agent",), observation=("hand", "seen"), encoding="discrete")
    rows = [env.reset(seed=seed)[0] for seed in range(50)]
    features = np.array([decision.profile.layout(env.rules, 1).encode(row) for row in rows])
    for row, scores in zip(rows, decision.scores_of(features), strict=True):
        np.testing.assert_allclose(scores, decision.scores(row), rtol=1e-5, atol=1e-5)


def test_the_highest_legal_score_is_played() -> None:
    tensors = {"scores": np.zeros((5, 30, 11, 11, 7), np.float32)}
    tensors["scores"][..., Action.SPLIT] = 2
    tensors["scores"][..., Action.STAND] = 1
    tensors["scores"][..., Action.INSURE] = 3
    decision = LearnedDecision(TABLE, tensors)
    table = Table("six-deck", [Player("learned", decision)], seed=1)
    taken = {action for _ in range(400) for event in table.play_round().events if (action := event.action) is not None}
    assert taken == {Action.SPLIT, Action.STAND, Action.INSURE}


def test_bets_are_chosen_among_those_it_can_make() -> None:
    profile = TABLE._replace(bets=(0, 5, 50))
    tensors = {"scores": np.zeros((5, 30, 11, 11, 10), np.float32)}
    tensors["scores"][..., 9] = 1
    tensors["scores"][..., 8] = 0.5
    table = Table("six-deck", [Player("rich", LearnedDecision(profile, tensors), bankroll=60)], seed=1)
    assert table.ask_bet(0) == 50
    table.players[0].refill(20)
    assert table.ask_bet(0) == 5


def test_replacing_a_policy_leaves_one_whole_folder(tmp_path: Path) -> None:
    for seed in (0, 1):
        saved_policy.save_policy(tmp_path / "policy", TABLE, table_tensors(seed))
    assert [path.name for path in tmp_path.iterdir()] == ["policy"]
    np.testing.assert_array_equal(
        saved_policy.load_policy(tmp_path / "policy").tensors["scores"], table_tensors(1)["scores"]
    )


class Boom:
    def __reduce__(self) -> tuple[Any, ...]:
        return (Path("executed").write_text, ("yes",))


def damage(folder: Path, how: str) -> None:
    """Damage a policy folder."""
    said, numbers = folder / "policy.json", folder / "tensors.safetensors"
    content = json.loads(said.read_text())
    match how:
        case "no folder":
            folder.rename(folder.with_name("gone"))
        case "no tensors":
            numbers.unlink()
        case "empty json":
            said.write_text("")
        case "half the json":
            said.write_text(said.read_text()[:50])
        case "a flipped byte":
            flipped = bytearray(numbers.read_bytes())
            flipped[5000] ^= 1
            numbers.write_bytes(flipped)
        case "half the tensors":
            numbers.write_bytes(numbers.read_bytes()[:100])
        case "a pickle":
            numbers.write_bytes(pickle.dumps(Boom()))
        case "a field missing":
            said.write_text(json.dumps({key: value for key, value in content.items() if key != "parts"}))
        case "not a number":
            save_file({"scores": np.full((5, 30, 11, 11, 7), np.nan, np.float32)}, numbers)
        case "another shape":
            save_file({"scores": np.zeros((5, 30, 7), np.float32)}, numbers)
        case "a list":
            said.write_text("[1]")
        case _:
            key, value = how.split("=")
            rewrite(folder, key, json.loads(value))


def rewrite(folder: Path, key: str, value: Any) -> None:
    """Write a policy folder with another value and the digest that fits it."""
    content = json.loads((folder / "policy.json").read_text()) | {key: value}
    content["sha256"] = digest_of(content, (folder / "tensors.safetensors").read_bytes())
    (folder / "policy.json").write_text(json.dumps(content))


DAMAGES = [
    "a flipped byte",
    *("no folder", "no tensors", "empty json", "half the json", "half the tensors", "a pickle", "a field missing"),
    *("not a number", "another shape", "a list", 'kind="forest"', "version=9", 'rules="6D H71"', "seats=0", "bets=[]"),
    *('bets="1"', 'parts=["hands"]', 'columns=["hand.totl"]', 'activation="exp"', "provenance=3", "parts=[1]"),
    *(f"bets=[{10**30}]", "bets=[-1, 5]", "bets=[1, 1]", "bets=[0]", "bets=[true]", f"bets={[*range(25)]}"),
    *("seats=101", "seats=true", "seats=1.0", "version=true", "version=null", "kind=[]", 'parts=["hand", "hand"]'),
]


@pytest.mark.parametrize("how", DAMAGES)
def test_a_damaged_policy_is_refused_in_one_line(how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    saved_policy.save_policy(tmp_path / "policy", TABLE, table_tensors())
    damage(tmp_path / "policy", how)
    with pytest.raises(PolicyError) as caught:
        saved_policy.load_policy(tmp_path / "policy")
    assert str(tmp_path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not Path("executed").exists()


@pytest.mark.parametrize("key", ["rules", "seats", "bets", "columns", "provenance"])
def test_a_value_of_another_policy_is_noticed(key: str, tmp_path: Path) -> None:
    """Each of these values is valid, so that only the digest can tell."""
    saved_policy.save_policy(tmp_path / "policy", TABLE, table_tensors())
    others = {"rules": "6D H17", "seats": 2, "bets": [2], "columns": [*COLUMNS[:2], COLUMNS[3], COLUMNS[2]]}
    file = tmp_path / "policy" / "policy.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {key: others.get(key, {"command": "other"})}))
    with pytest.raises(PolicyError, match="not as they were saved"):
        saved_policy.load_policy(tmp_path / "policy")


def test_a_policy_of_version_1_is_read_and_saved_again_as_version_2(tmp_path: Path) -> None:
    saved_policy.save_policy(tmp_path / "policy", TABLE, table_tensors())
    rewrite(tmp_path / "policy", "version", 1)
    old = saved_policy.load_policy(tmp_path / "policy")
    assert old.profile == TABLE
    saved_policy.save_policy(tmp_path / "policy", old.profile, old.tensors)
    assert json.loads((tmp_path / "policy" / "policy.json").read_text())["version"] == 2
    assert play(saved_policy.load_policy(tmp_path / "policy")) == play(old)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"bets": (10**30,)}, "bets: expected a whole number from 0 to"),
        ({"bets": (True,)}, "bets: expected a list of int"),
        ({"seats": 0}, "seats: expected a whole number from 1 to 100"),
        ({"parts": ("hand", "hand")}, "parts: expected each once"),
        ({"activation": "gelu"}, "did you mean 'relu'"),
        ({"rules": "six-deck"}, "rules: expected a Rules, got 'six-deck'"),
        ({"provenance": None}, "provenance: expected names with texts, got None"),
    ],
    ids=str,
)
def test_what_could_not_be_loaded_again_is_not_saved(changed: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match=message):
        saved_policy.save_policy(tmp_path / "policy", TABLE._replace(**changed), table_tensors())
    assert not list(tmp_path.iterdir())


def test_a_profile_may_hold_numbers_of_numpy(tmp_path: Path) -> None:
    profile: Any = TABLE._replace(seats=np.int64(1), bets=np.array([1]), provenance={"seed": np.int64(3)})
    saved_policy.save_policy(tmp_path / "policy", profile, table_tensors())
    assert saved_policy.load_policy(tmp_path / "policy").profile == TABLE._replace(provenance={"seed": "3"})


@pytest.mark.parametrize("what", ["a folder", "a file"])
def test_what_is_no_policy_folder_is_never_replaced(what: str, tmp_path: Path) -> None:
    """A person's notes in the folder would be lost."""
    place = tmp_path / "mine"
    notes = place if what == "a file" else place / "notes.txt"
    if what == "a folder":
        place.mkdir()
    notes.write_text("dear diary")
    with pytest.raises(PolicyError, match="expected a new folder or one of a policy, and this is something else"):
        saved_policy.save_policy(place, TABLE, table_tensors())
    assert notes.read_text() == "dear diary"
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


@pytest.mark.parametrize("folder", [None, 5, b"policy", "a" * 5_000, "a\0b", ""], ids=lambda name: repr(name)[:9])
def test_what_is_no_folder_at_all_is_refused_in_one_line(folder: Any) -> None:
    with pytest.raises(PolicyError) as caught:
        saved_policy.load_policy(folder)
    assert "\n" not in str(caught.value)


def test_a_folder_in_place_of_a_file_is_refused_in_one_line(tmp_path: Path) -> None:
    saved_policy.save_policy(tmp_path / "policy", TABLE, table_tensors())
    (tmp_path / "policy" / "policy.json").unlink()
    (tmp_path / "policy" / "policy.json").mkdir()
    with pytest.raises(PolicyError, match=r"policy\.json: it is no plain file"):
        saved_policy.load_policy(tmp_path / "policy")


def test_a_table_that_looks_otherwise_is_refused_by_name() -> None:
    with pytest.raises(
        BlackjackError, match=r"hand\+seen look as in training, 1 seats under 'six-deck'.*'single-deck'"
    ):
        play(LearnedDecision(NETWORK, network_tensors()), rules="single-deck", rounds=1)


def test_a_table_that_does_not_take_its_bets_is_refused_by_name() -> None:
    profile = Profile("table", Rules(), 1, (0, 1, 5), ("hand",), ("hand.upcard",))
    decision = LearnedDecision(profile, {"scores": np.zeros((11, 10), np.float32)})
    with pytest.raises(PolicyError, match=r"expected a table that takes its bets, \[1\] among them; got 5 to 1000"):
        decision.settle_in(parse("MIN5"), 1)
    decision.settle_in(parse("2D"), 1)


def test_loading_needs_neither_torch_nor_sb3(tmp_path: Path) -> None:
    saved_policy.save_policy(tmp_path / "policy", NETWORK, network_tensors())
    code = (
        "import sys\n"
        "for name in ('torch', 'stable_baselines3', 'sb3_contrib'): sys.modules[name] = None\n"
        "from bj_env.strategies import saved_policy\nfrom bj_env.game.participants import Player\n"
        "from bj_env.game.table import Table\n"
        f"decision = saved_policy.load_policy({str(tmp_path / 'policy')!r})\n"
        "print(len(Table('six-deck', [Player('learned', decision)]).play_round().nets))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "1\n"
