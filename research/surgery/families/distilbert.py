"""DistilBERT: V. Sanh et al. 2019; arXiv:1910.01108. No segments and no pooler."""

from flax import nnx

from research.model_configs import TransformerConfig
from research.surgery.checkpoint import Checkpoint
from research.surgery.encoder import Encoder, TextEmbedding
from research.surgery.families.bert import inputs
from research.surgery.families.family import Family, Plan, layers_of, transformer
from research.surgery.heads import DeepClassifier, MaskedLM
from research.surgery.naming import Names

FIELDS = {"width": "dim", "heads": "n_heads", "depth": "n_layers", "ffn": "hidden_dim"}
# The published code has it as a number, not as a field.
EPSILON = 1e-12
LAYER = {
    "attention.query": "attention.q_lin",
    "attention.key": "attention.k_lin",
    "attention.value": "attention.v_lin",
    "attention.output": "attention.out_lin",
    "norm1": "sa_layer_norm",
    "ffn.up": "ffn.lin1",
    "ffn.down": "ffn.lin2",
    "norm2": "output_layer_norm",
}
OUTSIDE = {
    "embedding.words": "embeddings.word_embeddings",
    "transformer.positions": "embeddings.position_embeddings.weight",
    "transformer.norm": "embeddings.LayerNorm",
    "heads.masked_lm.dense": "vocab_transform",
    "heads.masked_lm.norm": "vocab_layer_norm",
    "heads.masked_lm.bias": "vocab_projector.bias",
    "heads.classifier.dense": "pre_classifier",
    "heads.classifier.output": "classifier",
}


def config(checkpoint: Checkpoint) -> TransformerConfig:
    """Returns the layers that config.json describes."""
    return transformer(checkpoint, FIELDS, norm="post", epsilon=EPSILON)


def build(checkpoint: Checkpoint, plan: Plan) -> Encoder:
    """Returns the encoder with its heads."""
    width, rngs, read = plan.config.width, nnx.Rngs(0), inputs(checkpoint)
    heads = {}
    if "masked_lm" in plan.heads:
        heads["masked_lm"] = MaskedLM(
            (read.vocabulary, width),
            plan.activation,
            follows=True,
            epsilon=EPSILON,
            rngs=rngs,
        )
    if "classifier" in plan.heads:
        heads["classifier"] = DeepClassifier(
            width, len(plan.classes), between="relu", rngs=rngs
        )
    embedding = TextEmbedding(read.vocabulary, width)
    return Encoder(embedding, layers_of(plan, rows=read.length), heads)


DISTILBERT = Family(
    kind="DistilBERT",
    prefix="distilbert.",
    names=Names(layer="transformer.layer.{n}.", inside=LAYER, outside=OUTSIDE),
    config=config,
    inputs=inputs,
    build=build,
    heads={
        "masked_lm": ("vocab_transform.", "vocab_layer_norm.", "vocab_projector."),
        "classifier": ("pre_classifier.", "classifier."),
    },
    skipped=("qa_outputs.*", "embeddings.position_ids"),
    dropout="dropout",
    tied={"vocab_projector.weight": "embeddings.word_embeddings.weight"},
)
