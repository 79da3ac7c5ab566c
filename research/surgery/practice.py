"""A checkpoint to practise on, made here: `python -m research.surgery.practice DIR`.

A small BERT with its masked-language head, trained for a minute on the sentences of
Python's own reference, and written as a Hugging Face directory. Nothing is downloaded.
"""

import json
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import PyTree
from safetensors.numpy import save_file
from tokenizers import BertWordPieceTokenizer

from research import prng
from research.activations.catalog import lookup
from research.config import ExperimentConfig
from research.config_values import from_mapping
from research.errors import Refusal, Stopped
from research.experiment.lanes import Run, train
from research.experiment.prepare import assemble, ready
from research.experiment.scores import score_columns
from research.model_configs import TransformerConfig
from research.models.contract import from_nnx
from research.models.transformer import leaves_of
from research.records.folder import RunFolder
from research.surgery import recovery
from research.surgery.checkpoint import Checkpoint
from research.surgery.encoder import Pretrained
from research.surgery.families import FAMILIES
from research.surgery.families.family import Plan
from research.surgery.material import read_text_material
from research.surgery.saving import READABLE, check_new, published_tensors
from research.surgery.tensors import WHOLE
from research.surgery.text import read_sentences
from research.surgery.trainable import language_kind
from research.task_configs import RecoveryConfig

ACTIVATION = "gelu"
# As config.json has it.
PUBLISHED: dict[str, Any] = {
    "model_type": "bert",
    "architectures": ["BertForMaskedLM"],
    "hidden_act": ACTIVATION,
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 256,
    "max_position_embeddings": 64,
    "type_vocab_size": 2,
    "layer_norm_eps": 1e-12,
    "hidden_dropout_prob": 0.1,
    "attention_probs_dropout_prob": 0.1,
    "pad_token_id": 0,
}
VOCABULARY = 400
RECOVERY = {"name": "recovery", "loss": "language", "length": 32}
TRAINING: dict[str, Any] = {
    "task": {**RECOVERY, "train_samples": 800, "test_samples": 200},
    "model": {"name": "checkpoint"},
    "activations": (ACTIVATION, "relu"),
    "vary": ("order",),
    "seeds": 1,
    "epochs": 40,
    "batch_size": 16,
    "optimizer": {"learning_rate": (2e-3,)},
}


def main(words: Sequence[str]) -> int:
    """Makes the checkpoint in a new folder; returns the exit code."""
    if len(words) != 1 or words[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    print("training a small BERT on sentences of Python's reference, about a minute …")
    try:
        loss = make(Path(words[0]), from_mapping(TRAINING))
    except KeyboardInterrupt:
        print("practice: stopped; nothing was written", file=sys.stderr)
        return Stopped.exit_code
    except Refusal as refusal:
        print(f"practice: {refusal}", file=sys.stderr)
        return refusal.exit_code
    print(f"{words[0]}: a BERT of a test loss of {loss:.2f} nats a masked token")
    return 0


def make(folder: Path, config: ExperimentConfig) -> float:
    """Trains and writes the checkpoint; returns its loss on the test sentences.

    Raises:
      ConfigError: the folder is there and holds something.
    """
    ready(config)
    check_new(folder)
    with tempfile.TemporaryDirectory(prefix="practice-") as place:
        made = Path(place) / folder.name
        made.mkdir()
        _write_vocabulary(made)
        untrained = _untrained(made)
        trained, loss = _trained(untrained, made, config)
        tensors = published_tensors(untrained, trained)
        save_file(
            {_with_prefix(name): array for name, array in tensors.items()},
            made / WHOLE,
            metadata={"format": "pt"},
        )
        (made / WHOLE).chmod(READABLE)
        shutil.copytree(made, folder, dirs_exist_ok=True)
    return loss


def _with_prefix(name: str) -> str:
    family = FAMILIES["bert"]
    heads = tuple(begin for begins in family.heads.values() for begin in begins)
    return name if name.startswith(heads) else family.prefix + name


def _write_vocabulary(folder: Path) -> None:
    """Writes the words of the sentences, and a config that knows how many they are."""
    tokenizer = BertWordPieceTokenizer()
    texts = read_sentences(None, most=sys.maxsize).texts
    tokenizer.train_from_iterator(texts, VOCABULARY, show_progress=False)
    tokenizer.save_model(str(folder))
    told = {**PUBLISHED, "vocab_size": tokenizer.get_vocab_size()}
    (folder / "config.json").write_text(json.dumps(told))


def _untrained(folder: Path) -> Pretrained:
    """Returns the model with the parameters that training starts from."""
    family, activation = FAMILIES["bert"], lookup(ACTIVATION)
    told = json.loads((folder / "config.json").read_text())
    layers = TransformerConfig(
        width=told["hidden_size"],
        heads=told["num_attention_heads"],
        depth=told["num_hidden_layers"],
        ffn=told["intermediate_size"],
        norm="post",
        epsilon=told["layer_norm_eps"],
    )
    plan = Plan(config=layers, activation=activation, classes=(), heads=("masked_lm",))
    described = Checkpoint(
        folder=folder,
        config=told,
        family="bert",
        hidden_act=ACTIVATION,
        activation=ACTIVATION,
        tensors={},
    )

    def build(rngs: nnx.Rngs) -> nnx.Module:
        del rngs
        return family.build(described, plan)

    model = from_nnx(build, leaves_of(layers, activation))
    params, _ = model.init(prng.stream_key("init", 0))
    graph, _, _ = nnx.split(nnx.eval_shape(lambda: build(nnx.Rngs(0))), nnx.Param, ...)
    return Pretrained(
        config=layers,
        activation=activation,
        vocabulary=told["vocab_size"],
        length=told["max_position_embeddings"],
        graph=graph,
        params=params,
        skipped=(),
        family="bert",
        kind=family.kind,
        heads=plan.heads,
        dropout=told["hidden_dropout_prob"],
    )


def _trained(
    untrained: Pretrained, folder: Path, config: ExperimentConfig
) -> tuple[PyTree, float]:
    """Returns the parameters after training, and the loss on the test sentences."""
    assert isinstance(config.task, RecoveryConfig)
    material = read_text_material(untrained, folder, config.task, trains=True)
    task = recovery.masked_tokens(material, vocabulary=untrained.vocabulary)
    layers = tuple(range(untrained.config.depth))
    kind = language_kind(untrained, layers, dropout=0.0)
    experiment = assemble(config, task, kind, names=(ACTIVATION,), reference=ACTIVATION)
    run = Run(
        experiment=experiment,
        folder=RunFolder(folder.with_name(f"{folder.name}-training")),
        observe=lambda event: None,
    )
    arm = train(run, experiment.reference, experiment.seeds_of(experiment.reference))
    params = jax.tree.map(jnp.asarray, arm.params[0]["checkpoint"])
    return params, float(score_columns(task, arm)["test_loss"][0])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
