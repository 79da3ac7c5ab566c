"""PyTorch as its tutorials write it: a DataLoader, and the loss read at every step."""
# pyright: reportMissingImports=false

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

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
    model, loss_function = network(seed), nn.BCEWithLogitsLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=job.LEARNING_RATE)
    loader = DataLoader(
        TensorDataset(inputs, targets), job.BATCH, shuffle=True, drop_last=True
    )
    validation = []
    for _ in range(epochs):
        model.train()
        running_loss = 0.0
        for batch_inputs, batch_targets in loader:
            optimizer.zero_grad()
            loss = loss_function(model(batch_inputs)[:, 0], batch_targets)
            loss.backward()
            optimizer.step()
            running_loss += loss.item()
        model.eval()
        with torch.no_grad():
            validation.append(scores(model(held_inputs)[:, 0], held_targets))
    return curves(validation, optimizer)
