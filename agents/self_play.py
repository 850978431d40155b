"""Self-play: every agent of a table learns by PPO against what the others have learned so far.

``python -m agents.self_play dealer`` trains a player against a dealer who chooses, and says how far both are from the
equilibrium. ``python -m agents.self_play tournament`` trains bettors of a tournament, and plays them against basic
strategy with flat and proportional bets. Agents share one network (``--weights shared``) or have one each.
"""

import argparse
import json
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.distributions import Categorical

from bj_env.multi import dealer_game
from bj_env.multi.aec import BlackjackAEC
from bj_env.multi.bettors import FlatBettor, ProportionalBettor
from bj_env.multi.tournament import TournamentSettings

TABLES = 64
"""Tables that are played side by side, so that a network is asked for many of them at once."""

EPOCHS, MINIBATCHES, CLIP = 4, 4, 0.2

DEALER_GAME: dict[str, Any] = {
    "rules": dealer_game.RULES,
    "seats": ("agent",),
    "dealer": "agent",
    "observation": ("hand", "table"),
}

TOURNAMENT = TournamentSettings(rounds=8, bankroll=100, play="basic")
BETS = (5, 10, 25, 50, 100)
TOURNAMENT_GAME: dict[str, Any] = {"bets": BETS, "episode": "tournament", "tournament": TOURNAMENT}
OPPONENTS = (FlatBettor(10), ProportionalBettor(0.2))


class ActorCritic(nn.Module):
    """A network for the actions and one for the value; masked actions have probability 0.

    Args:
        scales: what each input is multiplied with at first, see `scales`; ``[inputs]``.
        actions: how many there are.
    """

    def __init__(self, scales: Sequence[float], actions: int) -> None:
        super().__init__()
        inputs = len(scales)
        self.scale = nn.Parameter(torch.tensor(scales))
        self.actor, self.critic = _layers(inputs, actions), _layers(inputs, 1)

    def forward(self, seen: torch.Tensor, masks: torch.Tensor) -> tuple[Categorical, torch.Tensor]:
        """Return the policy and the value for observations ``[N, inputs]`` and masks ``[N, actions]``."""
        scaled = seen * self.scale
        logits = self.actor(scaled).masked_fill(masks == 0, -1e9)
        return Categorical(logits=logits), self.critic(scaled)[:, 0]


def scales(table: BlackjackAEC) -> list[float]:
    """Return what the inputs of an observation are multiplied with, so that a card weighs as much as a fact.

    Cards face up are counted in units of 1/21, and a network that gets them so small learns as if it did not see them.
    """
    names = table.table_env.feature_names
    (inputs,) = table.observation_space(table.possible_agents[0]).shape or (0,)
    cards = [name.startswith(("table.dealer", "table.P")) for name in names]
    return [84.0 if card else 4.0 for card in cards] + [4.0] * (inputs - len(names))


