"""The solver against the reference numbers (tests/data/reference, see its README), each to the tolerance of issue 4."""

import csv
from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bj_env.errors import BlackjackError, RulesError
from bj_env.rules.houses import parse
from bj_env.rules.terms import Action, Rules
from bj_env.solver import (
    Composition,
    Solution,
    SplitPlay,
    bust_probability,
    dealer_distribution,
    evaluate,
    solve,
)
from bj_env.solver.exact import best_against
from bj_env.solver.hands import VALUES, find_hand, parse_values
from bj_env.solver.result import one_value, to_values
from bj_env.solver.shoe import composition

REFERENCE = Path(__file__).parents[1] / "data" / "reference"
SURRENDERS = {"none": "NS", "late": "LS", "early": "ES"}
MILLION_DECKS = Composition((4e6,) * 9 + (16e6,))


def rows(name: str) -> Iterator[dict[str, str]]:
    with (REFERENCE / name).open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def house(row: dict[str, str]) -> Rules:
    """Return the rules of a row of overall_ev.csv and its like; none of them insures."""
    decks = "INF" if row["decks"] == "inf" else "6D" if row["decks"] == "1000000" else f"{row['decks']}D"
    double = {"none": "D0"}.get(row["double"], row["double"])
    aces = "RSA" if row["rsa"] == "1" else ""
    rest = f"SP{row['resplit']} {aces} {SURRENDERS[row['surrender']]} {row['peek']} {row['bj_payout']} NINS"
    return parse(f"{decks} {row['soft17']} {row['das']} {double} {rest}")


def shoe(row: dict[str, str]) -> Composition | None:
    return MILLION_DECKS if row["decks"] == "1000000" else None


def value(card: str) -> int:
    return parse_values(card)[0]


@cache
def solved(rules: Rules) -> Solution:
    return solve(rules)


def overall(strategy: str) -> list[dict[str, str]]:
    """Return the rows of overall_ev.csv for one class of strategies, those of the independent exact program."""
    return [
        row
        for row in rows("overall_ev.csv")
        if row["source"].startswith("farmer-7.6") and row["strategy"].startswith(strategy)
    ]


@pytest.mark.parametrize(
    ("text", "ev"),
    [
        ("1D NS NINS D0 SP1", -0.019283539051),
        ("6D NS NINS D0 SP1", -0.023435236712),
        ("INF NS NINS D0 SP1", -0.024208121954),
        ("1D NS NINS SP1", -0.003334915963),
        ("6D NS NINS SP1", -0.009714135752),
        ("INF NS NINS SP1", -0.010867422745),
    ],
)
def test_first_targets(text: str, ev: float) -> None:
    assert solve(text).ev == pytest.approx(ev, abs=1e-11)


@pytest.mark.parametrize("word", ["1_0", "+4", "\u0664", "1e1", "4.5", "nan", "-4", "", "9" * 5000])
def test_counts_of_a_shoe_are_whole_numbers_in_plain_digits(word: str) -> None:
    with pytest.raises(RulesError, match=r"shoe: expected (whole numbers from 0 to 10000|10 counts)"):
        composition(Rules(), f"{word},4,4,4,4,4,4,4,4,16")


@pytest.mark.parametrize("count", [True, "x", None, 10**400, 4.5, 4j])
def test_counts_of_a_shoe_are_whole_numbers(count: Any) -> None:
    with pytest.raises(RulesError, match=r"shoe: expected whole numbers from 0 to 10000"):
        composition(Rules(), [count, *[4] * 8, 16])


@pytest.mark.parametrize("card", [True, 1.0, None, 11, 0, (10,), "T,6", 4j], ids=repr)
def test_an_up_card_is_one_card(card: Any) -> None:
    with pytest.raises(BlackjackError, match="up card: expected one card, like 'T' or 10, got"):
        one_value(card)
    assert (one_value(np.int64(10)), to_values(np.array([10, 6]))) == (10, (10, 6))  # type: ignore[arg-type]


def test_the_small_shoe() -> None:
    solution = solve("6D NS NINS", "0,4,4,2,0,0,2,0,0,7")
    values = solution.values("2,2", "7")
    assert values[Action.STAND] == pytest.approx(-0.616391941392, abs=1e-11)
    assert values[Action.HIT] == pytest.approx(-0.132667332667, abs=1e-11)
    assert values[Action.DOUBLE] == pytest.approx(-1.232783882784, abs=1e-11)
    assert values[Action.SPLIT] == pytest.approx(-0.762102203352, abs=1e-11)
    assert solution.ev == pytest.approx(0.030087602647, abs=1e-11)


