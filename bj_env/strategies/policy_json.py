"""``policy.json``: what a saved policy is and how its tensors are read. It is read trusting nothing."""

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from bj_env.errors import PolicyError, choices, shortened
from bj_env.rules.houses import parse, text
from bj_env.rules.terms import MOST_CHIPS, Rules, checked_number, is_whole

KINDS = ("table", "network")
ACTIVATIONS = ("tanh", "relu")
VERSION = 2
VERSIONS = (1, 2)
"""What is read."""

FILES = {"policy.json", "tensors.safetensors"}
"""The files of a policy folder."""

MOST_SEATS = 100
MOST_BETS = 24


FIELDS = ("kind", "rules", "seats", "bets", "parts", "columns", "activation", "provenance")
"""The fields of a profile."""


def said_of(profile: Mapping[str, Any]) -> dict[str, Any]:
    """Return what ``policy.json`` says of the fields of a profile, its digest still empty.

    Raises:
        PolicyError: if one of them cannot be written.
    """
    rules, provenance = profile["rules"], profile["provenance"]
    if not isinstance(rules, Rules):
        raise PolicyError(f"policy: rules: expected a Rules, got {shortened(rules)}")
    if not isinstance(provenance, Mapping):
        raise PolicyError(f"policy: provenance: expected names with texts, got {shortened(provenance)}")
    said = {**profile, "version": VERSION, "rules": text(rules), "sha256": ""}
    said["provenance"] = {str(name): str(value) for name, value in provenance.items()}
    said["seats"] = _plain(said["seats"])
    for name in ("bets", "parts", "columns"):
        said[name] = [_plain(item) for item in said[name]]
    return said


def _plain(value: Any) -> Any:
    """Return numpy's whole numbers as Python's."""
    return int(value) if is_whole(value) else value


def digest_of(said: Mapping[str, Any], numbers: bytes) -> str:
    """Return the digest of a policy of the version that it says."""
    if said["version"] == 1:
        return sha256(numbers).hexdigest()
    fields = {name: value for name, value in said.items() if name != "sha256"}
    return sha256(json.dumps(fields, sort_keys=True, separators=(",", ":")).encode() + b"\n" + numbers).hexdigest()


def fields_of(said: Any) -> dict[str, Any]:
    """Return the fields of the profile that ``policy.json`` says.

    Raises:
        PolicyError: if it says anything else, or a value is out of range.
    """
    fields = {"version", "sha256", *FIELDS}
    if not isinstance(said, dict) or set(said) != fields:
        came = sorted(said) if isinstance(said, dict) else type(said).__name__
        raise PolicyError(f"policy.json: expected the fields {sorted(fields)}, got {came}")
    if type(said["version"]) is not int or said["version"] not in VERSIONS:
        raise PolicyError(f"policy.json: expected version {' or '.join(map(str, VERSIONS))}, got {said['version']!r}")
    for name, valid in (("kind", KINDS), ("activation", ACTIVATIONS)):
        if not isinstance(said[name], str) or said[name] not in valid:
            raise PolicyError(f"policy.json: {name} {said[name]!r}; {choices(said[name], valid)}")
    for name in ("bets", "parts", "columns"):
        kind = int if name == "bets" else str
        if not isinstance(said[name], list) or not all(type(item) is kind for item in said[name]):
            raise PolicyError(f"policy.json: {name}: expected a list of {kind.__name__}, got {said[name]!r}")
    checked_number("policy.json: seats", said["seats"], 1, MOST_SEATS)
    _check_bets(said["bets"])
    if not isinstance(said["rules"], str) or not isinstance(said["provenance"], dict):
        raise PolicyError("policy.json: expected rules as a text and provenance as an object")
    for name in ("parts", "columns"):
        if len(set(said[name])) < len(said[name]):
            raise PolicyError(f"policy.json: {name}: expected each once, got {said[name]!r}")
    read: dict[str, Any] = {
        "rules": parse(said["rules"]),
        **{name: tuple(said[name]) for name in ("bets", "parts", "columns")},
    }
    read["provenance"] = {str(key): str(value) for key, value in said["provenance"].items()}
    return {name: read.get(name, said[name]) for name in FIELDS}


def _check_bets(bets: Sequence[int]) -> None:
    for bet in bets:
        checked_number("policy.json: bets", bet, 0, MOST_CHIPS)
    if not 1 <= len(bets) <= MOST_BETS or not any(bets) or len(set(bets)) < len(bets):
        raise PolicyError(f"policy.json: expected up to {MOST_BETS} different bets, one above 0, got {bets!r}")
