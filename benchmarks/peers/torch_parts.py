"""What the PyTorch peers share: the network, how it is measured, what is returned."""
# pyright: reportMissingImports=false

import itertools
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from benchmarks import job


def network(seed: int) -> nn.Sequential:
    """Returns the MLP with this seed's weights: LeCun normal kernels, biases 0."""
    torch.manual_seed(seed)
    layers: list[nn.Module] = []
    for inputs, outputs in itertools.pairwise(job.WIDTHS):
        layer = nn.Linear(inputs, outputs)
        nn.init.normal_(layer.weight, std=inputs**-0.5)
        nn.init.zeros_(layer.bias)
        layers += [layer, nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def tensors(seeds: Sequence[int]) -> list[Tensor]:
    """Returns the rows of these seeds, as `job.parts` does."""
    return [torch.from_numpy(part) for part in job.parts(seeds)]


def shuffled(inputs: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    """Returns an epoch's batches of every seed, each seed in an order of its own.

    The steps come first, then the seeds, so that a step's rows lie together.
    """
    seeds, rows = targets.shape
    order = torch.rand(seeds, rows).argsort(dim=1)[:, : job.STEPS * job.BATCH]
    order = order.reshape(seeds, job.STEPS, job.BATCH).transpose(0, 1)
    lane = torch.arange(seeds)[:, None]
    return inputs[lane, order], targets[lane, order]


def scores(logits: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    """Returns loss and accuracy along the last axis, which holds the rows."""
    losses = functional.binary_cross_entropy_with_logits(
        logits, targets, reduction="none"
    )
    correct = (logits > 0) == (targets > 0.5)
    return losses.mean(dim=-1), correct.float().mean(dim=-1)


def curves(
    epochs: Sequence[tuple[Tensor, Tensor]], optimizer: torch.optim.Optimizer
) -> job.Curves:
    """Returns the curves from each epoch's scores, of one seed or of many at once."""
    loss, accuracy = (
        torch.stack(values).reshape(len(epochs), -1).numpy()
        for values in zip(*epochs, strict=True)
    )
    steps = max(int(state["step"]) for state in optimizer.state.values())
    return job.Curves(loss, accuracy, np.full(loss.shape[1], steps))