@pytest.mark.parametrize("name", ["dealer_finite.csv", "infinite_dealer.csv"])
def test_dealer(name: str) -> None:
    """R18: the dealer's final total, before and after the peek, also from an up card that nobody has seen."""
    found: dict[tuple[Rules, str, str], dict[str, float]] = {}
    for row in rows(name):
        rules = parse(f"{row['decks']}D {row['soft17']}" if "decks" in row else f"INF {row['soft17']}")
        key = (rules, row["upcard"], row["conditional_no_bj"])
        if key not in found:
            found[key] = mixed(*key)
        outcome = {"bj": "blackjack"}.get(row["outcome"].lower(), row["outcome"].lower())
        assert found[key][outcome] == pytest.approx(float(row["probability"]), abs=1e-12), row


def mixed(rules: Rules, upcard: str, after_peek: str) -> dict[str, float]:
    if upcard != "unknown":
        return dealer_distribution(rules, value(upcard), after_peek=after_peek == "1")
    cards, total = composition(rules), dict.fromkeys(dealer_distribution(rules, 2), 0.0)
    for up in VALUES:
        for outcome, chance in dealer_distribution(rules, up).items():
            total[outcome] += cards.share(up) * chance
    if after_peek == "1":
        beaten = total.pop("blackjack")
        total = {outcome: chance / (1 - beaten) for outcome, chance in total.items()} | {"blackjack": 0.0}
    return total


def test_bust_chance() -> None:
    assert bust_probability(Rules(decks=8)) == pytest.approx(mixed(Rules(decks=8), "unknown", "0")["bust"], abs=1e-15)


HANDS = {"BJ(3:2)": "A,T", "BJ(6:5)": "A,T", "soft21": "A,2,8"}


def infinite_hand(text: str) -> tuple[tuple[int, ...], bool]:
    """Return cards for a row of infinite_ev.csv, and whether they are a pair."""
    if text in HANDS:
        return parse_values(HANDS[text]), False
    if (text[-1] == text[-2] and not text[-2:].isdigit()) or len(text) == 2:
        return parse_values(",".join(text)), True
    total = int("".join(filter(str.isdigit, text)))
    if text.startswith("soft"):
        return (1, total - 11), False
    first = max(2, total - 10)
    if total == 4:
        return (2, 2), False
    if total == 21:
        return (10, 9, 2), False
    return (total - first, first), False


def test_infinite_actions() -> None:
    """Infinite decks: every action for every total and pair, with and without a peek."""
    for row in rows("infinite_ev.csv"):
        tokens = row["rules"].upper().replace("PEEK", "PEEK").split("-")
        text = [token for token in tokens if not token.startswith("SPLIT")]
        splits = [token.replace("SPLIT", "SP") for token in tokens if token.startswith("SPLIT")]
        payout = row["hand"][3:6] if row["hand"].startswith("BJ") else "3:2"
        rules = parse(" ".join([*text, *splits, payout, "INF NINS NS"]))
        cards, _ = infinite_hand(row["hand"])
        known = solved(rules).against[value(row["upcard"])]
        hand = find_hand(cards)
        found = known.action_values[hand, Action[row["action"].upper()]] / known.no_blackjack(hand)
        assert found == pytest.approx(float(row["ev"]), abs=1e-10), row


def test_infinite_rounds() -> None:
    """Infinite decks: the value of a round under 600 houses, with early surrender (R9) and without a peek (R11)."""
    for row in islice(rows("infinite_overall.csv"), None, None, 8):
        assert solve(house(row)).ev == pytest.approx(float(row["ev"]), abs=1e-10), row


EFFECTS = {
    "base": "",
    "H17": "H17",
    "NDAS": "NDAS",
    "no resplit (2 hands)": "SP2",
    "3 hands": "SP3",
    "no split at all": "SP1",
    "resplit aces to 4": "RSA",
    "hit split aces": "HSA",
    "D9-11": "D9",
    "D10-11": "D10",
    "D11 only": "D11",
    "no double": "D0",
    "double any number of cards": "DANY",
    "late surrender": "LS",
    "early surrender vs A and 10": "ES",
    "ENHC": "ENHC",
    "BJ 6:5": "6:5",
    "BJ 7:5": "7:5",
    "BJ 1:1": "1:1",
    "BJ 2:1": "2:1",
}


def test_rule_effects() -> None:
    """Single rules with infinite decks; OBO is worth what PEEK is (R25)."""
    evs = {row["variant"]: float(row["ev"]) for row in rows("infinite_rule_effects.csv")}
    for variant, token in EFFECTS.items():
        surrender = "" if token in ("LS", "ES", "ES10") else "NS"
        assert solve(f"INF NINS {token} {surrender}").ev == pytest.approx(evs[variant], abs=1e-10), variant
    against_an_ace = evs["early surrender vs A only"] - evs["base"]
    assert solve("INF NINS ES10").ev == pytest.approx(solve("INF NINS ES").ev - against_an_ace, abs=1e-10)
    assert solve("INF NINS NS OBO").ev == pytest.approx(evs["base"], abs=1e-12)
    assert solve("INF NINS NS NOPEEK").ev == pytest.approx(evs["ENHC"], abs=1e-12)


