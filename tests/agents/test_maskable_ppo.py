"""MaskablePPO: what its masked distribution promises, and that its tables refuse what the mask forbids."""

import numpy as np
import pytest
import torch
from sb3_contrib.common.maskable.distributions import MaskableCategorical

from bj_env.errors import IllegalAction
from tests.agents.test_sb3 import made


def test_masked_logits_are_renormalised() -> None:
    """Report b117."""
    distribution = MaskableCategorical(logits=torch.tensor([[2.0, 1.0, 0.5]]), masks=np.array([[False, True, True]]))
    np.testing.assert_allclose(distribution.probs.numpy()[0], [0, 0.622459, 0.377541], atol=1e-6)


def test_masks_leave_exact_zeros_and_finite_gradients() -> None:
    """Report b116."""
    logits = torch.tensor([[40.0, -30.0, 0.0]] * 64, requires_grad=True)
    masks = np.array([[True, False, False], [False, True, True], [True, True, True], [False, True, False]] * 16)
    distribution = MaskableCategorical(logits=logits, masks=masks)
    assert (distribution.probs[~torch.as_tensor(masks)] == 0).all()
    np.testing.assert_allclose(distribution.probs.sum(1).detach().numpy(), 1, atol=1e-6)
    entropy = distribution.entropy()
    assert (entropy[::4] == 0).all()
    entropy.sum().backward()
    assert torch.isfinite(logits.grad).all()  # type: ignore[arg-type]


def test_its_tables_refuse_what_the_mask_forbids() -> None:
    tables = made("maskable-ppo").model.env
    tables.reset()
    with pytest.raises(IllegalAction, match="environment 0"):
        tables.step(np.full(16, 5))
