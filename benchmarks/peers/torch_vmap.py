"""All seeds at once by torch.func: the network stacked, its gradient vmapped."""
# pyright: reportMissingImports=false

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.func import functional_call, grad, stack_module_state, vmap
from torch.nn import functional

from benchmarks import job
from benchmarks.peers.torch_parts import curves, network, scores, shuffled, tensors


def run(seeds: Sequence[int], epochs: int) -> job.Curves:
    """Trains every seed in the same steps."""
    networks = [network(seed) for seed in seeds]
    params, _ = stack_module_state(networks)
    inputs, targets, held_inputs, held_targets = tensors(seeds)
    optimizer = torch.optim.Adam(params.values(), lr=job.LEARNING_RATE, fused=True)
    skeleton = networks[0].to("meta")

    def logits(params: dict[str, Tensor], inputs: Tensor) -> Tensor:
        return functional_call(skeleton, params, (inputs,))[:, 0]

    def loss(params: dict[str, Tensor], inputs: Tensor, targets: Tensor) -> Tensor:
        found = logits(params, inputs)
        return functional.binary_cross_entropy_with_logits(found, targets)

    gradient, forward = vmap(grad(loss)), vmap(logits)
    validation = []
    for _ in range(epochs):
        for batch in zip(*shuffled(inputs, targets), strict=True):
            with torch.no_grad():
                found = gradient(params, *batch)
            for name, parameter in params.items():
                parameter.grad = found[name]
            optimizer.step()
        with torch.no_grad():
            validation.append(scores(forward(params, held_inputs), held_targets))
    return curves(validation, optimizer)
