"""The solver on hands that people argue about, on odd rules, shoes and strategies, and on what makes no sense."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import bj_env
from bj_env.errors import BlackjackError
from bj_env.rules.houses import parse
from bj_env.rules.terms import Action
from bj_env.solver import (
    SplitPlay,
    best_chart,
    evaluate,
    solve,
)
from bj_env.solver.exact import plan_against
from bj_env.solver.hands import VALUES, find_hand, hand_index, parse_values
from bj_env.solver.shoe import composition
from bj_env.solver.strategy import plan
from tests.solver.test_solver import solved, value

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
        (lambda: solve("6D", "1,2,x,4,5,6,7,8,9,10"), "expected whole numbers"),
        (lambda: solve("6D", [0, 0, 0, 0, 0, 0, 0, 0, 0, 4]), "run out of cards"),
        (lambda: solve("6D OBO CH5"), "OBO exactly"),
        (lambda: solve("1D SPRANK", [4.0] * 9 + [15.0]), "SPRANK"),
        (lambda: solve("6D").values("T,9,8", "6"), "at most 21 points"),
        (lambda: solve("1D").values("A,A,A", "A,A"), "expected one card"),
        (lambda: solve("1D").values("A,A,A,A", "A"), "one more A"),
        (lambda: solve("6D").values("T", "6"), "two or more"),
        (lambda: solve("6D").values("T,1", "6"), "got 'T,1'"),
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


def test_a_table_needs_only_the_hands_it_comes_to() -> None:
    """One deck, stand on everything: the 55 hands of two cards; a solution's table is worth what it is."""
    stand = {(hand, up): Action.STAND for hand in hand_index() if len(hand) == 2 for up in VALUES}
    always = evaluate("1D NS NINS SP1", lambda at: Action.STAND).ev
    assert evaluate("1D NS NINS SP1", stand).ev == pytest.approx(always, abs=1e-15)
    solution, index = solve("1D NS NINS SP2"), hand_index()
    table = {
        (hand, up): [Action.SPLIT] * bool(len(hand) == 2 and hand[0] == hand[1] and plan.split[hand[0]])
        + [Action(int(plan.choice[0, number])), Action(int(plan.choice[1, number]))]
        for up, plan in solution.plans.items()
        for hand, number in index.items()
    }
    assert evaluate("1D NS NINS SP2", table).ev == pytest.approx(solution.ev, abs=1e-14)


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
    rules = (package / "rules" / "numbered.py").read_text()
    assert "return total < 17 or" in rules
    (package / "rules" / "numbered.py").write_text(rules.replace("return total < 17 or", "return total < 18 or"))
    assert abs(value() - before) > 0.01
