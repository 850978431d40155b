"""The solver against the reference numbers (tests/data/reference, see its README), each to the tolerance of issue 4."""

import csv
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

import bj_env
from bj_env.errors import BlackjackError
from bj_env.houses import parse
from bj_env.rules import Rules
from bj_env.solver import (
    Composition,
    Solution,
    SplitPlay,
    best_chart,
    bust_chance,
    dealer_distribution,
    evaluate,
    solve,
)
from bj_env.solver.exact import best_against, plan_against
from bj_env.solver.hands import VALUES, find_hand, parse_values
from bj_env.solver.shoe import composition
from bj_env.solver.strategy import plan
from bj_env.terms import Action

REFERENCE = Path(__file__).parent / "data" / "reference"
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
    assert bust_chance(Rules(decks=8)) == pytest.approx(mixed(Rules(decks=8), "unknown", "0")["bust"], abs=1e-15)


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


CASES = [  # tests/data of the issue: B186, one deck S17
    ("T,2", "4", "HIT", -0.19396),
    ("T,2", "6", "HIT", -0.15944),
    ("T,3", "2", "HIT", -0.30421),
    ("7,5", "3", "STAND", -0.21234),
    ("6,6,4", "T", "HIT", None),
    ("9,6,A", "T", "HIT", None),
    ("5,5,5", "T", "STAND", None),
    ("8,5,3", "T", "STAND", None),
]


@pytest.mark.parametrize(("hand", "upcard", "best", "ev"), CASES)
def test_hands_that_break_the_chart(hand: str, upcard: str, best: str, ev: float | None) -> None:
    solution = solved(parse("1D NS NINS"))
    assert solution.best(hand, upcard).name == best
    if ev is not None:
        assert solution.values(hand, upcard)[Action[best]] == pytest.approx(ev, abs=5e-6)


def test_ten_three_against_two_stands_with_two_decks() -> None:
    assert solve("2D NS").best("T,3", "2") is Action.STAND


def test_disputed_split_of_twos() -> None:
    """B175: a player who plays each hand as is best after the split has 0.26559, one who does not change 0.25865."""
    rules = "1D S17 D9 DAS SP2 NS"
    assert solve(rules, how=SplitPlay.FIRST_SPLIT).values("2,2", "6")[Action.SPLIT] == pytest.approx(0.26559, abs=5e-6)
    assert solve(rules).values("2,2", "6")[Action.SPLIT] < 0.26559


@pytest.mark.parametrize(("token", "ev"), [("DAS", -0.48320), ("NDAS", -0.49254)])
def test_eights_against_a_ten(token: str, ev: float) -> None:
    """B176: with one split, exactly twice one hand."""
    assert solve(f"6D NS SP2 {token}").values("8,8", "T")[Action.SPLIT] == pytest.approx(ev, abs=5e-6)


@pytest.mark.parametrize("pair", ["2,2", "3,3", "4,4"])
def test_more_memory_is_never_worse(pair: str) -> None:
    """B177: the split played as is best after it, like unsplit hands, and by totals: in this order."""
    rules = parse("8D S17 ENHC NDAS SP2 NS")
    full = solve(rules, how=SplitPlay.FIRST_SPLIT).values(pair, "T")[Action.SPLIT]
    by_cards = solved(rules).values(pair, "T")[Action.SPLIT]
    by_totals = plan(rules, solved(rules).chart, 10)
    by_totals = by_totals._replace(split=by_totals.split | (np.arange(11) == value(pair[0])))
    hand = find_hand(parse_values(pair))
    totals = plan_against(rules, composition(rules), by_totals, 10).action_values[hand, Action.SPLIT]
    assert full >= by_cards - 1e-9
    assert by_cards >= totals - 1e-9


@pytest.mark.parametrize(
    ("text", "ev"),
    [
        ("2D H17 DAS NS", -0.003797),
        ("2D H17 NDAS NS", -0.005252),
        ("6D H17 ENHC NS DAS", -0.0072705),
        ("6D H17 ENHC NS NDAS", -0.0086975),
    ],
)
def test_wizard_of_odds(text: str, ev: float) -> None:
    """B179: https://wizardofodds.com/games/blackjack/appendix/9/; split play differs, so 2e-4 is allowed."""
    assert solve(text).ev == pytest.approx(ev, abs=2e-4)