def _layers(inputs: int, outputs: int) -> nn.Sequential:
    last = nn.Linear(128, outputs)
    nn.init.orthogonal_(last.weight, 0.01)
    nn.init.zeros_(last.bias)
    return nn.Sequential(nn.Linear(inputs, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh(), last)


@dataclass
class Decisions:
    """What an agent has decided: rows of equal length; ``paid`` is what its episode paid in the end."""

    seen: list[NDArray[Any]] = field(default_factory=list)
    masks: list[NDArray[Any]] = field(default_factory=list)
    actions: list[int] = field(default_factory=list)
    paid: list[float] = field(default_factory=list)


class Tables:
    """Tables that are played side by side; finished decisions are gathered by the name of their network.

    Args:
        game: arguments of `BlackjackAEC`.
        network_of: the name of the network of each agent.
        seed: of all tables.
    """

    def __init__(self, game: dict[str, Any], network_of: dict[str, str], seed: int) -> None:
        self.tables = [BlackjackAEC(**game) for _ in range(TABLES)]
        self.network_of = network_of
        self.open: list[dict[str, Decisions]] = [{} for _ in self.tables]
        self.done = {name: Decisions() for name in network_of.values()}
        self.paid: list[dict[str, float]] = []
        for number, table in enumerate(self.tables):
            table.reset(seed=seed * 100_003 + number)
            self._settle(number)

    def play(self, networks: dict[str, ActorCritic], decisions: int, *, greedy: bool = False) -> None:
        """Play until about so many decisions of finished episodes are gathered."""
        while sum(len(done.paid) for done in self.done.values()) < decisions:
            self.step(networks, greedy=greedy)

    def step(self, networks: dict[str, ActorCritic], *, greedy: bool = False) -> None:
        """Take one decision at every table."""
        agents = [table.agent_selection for table in self.tables]
        for name, network in networks.items():
            which = [number for number, agent in enumerate(agents) if self.network_of[agent] == name]
            if not which:
                continue
            seen = np.stack([np.asarray(self.tables[number].observe(agents[number])) for number in which])
            masks = np.stack([self.tables[number].infos[agents[number]]["action_mask"] for number in which])
            with torch.no_grad():
                policy, _ = network(torch.from_numpy(seen), torch.from_numpy(masks))
            actions = (policy.probs.argmax(1) if greedy else policy.sample()).tolist()
            for place, number in enumerate(which):
                self._take(number, agents[number], seen[place], masks[place], actions[place])

    def _take(self, number: int, agent: str, seen: NDArray[Any], mask: NDArray[Any], action: int) -> None:
        own = self.open[number].setdefault(agent, Decisions())
        if mask.sum() > 1:  # nothing is learned where nothing is chosen
            own.seen.append(seen)
            own.masks.append(mask)
            own.actions.append(action)
        self.tables[number].step(action)
        self._settle(number)

    def _settle(self, number: int) -> None:
        """Gather the decisions of agents that are out of their episode, and begin another one after the last."""
        table, paid = self.tables[number], dict[str, float]()
        while table.agents and (table.terminations[table.agent_selection] or table.truncations[table.agent_selection]):
            agent = table.agent_selection
            paid[agent] = table.last(observe=False)[1]
            own, done = self.open[number].pop(agent, Decisions()), self.done[self.network_of[agent]]
            done.seen += own.seen
            done.masks += own.masks
            done.actions += own.actions
            done.paid += [paid[agent]] * len(own.actions)
            table.step(None)
        if paid:
            self.paid.append(paid)
        if not table.agents:
            table.reset()

    def take(self, name: str) -> Decisions:
        """Return what was gathered for a network, and gather anew."""
        done, self.done[name] = self.done[name], Decisions()
        return done


def update(network: ActorCritic, optimizer: torch.optim.Optimizer, done: Decisions, entropy_coefficient: float) -> None:
    """Take PPO's steps on finished decisions; the return of a decision is what its episode paid."""
    seen, masks = torch.from_numpy(np.stack(done.seen)), torch.from_numpy(np.stack(done.masks))
    actions, paid = torch.tensor(done.actions), torch.tensor(done.paid, dtype=torch.float32)
    with torch.no_grad():
        policy, value = network(seen, masks)
        old, advantages = policy.log_prob(actions), paid - value
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    for _ in range(EPOCHS):
        for batch in torch.randperm(len(actions)).chunk(MINIBATCHES):
            policy, value = network(seen[batch], masks[batch])
            ratio = (policy.log_prob(actions[batch]) - old[batch]).exp()
            gain = advantages[batch]
            surrogate = torch.min(ratio * gain, ratio.clamp(1 - CLIP, 1 + CLIP) * gain).mean()
            loss = (
                0.5 * (value - paid[batch]).square().mean() - surrogate - entropy_coefficient * policy.entropy().mean()
            )
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            optimizer.step()


def train(
    game: dict[str, Any],
    *,
    shared: bool,
    decisions: int,
    seed: int,
    batch: int = 16_384,
    report: Callable[[int, dict[str, ActorCritic]], None],
) -> dict[str, ActorCritic]:
    """Train the agents of a table against each other; return the network of each agent.

    Args:
        game: arguments of `BlackjackAEC`.
        shared: whether all agents have the same network.
        decisions: how many are learned from.
        seed: of everything.
        batch: decisions between two updates.
        report: called after each update with the decisions so far and the networks by agent.
    """
    torch.manual_seed(seed)
    table = BlackjackAEC(**game)
    network_of = {agent: "all" if shared else agent for agent in table.possible_agents}
    actions = int(table.action_space(table.possible_agents[0]).n)  # type: ignore[attr-defined]
    networks = {name: ActorCritic(scales(table), actions) for name in network_of.values()}
    optimizers = {name: torch.optim.Adam(network.parameters(), 1e-3) for name, network in networks.items()}
    tables, learned = Tables(game, network_of, seed), 0
    while learned < decisions:
        tables.play(networks, batch)
        left = 1 - learned / decisions
        for name, network in networks.items():
            done = tables.take(name)
            learned += len(done.actions)
            optimizers[name].param_groups[0]["lr"] = 1e-3 * left + 1e-5
            if done.actions:
                update(network, optimizers[name], done, 0.01 * left)
        report(learned, {agent: networks[name] for agent, name in network_of.items()})
    return {agent: networks[name] for agent, name in network_of.items()}


def dealer_game_strategies(networks: dict[str, ActorCritic], *, greedy: bool = True) -> tuple[Any, Any]:
    """Return the strategies of networks in the form of `bj_env.multi.dealer_game`, asked with hands of few cards."""
    table = BlackjackAEC(**DEALER_GAME)
    player, dealer = np.zeros((22, 2, 11)), np.zeros((22, 22, 2))
    for total, soft in [*((hard, 0) for hard in range(4, 21)), *((ace, 1) for ace in range(12, 21))]:
        for upcard in range(1, 11):
            player[total, soft, upcard] = _share(table, networks["seat_1"], cards_of(total, soft), [upcard], greedy)
        for own in range(4, 22):
            hands = cards_of(own, 0), cards_of(total, soft)
            dealer[own, total, soft] = _share(table, networks["dealer_1"], *hands, greedy)
    return player, dealer


def cards_of(total: int, soft: int) -> list[int]:
    """Return two cards that make a total, or three for a hard 21.

    >>> cards_of(16, 0), cards_of(18, 1), cards_of(5, 0)
    ([10, 6], [1, 7], [3, 2])
    """
    if soft:
        return [1, total - 11]
    low = max(2, total - 10)
    return [total - low, low] if total < 21 else [7, 7, 7]


def _share(
    table: BlackjackAEC, network: ActorCritic, player: Sequence[int], dealer: Sequence[int], greedy: bool
) -> float:
    """Return how often a network hits, the player's and the dealer's cards being face up."""
    seen = dealer_game_observation(table, player, dealer)
    masks = torch.tensor([[1, 1, 0, 0, 0, 0, 0]])
    with torch.no_grad():
        share = float(network(torch.from_numpy(seen)[None], masks)[0].probs[0, 1])
    return float(share > 0.5) if greedy else share


def dealer_game_observation(table: BlackjackAEC, player: Sequence[int], dealer: Sequence[int]) -> NDArray[Any]:
    """Return what the one in turn sees: the player while the dealer has one card, else the dealer."""
    from bj_env.observation import write_card, write_hand, write_turn
    from bj_env.rules.terms import Phase

    layout = table.table_env.settings.layout
    row = [0] * len(layout.columns)
    mine = player if len(dealer) == 1 else dealer
    total, soft = 0, False
    for card in mine:
        total, soft = dealer_game.drawn(total, soft, card)
    pair = mine[0] if len(mine) == 2 and mine[0] == mine[1] else 0
    stake = 1 if len(dealer) == 1 else 0
    write_hand(row, layout.starts["hand"], Phase.PLAY, total, soft, pair, dealer[0], stake)
    write_turn(row, layout.starts["table"], 0, 0)
    for card in dealer:
        write_card(row, layout.starts["table"], 1, -1, 0, card)
    for card in player:
        write_card(row, layout.starts["table"], 1, 0, 0, card)
    return layout.encode(row)


def win_rate(network: ActorCritic, tournaments: int, seed: int, workers: int = 2) -> tuple[float, float]:
    """Play a bettor against `OPPONENTS`; return its mean prize and the 95 % half-width.

    Args:
        network: the bettor's; it samples its bets.
        tournaments: how many are played.
        seed: of the shoes.
        workers: processes to share the work.
    """
    share = -(-tournaments // workers)
    with ProcessPoolExecutor(workers) as pool:
        parts = pool.map(partial(_prizes, network, share), [seed + worker for worker in range(workers)])
        prizes = np.concatenate(list(parts))
    return float(prizes.mean()), float(1.96 * prizes.std(ddof=1) / len(prizes) ** 0.5)


def _prizes(network: ActorCritic, tournaments: int, seed: int) -> NDArray[np.float64]:
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    tables = Tables(TOURNAMENT_GAME | {"seats": ("agent", *OPPONENTS)}, {"seat_1": "seat_1"}, seed)
    while len(tables.paid) < tournaments:
        tables.step({"seat_1": network})
    return np.array([paid["seat_1"] for paid in tables.paid[:tournaments]])


def main() -> None:
    """Train, and print what came of it as lines of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", choices=["dealer", "tournament"])
    parser.add_argument("--weights", choices=["shared", "separate"], default="separate")
    parser.add_argument("--decisions", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tournaments", type=int, default=100_000, help="to measure the win rate (default: 100000)")
    options = parser.parse_args()
    torch.set_num_threads(1)
    game = DEALER_GAME if options.game == "dealer" else TOURNAMENT_GAME | {"seats": ("agent",) * 3}
    begun, reported = time.monotonic(), [0]

    def report(learned: int, networks: dict[str, ActorCritic]) -> None:
        if learned < reported[0] and learned < options.decisions:
            return
        reported[0] = learned + options.decisions // 10
        said: dict[str, Any] = {"decisions": learned, "seconds": round(time.monotonic() - begun)}
        if options.game == "dealer":
            player, dealer = dealer_game_strategies(networks)
            said |= {
                "value": dealer_game.value(player, dealer),
                "exploitability": dealer_game.exploitability(player, dealer),
                "player_gives": dealer_game.equilibrium().value - dealer_game.best_dealer(player).value,
                "dealer_gives": dealer_game.best_player(dealer).value - dealer_game.equilibrium().value,
            }
        print(json.dumps(said), flush=True)

    networks = train(
        game, shared=options.weights == "shared", decisions=options.decisions, seed=options.seed, report=report
    )
    if options.game == "tournament":
        for agent in networks if options.weights == "separate" else ["seat_1"]:
            mean, half = win_rate(networks[agent], options.tournaments, options.seed + 1000)
            print(json.dumps({"agent": agent, "win_rate": mean, "half_width": half, "fair_share": 1 / 3}), flush=True)


if __name__ == "__main__":
    main()
