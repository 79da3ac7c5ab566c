"""Who is measured: each peer, how it may use the machine, and how much it does a trial."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.util import find_spec

from benchmarks import job, machine
from benchmarks.workers import Layout


@dataclass(frozen=True, kw_only=True)
class Contender:
    """A line of the table; of several layouts the fastest counts.

    peer: its file in benchmarks/peers.
    expected: how many times the engine's time it takes at least, where that was foretold.
    """

    title: str
    peer: str
    layouts: tuple[Layout, ...]
    epochs: int
    seeds: int = job.SEEDS
    expected: float | None = None


def contenders(*, quick: bool) -> tuple[Contender, ...]:
    """Returns every contender that is installed, the engine first."""
    found = (one for one in everyone() if not needs_torch(one) or has_torch())
    return tuple(shortened(one) if quick else one for one in found)


def everyone() -> Iterator[Contender]:
    """Yields the table. Who takes long does fewer epochs."""
    cores = len(machine.cores())
    apart = Layout(processes=cores, cores=1)
    together = Layout(processes=1, cores=cores)
    sharded = replace(together, devices=cores)
    many = {"seeds": 4096, "epochs": 8}
    ensemble = (together, apart)
    yield Contender(
        title="this engine, all bookkeeping",
        peer="engine",
        layouts=(sharded,),
        epochs=job.EPOCHS,
    )
    yield Contender(
        title="PyTorch tutorial loop (DataLoader, .item())",
        peer="torch_tutorial",
        layouts=(apart,),
        epochs=6,
        expected=30,
    )
    yield Contender(
        title="PyTorch loop, sliced tensors, fused Adam",
        peer="torch_loop",
        layouts=(apart,),
        epochs=10,
        expected=15,
    )
    yield Contender(
        title="scikit-learn MLPClassifier",
        peer="sklearn_mlp",
        layouts=(apart,),
        epochs=20,
    )
    yield Contender(
        title="jitted Flax/optax step in a Python loop",
        peer="jitted_loop",
        layouts=(apart,),
        epochs=30,
    )
    yield Contender(
        title="torch.func ensemble by vmap",
        peer="torch_vmap",
        layouts=ensemble,
        epochs=30,
    )
    yield Contender(
        title="torch baddbmm ensemble, fused Adam",
        peer="torch_baddbmm",
        layouts=ensemble,
        epochs=50,
        expected=1.8,
    )
    yield Contender(
        title="plain vmapped scan, one device",
        peer="plain_scan",
        layouts=(Layout(processes=1, cores=1), together),
        epochs=50,
    )
    yield Contender(
        title="plain vmapped scan, every core a device",
        peer="plain_scan",
        layouts=(sharded,),
        epochs=job.EPOCHS,
    )
    yield Contender(title="this engine", peer="engine", layouts=(sharded,), **many)
    yield Contender(
        title="plain vmapped scan, one device",
        peer="plain_scan",
        layouts=(together,),
        seeds=4096,
        epochs=2,
    )
    yield Contender(
        title="plain vmapped scan, every core a device",
        peer="plain_scan",
        layouts=(sharded,),
        expected=2,
        **many,
    )


def needs_torch(contender: Contender) -> bool:
    """Tells whether a contender is PyTorch's."""
    return contender.peer.startswith("torch_")


def has_torch() -> bool:
    """Tells whether PyTorch is installed."""
    return find_spec("torch") is not None


def shortened(contender: Contender) -> Contender:
    """Returns a tenth of a contender's epochs, fewer seeds, and one layout."""
    first = contender.layouts[:1]
    if contender.seeds > job.SEEDS:
        return replace(contender, layouts=first, seeds=512, epochs=2)
    return replace(contender, layouts=first, epochs=max(contender.epochs // 10, 2))
