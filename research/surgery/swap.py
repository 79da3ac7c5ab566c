"""What a surgery needs, read and checked: a checkpoint, what is put into it, and rows."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from research.activations.catalog import lookup
from research.activations.names import canonical
from research.config import ExperimentConfig
from research.errors import ConfigError, DataError
from research.model_configs import CheckpointConfig
from research.surgery.arms import Arm, Layers, planned, swapped_in
from research.surgery.checkpoint import Checkpoint, read_checkpoint
from research.surgery.encoder import Pretrained
from research.surgery.material import (
    Material,
    read_image_material,
    read_text_material,
)
from research.surgery.reading import read_pretrained
from research.surgery.trainable import language_head
from research.task_configs import RecoveryConfig


@dataclass(frozen=True, kw_only=True)
class Swap:
    """A surgery that is ready to be measured.

    loss: what the tuned arms learn by, or `none`. new_head: whether labels are learned
    by a classifier of their own. sources: the files that it was read from.
    """

    config: ExperimentConfig
    checkpoint: Checkpoint
    pretrained: Pretrained
    arms: tuple[Arm, ...]
    layers: Layers
    loss: str
    material: Material
    new_head: bool
    sources: tuple[Path, ...]

    @property
    def model(self) -> CheckpointConfig:
        """The config's section of the model."""
        assert isinstance(self.config.model, CheckpointConfig)
        return self.config.model

    @property
    def swapped(self) -> tuple[int, ...]:
        """The layers that every swap swaps, where each is not swapped alone."""
        return self.arms[1].layers


def prepare_swap(config: ExperimentConfig) -> Swap:
    """Reads a checkpoint and rows, and settles what is swapped where and learned how.

    Args:
      config: its task is `recovery` and its model `checkpoint`; its activations are
        swapped in, and the one as trained is the reference.

    Raises:
      ConfigError: nothing to swap in, a layer that is not there, or a loss that cannot
        be used.
      DataError: a file that cannot be used, or an activation that it has no place for.
    """
    model, task = config.model, config.task
    assert isinstance(model, CheckpointConfig)
    assert isinstance(task, RecoveryConfig)
    assert model.path is not None
    folder = Path(model.path).expanduser()
    checkpoint = read_checkpoint(folder, trained=model.trained)
    _check_fields(config, model, task, checkpoint.activation)
    others = swapped_in(config.activations, checkpoint.activation)
    pretrained = read_pretrained(checkpoint)
    layers = _layers(model.layers)
    arms = planned(
        pretrained.activation, others, layers=layers, depth=pretrained.config.depth
    )
    loss = _loss(task, pretrained, layers)
    read = read_text_material if pretrained.image is None else read_image_material
    material = read(pretrained, folder, task, trains=loss != "none")
    material, new_head = _fitted_to_classifier(pretrained, material)
    swap = Swap(
        config=config,
        checkpoint=checkpoint,
        pretrained=pretrained,
        arms=arms,
        layers=layers,
        loss=loss,
        material=material,
        new_head=new_head,
        sources=(checkpoint.config_path, *checkpoint.files, *material.sources),
    )
    if loss != "none":
        _check_tuning(swap)
    return swap


def _check_tuning(swap: Swap) -> None:
    """Refuses what cannot be tuned, before anything is measured."""
    config, material = swap.config, swap.material
    if not swap.new_head and "init" in config.vary:
        raise ConfigError(
            "vary=init: every lane starts from the checkpoint, so that nothing would "
            "change; use vary=order"
        )
    alone = swap.loss == "distillation" and len(names_of(swap.arms)) == 2
    if alone and config.seeds_plan != "fixed":
        raise ConfigError(
            f"seeds_plan={config.seeds_plan}: must be fixed where one swap is distilled, "
            "for it is compared with nothing"
        )
    if material.rows.train < config.batch_size:
        raise ConfigError(
            f"batch_size={config.batch_size}: must be at most {material.rows.train}, the "
            f"{material.unit}s to train on"
        )
    masked = swap.loss == "language" and "masked_lm" in swap.pretrained.heads
    if masked and material.mask is None:
        raise DataError(
            f"{swap.checkpoint.folder}: its tokenizer has no token for a mask, so that "
            "its language head cannot be trained; use --config.task.loss=distillation"
        )


def _check_fields(
    config: ExperimentConfig,
    model: CheckpointConfig,
    task: RecoveryConfig,
    trained: str,
) -> None:
    """Refuses what would be passed over, or mean something else than it says."""
    if model.trained is not None and lookup(trained).kind != "elementwise":
        raise ConfigError(
            f"model.trained={model.trained}: must be an activation without parameters"
        )
    if config.reference is not None and canonical(config.reference) != trained:
        raise ConfigError(
            f"reference={config.reference}: must be {trained}, the activation as trained"
        )
    if task.path is not None and task.labels is not None:
        raise ConfigError(
            "task.path and task.labels (--text and --labels): the rows are read from one "
            "of them; give one"
        )


def _layers(text: str) -> Layers:
    if text == "all" or text == "each":
        return text
    return tuple(sorted(map(int, text.split(","))))


def _loss(task: RecoveryConfig, pretrained: Pretrained, layers: Layers) -> str:
    head = language_head(pretrained)
    if task.loss == "auto":
        if layers == "each":
            return "none"
        if task.labels is not None:
            return "labels"
        return "distillation" if head is None else "language"
    if task.loss != "none" and layers == "each":
        raise ConfigError(
            f"task.loss={task.loss}: one layer at a time is measured without training; "
            "name the layers that are swapped and tuned together (--layers=0,3)"
        )
    if task.loss == "labels" and task.labels is None:
        raise ConfigError("task.loss=labels: needs a file of labels (--labels=FILE)")
    if task.loss == "language" and head is None:
        raise ConfigError(
            "task.loss=language: the checkpoint has no language head; use distillation "
            "or labels"
        )
    return task.loss


def _fitted_to_classifier(
    pretrained: Pretrained, material: Material
) -> tuple[Material, bool]:
    """Numbers labels as the checkpoint's classifier does, where it has these.

    They are its classes' names, or whole numbers, which are then its classes' numbers.

    Returns:
      The rows, and whether their labels need a classifier of their own.
    """
    if material.targets is None:
        return material, False
    mine, theirs = material.classes, pretrained.classes
    known = set(mine) <= set(theirs) or all(
        name.isdecimal() and int(name) < len(theirs) for name in mine
    )
    if "classifier" not in pretrained.heads or not known:
        return material, True
    places = np.array(
        [theirs.index(name) if name in theirs else int(name) for name in mine], np.int32
    )
    targets = places[material.targets]
    return dataclasses.replace(material, targets=targets, classes=theirs), False


def names_of(arms: Sequence[Arm]) -> tuple[str, ...]:
    """Returns the arms' activations by name, the one as trained first."""
    return tuple(dict.fromkeys(arm.activation.name for arm in arms))