def test_one_process_two_houses() -> None:
    """B182: what is kept in memory is kept by all rules that matter."""
    two, six = solve("2D NS SP2").values("6,6", "7"), solve("6D NS SP2").values("6,6", "7")
    assert (two[Action.SPLIT], two[Action.HIT]) == pytest.approx((-0.2316, -0.2371), abs=5e-5)
    assert (six[Action.SPLIT], six[Action.HIT]) == pytest.approx((-0.2489, -0.2206), abs=5e-5)


def test_hit_split_aces() -> None:
    """B185, R12: soft 12 after a split is never told to stand."""
    solution = solve("6D HSA NS")
    assert solution.best("A,A", "A") is Action.SPLIT
    for up in VALUES:
        assert solution.best("A,A", up, after_split=True) is not Action.STAND
    assert list(solve("6D NS").values("A,T", "6", after_split=True)) == [Action.STAND]


def test_values_are_those_of_the_moment() -> None:
    """After a peek given no blackjack; early surrender (R9) before it; insurance (R10) by the hand."""
    late, early = solve("6D"), solve("6D ES")
    assert late.values("T,6", "T")[Action.SURRENDER] == -0.5
    assert Action.SURRENDER not in early.values("T,6", "T")
    offered = early.early_values("T,6", "T")
    beaten = 24 / 309
    declined = (1 - beaten) * late.values("T,6", "T")[Action.HIT] - beaten
    assert offered == pytest.approx({Action.SURRENDER: -0.5, Action.DECLINE: declined})
    assert late.early_values("T,6", "T") == {} == late.insurance_values("T,6", "T")
    assert late.insurance_values("T,T", "A")[Action.INSURE] == pytest.approx((3 * 94 / 309 - 1) / 2)


def test_insurance_is_taken_where_it_pays() -> None:
    rich = [8.0] * 9 + [64.0]
    assert solve("2D NS", rich).ev > solve("2D NS NINS", rich).ev + 1e-4
    assert solve("2D NS").ev == pytest.approx(solve("2D NS NINS").ev, abs=1e-15)


def test_whole_chips() -> None:
    """R21: one chip at 3:2 pays one chip; two chips pay three. The solver's bet is the house's smallest."""
    plain, odd = solve("1D NS NINS"), solve("1D NS NINS WHOLE")
    assert solve("1D NS NINS WHOLE MIN2").ev == pytest.approx(plain.ev, abs=1e-14)
    assert odd.ev == pytest.approx(solve("1D NS NINS 1:1").ev, abs=1e-14)


def test_split_by_rank() -> None:
    """R7: tens of different ranks are no pair, so with split tens at their best less is won."""
    hot = [4.0, 1.0, 1.0, 1.0, 1.0, 1.0, 4.0, 4.0, 4.0, 32.0]
    by_value, by_rank = solve("2D NS NINS SPVAL", hot), solve("2D NS NINS SPRANK", hot)
    assert by_value.best("T,T", "6") is Action.SPLIT
    assert by_value.ev > by_rank.ev > solve("2D NS NINS SP1", hot).ev


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: solve("6D", "1,2,3"), "expected 10 counts"),
        (lambda: solve("6D", "1,2,x,4,5,6,7,8,9,10"), "expected counts"),
        (lambda: solve("6D", [0, 0, 0, 0, 0, 0, 0, 0, 0, 4]), "run out of cards"),
        (lambda: solve("6D OBO CH5"), "OBO exactly"),
        (lambda: solve("1D SPRANK", [4.0] * 9 + [15.0]), "SPRANK"),
        (lambda: solve("6D").values("T,9,8", "6"), "at most 21 points"),
        (lambda: solve("1D").values("A,A,A", "A,A"), "expected one card"),
        (lambda: solve("1D").values("A,A,A,A", "A"), "one more A"),
        (lambda: solve("6D").values("T", "6"), "two or more"),
        (lambda: solve("6D").values("T,1", "6"), "'1'"),
        (lambda: evaluate("6D", "mimik"), "did you mean 'mimic'"),
        (lambda: evaluate("6D", {((10, 10), 10): Action.STAND}), "expected an entry"),
        (lambda: evaluate("6D", lambda at: Action.SPLIT), "expected one of"),
        (lambda: evaluate("6D", 7), "expected a Chart"),
        (lambda: evaluate("6D", solve("1D")), "by its own rules"),
        (lambda: evaluate("6D", solve("6D", [0] + [24] * 9)), "without the up card A"),
    ],
)
def test_bad_input(call, said: str) -> None:
    with pytest.raises(BlackjackError, match=said) as error:
        call()
    assert "\n" not in str(error.value)
    assert str(error.value)[0].islower() or str(error.value).startswith("OBO")


