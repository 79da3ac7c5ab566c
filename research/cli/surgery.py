"""The command that swaps a trained encoder's activation. The heavy imports stand inside."""

import shlex
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from research.cli.analysis import read_file, read_path
from research.cli.profile import read_activations
from research.cli.workdir import prepare_analysis, remove_if_empty
from research.errors import ConfigError, Refusal
from research.settings import shown

DEFAULT = "gelu,relu,silu"
PACKAGES = ("numpy", "jax", "flax", "safetensors", "tokenizers")


@dataclass(frozen=True, kw_only=True)
class Surgery:
    """What surgery is asked for.

    activations: canonical names. layers: which ones are swapped, counted from 0: all
    together, each alone, or these. text: None means Python's own reference.
    """

    checkpoint: Path
    activations: tuple[str, ...]
    layers: Literal["all", "each"] | tuple[int, ...]
    text: Path | None


def read_surgery(given: Mapping[str, str]) -> Surgery:
    """Reads the flags of surgery.

    Raises:
      ConfigError: a value that cannot be used, or a folder or file that is not there.
    """
    if "checkpoint" not in given:
        raise ConfigError(
            "surgery: needs --checkpoint=DIR, the local folder of a published checkpoint"
        )
    folder = read_path("checkpoint", given["checkpoint"])
    if not folder.is_dir():
        raise ConfigError(f"--checkpoint={folder}: no such folder")
    return Surgery(
        checkpoint=folder,
        activations=read_activations(given.get("activations", DEFAULT)),
        layers=_layers(given.get("layers", "all")),
        text=read_file("text", given["text"]) if "text" in given else None,
    )


def _layers(text: str) -> Literal["all", "each"] | tuple[int, ...]:
    word = text.strip()
    if word == "all" or word == "each":
        return word
    words = [each.strip() for each in word.split(",")]
    if not all(each.isascii() and each.isdigit() and len(each) < 6 for each in words):
        raise ConfigError(
            f"--layers={shown(text)}: must be all, each, or whole numbers from 0 with "
            "commas between them"
        )
    layers = tuple(map(int, words))
    if len(set(layers)) < len(layers):
        raise ConfigError(f"--layers={shown(text)}: a layer is named twice")
    return tuple(sorted(layers))


def surgery(asked: Surgery, workdir: Path | None, command: str) -> None:
    """Measures what swapped activations leave of an encoder; writes and shows it.

    Raises:
      ConfigError: an activation, a layer or a folder that cannot be used.
      DataError: a checkpoint or a text that cannot be read.
    """
    began = time.perf_counter()
    from research.surgery.swap import prepare_swap

    # The checkpoint is read first, so that a refusal leaves no folder.
    swap = prepare_swap(
        asked.checkpoint, asked.activations, layers=asked.layers, text=asked.text
    )
    from research.cli.terminal import Terminal
    from research.records.analysis_manifest import analysis_manifest
    from research.records.folder import RunFolder, write_json
    from research.reporting.console import print_verdict
    from research.reporting.profile_progress import step_progress
    from research.reporting.report import write_report
    from research.surgery.measure import measure, steps
    from research.surgery.summary import summarise

    folder = RunFolder(prepare_analysis(workdir, "surgery", "surgery"))
    console = Terminal()
    try:
        with step_progress(console, steps(swap.tokens)) as tell:
            measured = measure(swap.pretrained, swap.arms, swap.tokens, tell=tell)
    except (Refusal, KeyboardInterrupt):
        remove_if_empty(folder.root)
        raise
    line = f"{command} {shlex.quote(f'--workdir={folder.root}')}"
    manifest = analysis_manifest(command=line, sources=swap.sources, packages=PACKAGES)
    write_json(folder.manifest, manifest)
    summary = summarise(swap, measured)
    summary["total_seconds"] = time.perf_counter() - began
    write_json(folder.summary, summary)
    write_report(folder.root)
    print_verdict(summary, console, workdir=folder.root)
