"""The fastest PyTorch loop over seeds: slices of tensors, one fused Adam, no reading."""
# pyright: reportMissingImports=false

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional

from benchmarks import job
from benchmarks.peers.torch_parts import curves, network, scores, tensors


def run(seeds: Sequence[int], epochs: int) -> job.Curves:
    """Trains one seed after another."""
    return job.one_by_one(train, seeds, tensors(seeds), epochs)


def train(
    seed: int,
    inputs: Tensor,
    targets: Tensor,
    held_inputs: Tensor,
    held_targets: Tensor,
    epochs: int,
) -> job.Curves:
    """Returns one seed's curves."""
    model = network(seed)
    optimizer = torch.optim.Adam(model.parameters(), lr=job.LEARNING_RATE, fused=True)
    validation = []
    for _ in range(epochs):
        order = torch.randperm(len(targets))[: job.STEPS * job.BATCH]
        batches = zip(
            inputs[order].split(job.BATCH), targets[order].split(job.BATCH), strict=True
        )
        for batch_inputs, batch_targets in batches:
            optimizer.zero_grad()
            logits = model(batch_inputs)[:, 0]
            functional.binary_cross_entropy_with_logits(
                logits, batch_targets
            ).backward()
            optimizer.step()
        with torch.no_grad():
            validation.append(scores(model(held_inputs)[:, 0], held_targets))
    return curves(validation, optimizer)