def test_a_strategy_is_worth_what_it_is(  # a solution evaluated, a table and a function of the same play
) -> None:
    solution = solve("1D H17 NS SP2")
    assert evaluate("1D H17 NS SP2", solution).ev == pytest.approx(solution.ev, abs=1e-14)
    assert evaluate("1D H17 NS SP1", solve("1D H17 NS SP1")).ev == pytest.approx(solve("1D H17 NS SP1").ev, abs=1e-14)


def test_every_kernel_keeps_to_its_file() -> None:
    """Numba's cache sees changes of a kernel's own file only."""
    import numba

    from bj_env.solver import draws, kernels, moments, splits

    assert (kernels.OUTCOMES, kernels.BLACKJACK) == (draws.OUTCOMES, draws.BLACKJACK)

    assert (kernels.STAND, kernels.HIT, kernels.DOUBLE, kernels.SURRENDER) == (
        Action.STAND,
        Action.HIT,
        Action.DOUBLE,
        Action.SURRENDER,
    )
    for module in (draws, kernels, moments, splits):
        dispatchers = [f for f in vars(module).values() if isinstance(f, numba.core.dispatcher.Dispatcher)]
        for kernel in (f for f in dispatchers if f.py_func.__module__ == module.__name__):
            used = [vars(module).get(name) for name in kernel.py_func.__code__.co_names]
            for other in used:
                if isinstance(other, numba.core.dispatcher.Dispatcher):
                    assert other.py_func.__module__ == module.__name__


ODD_SHOES = (
    (24,) * 9 + (0,),
    (0,) + (24,) * 8 + (96,),
    (0,) * 9 + (40,),
    (4,) + (0,) * 8 + (40,),
    (0, 10, 0, 0, 0, 0, 0, 0, 0, 10),
    (60,) + (0,) * 9,
)


@pytest.mark.parametrize("cards", ODD_SHOES, ids=str)
@pytest.mark.parametrize("text", ["6D", "6D ENHC H17 ES", "6D OBO RSA HSA"])
def test_odd_shoes(text: str, cards: tuple[int, ...]) -> None:
    """Missing ranks, and shoes of one or two ranks."""
    solution = solve(text, cards)
    assert evaluate(text, solution, cards).ev == pytest.approx(solution.ev, abs=1e-12)
    assert best_chart(solution.rules, solution.shoe).ev <= solution.ev + 1e-12


EDITED = "import sys; sys.path.insert(0, {path!r}); from bj_env.solver import solve; print(solve('1D NS SP1').ev)"


@pytest.mark.slow
def test_an_edited_rule_is_never_served_from_the_cache(tmp_path: Path) -> None:
    """A dealer who draws to 17, written into a copy of the rules, plays at once, with machine code from before."""
    package = tmp_path / "bj_env"
    shutil.copytree(Path(bj_env.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))

    def value() -> float:
        command = [sys.executable, "-c", EDITED.format(path=str(tmp_path))]
        environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
        return float(subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout)

    before = value()
    assert before == pytest.approx(solve("1D NS SP1").ev, abs=1e-15)
    rules = (package / "rules.py").read_text()
    assert "return total < 17 or" in rules
    (package / "rules.py").write_text(rules.replace("return total < 17 or", "return total < 18 or"))
    assert abs(value() - before) > 0.01
