"""Networks of plain layers: how they begin, what is saved of them as a policy, and what a checkpoint keeps."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn

from agents.run.training import Tensors


def network(widths: Sequence[int], gain: float, rng: torch.Generator) -> nn.Sequential:
    """Return layers with ReLU between them, orthogonal at first; ``gain`` is the scale of the last one."""
    layers: list[nn.Module] = []
    for inputs, outputs in pairwise(widths):
        linear = nn.Linear(inputs, outputs)
        nn.init.orthogonal_(linear.weight, 2**0.5, generator=rng)
        nn.init.zeros_(linear.bias)
        layers += [linear, nn.ReLU()]
    nn.init.orthogonal_(linear.weight, gain, generator=rng)
    return nn.Sequential(*layers[:-1])


def exported(layers: nn.Sequential) -> Tensors:
    """Return layers as a saved policy has them: ``0.weight`` ``[out, in]``, ``0.bias`` ``[out]``, ``1.weight``, ..."""
    linear = [layer for layer in layers if isinstance(layer, nn.Linear)]
    named = [
        (f"{number}.{name}", weight) for number, layer in enumerate(linear) for name, weight in layer.named_parameters()
    ]
    return {name: weight.detach().numpy().copy() for name, weight in named}


class Adam(torch.optim.Adam):
    """Adam whose state is there from the first step on, so that a checkpoint can be read into a new one.

    Args:
        weights: what it trains, by name.
        learning_rate: at first.
    """

    def __init__(self, weights: Mapping[str, Tensor], learning_rate: float) -> None:
        super().__init__(weights.values(), lr=learning_rate, eps=1e-5)
        self.named = dict(weights)
        for weight in weights.values():
            moments = {"exp_avg": torch.zeros_like(weight), "exp_avg_sq": torch.zeros_like(weight)}
            self.state[weight] = {"step": torch.tensor(0.0), **moments}

    def set_rate(self, learning_rate: float) -> None:
        """Change the learning rate."""
        self.param_groups[0]["lr"] = learning_rate

    def kept(self) -> dict[str, Tensor]:
        """Return by name the tensors that change in training: weights and moments."""
        tensors: dict[str, Tensor] = {}
        for name, weight in self.named.items():
            moments = self.state[weight]
            tensors |= {name: weight, **{f"{name}.{moment}": moments[moment] for moment in moments}}
        return tensors

    def as_arrays(self) -> Tensors:
        """Return copies of these."""
        return {name: tensor.detach().numpy().copy() for name, tensor in self.kept().items()}

    @torch.no_grad()
    def read(self, state: Tensors) -> None:
        """Take them from copies."""
        for name, tensor in self.kept().items():
            tensor.copy_(torch.as_tensor(state[name]))