def test_finite_actions() -> None:
    """Every action for every two-card hand under six houses; peeked values given no dealer blackjack."""
    for row in rows("finite_ev.csv"):
        tokens = row["rules"].replace("SPL", "SP").replace("-NRSA", "").replace("peek", "PEEK").split("-")
        rules = parse(" ".join([*tokens, "NINS", *([] if "LS" in tokens else ["NS"])]))
        known = solved(rules).against[value(row["upcard"])]
        hand = find_hand(parse_values(",".join(row["hand"])))
        found = known.action_values[hand, Action[row["action"].upper()]] / known.no_blackjack(hand)
        assert found == pytest.approx(float(row["ev"]), abs=1e-10), row


CLASSES = {"CDZ-": SplitPlay.ZERO_MEMORY, "CDP1": SplitPlay.FIRST_SPLIT, "CDP": SplitPlay.PAIR_COUNT}


@pytest.mark.parametrize("kind", CLASSES)
def test_splits(kind: str) -> None:
    """Splits of every pair; aces split again here (R14)."""
    cache: dict[tuple[Rules, int], tuple] = {}
    for row in rows("finite_split.csv"):
        if row["strategy"] == kind:
            rules = parse(f"{row['decks']}D {row['soft17']} {row['das']} SP{row['max_hands']} NS NINS RSA")
            key, pair = (rules, value(row["upcard"])), value(row["pair"][0])
            if key not in cache:
                cache[key] = best_against(rules, composition(rules), key[1], CLASSES[kind])
            known, hand = cache[key], find_hand((pair, pair))
            found = known.action_values[hand, Action.SPLIT] / known.no_blackjack(hand)
            assert found == pytest.approx(float(row["ev"]), abs=1e-9), row


def test_rounds_zero_memory() -> None:
    """Every fifteenth of the rows of the best zero-memory play."""
    for row in overall("CDZ-")[::15]:
        assert solve(house(row), shoe(row)).ev == pytest.approx(float(row["ev"]), abs=1e-9), row


@pytest.mark.slow
def test_rounds_zero_memory_all() -> None:
    for row in overall("CDZ-"):
        assert solve(house(row), shoe(row)).ev == pytest.approx(float(row["ev"]), abs=1e-9), row


@pytest.mark.parametrize("kind", ["CDP1", "CDP"])
def test_rounds_of_other_classes(kind: str) -> None:
    """Every fortieth of the rows of plays that adapt to the split."""
    for row in [row for row in overall(kind) if row["strategy"] == kind][::40]:
        assert solve(house(row), shoe(row), how=CLASSES[kind]).ev == pytest.approx(float(row["ev"]), abs=1e-9), row


def test_given_strategies() -> None:
    """Published charts, mimicking the dealer (who stands on a soft 17 here) and never busting."""
    names = {"neverbust": "never-bust"}
    for row in overall("TD:"):
        name = row["strategy"][3:]
        found = evaluate(house(row), names.get(name, name), shoe(row)).ev
        assert found == pytest.approx(float(row["ev"]), abs=1e-9), row


GYMNASIUM = {"default": "gymnasium-plain", "natural": "gymnasium-natural", "sab": "sutton-barto"}


@pytest.mark.parametrize("mode", GYMNASIUM)
def test_gymnasium(mode: str) -> None:
    """Gymnasium's three modes: the optimum and every threshold policy."""
    for row in rows("gymnasium_ev.csv"):
        if row["mode"] == mode:
            assert gymnasium(GYMNASIUM[mode], row["policy"]) == pytest.approx(float(row["ev"]), abs=1e-12), row


def gymnasium(name: str, policy: str) -> float:
    if policy == "optimal":
        return solve(name).ev
    limits = {"never-stick": (99, 99), "always-stick": (0, 0), "hard>=17,soft>=18": (17, 18)}
    hard, soft = limits.get(policy) or (int(policy.split(">=")[1]),) * 2

    def play(at) -> Action:
        return Action.STAND if at.total >= (soft if at.soft else hard) else Action.HIT

    return evaluate(name, play).ev


def test_gymnasium_actions() -> None:
    solution = solve("sutton-barto")
    for row in rows("gymnasium_policy.csv"):
        total, soft, up = int(row["player_sum"]), row["usable_ace"] == "1", int(row["dealer_showing"])
        hand, _ = infinite_hand(f"{'soft' if soft else 'hard'}{total}")
        if hand == (1, 10):
            hand = (1, 2, 8)  # 21 without its bonus
        values = solution.values(hand, up)
        assert values[Action.STAND] == pytest.approx(float(row["q_stick"]), abs=1e-10), row
        assert values[Action.HIT] == pytest.approx(float(row["q_hit"]), abs=1e-10), row
