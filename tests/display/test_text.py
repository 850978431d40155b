"""The table as text."""

from bj_env.rules.terms import Action
from tests.env.games import make


def drawn(line: str, **keywords: object) -> list[str]:
    env = make(render_mode="ansi", bets=(10,), **keywords)
    env.reset(options={"line": line})
    return str(env.render()).splitlines()


def test_the_table_says_who_has_what_and_what_may_be_done() -> None:
    lines = drawn("six-deck ; D 6/T ; P1 10 8,8 P ; P2 10 A,K ; next 3", seats=("agent", "basic"))
    assert lines == [
        "six-deck   305 cards left in the shoe",
        "dealer            6 ?",
        "P1 agent          8 3                  hard 11       bet 10     <- to act",
        "                  8                    hard 8        bet 10",
        "P2 basic          A K                  blackjack     bet 10",
        "legal: STAND, HIT, DOUBLE",
    ]


def test_at_the_end_the_dealers_hand_and_the_nets_are_shown() -> None:
    env = make(render_mode="ansi", bets=(10,))
    env.reset(options={"line": "six-deck ; D A/K ; P1 10 T,8"})
    env.step(Action.INSURE)
    assert str(env.render()).splitlines()[1:] == [
        "dealer            A K                  blackjack",
        "P1 agent          T 8                  hard 18       bet 10",
        "                  insurance 5",
        "                  net 0",
        "the round is over",
    ]


def test_while_bets_are_made_the_sizes_are_shown() -> None:
    env = make(render_mode="ansi", bets=(0, 5, 25), rules="INF")
    env.reset(seed=1)
    assert str(env.render()).splitlines()[-1] == "legal: bet 0, bet 5, bet 25"
    assert "infinite shoe" in str(env.render())
    assert str(env.render()).splitlines()[2].split() == ["P1", "agent", "<-", "to", "bet"]


def test_limited_money_is_shown() -> None:
    env = make(render_mode="ansi", bets=(10,), bankroll=100, seats=("agent", "basic"))
    env.reset(options={"shoe": "T,T,6,8,8,T,9"})
    assert "bank 90" in str(env.render())
    env.step(Action.STAND)
    assert str(env.render()).splitlines()[2:6] == [
        "P1 agent          T 8                  hard 18       bet 10",
        "                  bank 110",
        "                  net +10",
        "P2 basic          T 8                  hard 18       bet 1",
    ]


def test_ordinary_tables_fit_80_columns() -> None:
    env = make(render_mode="ansi", seats=("agent", "never-bust", "threshold:15", "random"))
    for seed in range(100):
        env.reset(seed=seed)
        while env.action_masks().any():
            assert max(map(len, str(env.render()).splitlines())) <= 80
            env.step(0)
