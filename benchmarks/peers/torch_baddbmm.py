"""All seeds at once, written out: each layer one baddbmm over seeds, one fused Adam."""
# pyright: reportMissingImports=false

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from benchmarks import job
from benchmarks.peers.torch_parts import curves, network, scores, shuffled, tensors


def run(seeds: Sequence[int], epochs: int) -> job.Curves:
    """Trains every seed in the same steps."""
    params = stacked([network(seed) for seed in seeds])
    inputs, targets, held_inputs, held_targets = tensors(seeds)
    optimizer = torch.optim.Adam(params, lr=job.LEARNING_RATE, fused=True)
    validation = []
    for _ in range(epochs):
        for batch_inputs, batch_targets in zip(*shuffled(inputs, targets), strict=True):
            optimizer.zero_grad()
            losses = functional.binary_cross_entropy_with_logits(
                forward(params, batch_inputs), batch_targets, reduction="sum"
            )
            # Each seed's mean over its batch; the seeds do not touch.
            (losses / job.BATCH).backward()
            optimizer.step()
        with torch.no_grad():
            validation.append(scores(forward(params, held_inputs), held_targets))
    return curves(validation, optimizer)


def stacked(networks: Sequence[nn.Sequential]) -> list[Tensor]:
    """Returns kernels [seeds, inputs, outputs] and biases [seeds, 1, outputs] in turn."""
    each = zip(*(network.parameters() for network in networks), strict=True)
    return [
        torch.stack(
            [
                leaf.detach().T if leaf.ndim == 2 else leaf.detach()[None]
                for leaf in leaves
            ]
        )
        .contiguous()
        .requires_grad_()
        for leaves in each
    ]


def forward(params: Sequence[Tensor], x: Tensor) -> Tensor:
    """Returns the logits [seeds, rows] of inputs [seeds, rows, features]."""
    *hidden, (kernel, bias) = zip(params[::2], params[1::2], strict=True)
    for hidden_kernel, hidden_bias in hidden:
        x = torch.relu_(torch.baddbmm(hidden_bias, x, hidden_kernel))
    return torch.baddbmm(bias, x, kernel)[:, :, 0]
