"""BERT: J. Devlin et al., NAACL 2019; arXiv:1810.04805."""

from flax import nnx

from research.model_configs import TransformerConfig
from research.surgery.checkpoint import Checkpoint
from research.surgery.encoder import Encoder, TextEmbedding
from research.surgery.families.family import (
    Family,
    Inputs,
    Plan,
    layers_of,
    transformer,
)
from research.surgery.heads import Classifier, MaskedLM, Pooler
from research.surgery.naming import Names

FIELDS = {
    "width": "hidden_size",
    "heads": "num_attention_heads",
    "depth": "num_hidden_layers",
    "ffn": "intermediate_size",
    "epsilon": "layer_norm_eps",
}
LAYER = {
    "attention.query": "attention.self.query",
    "attention.key": "attention.self.key",
    "attention.value": "attention.self.value",
    "attention.output": "attention.output.dense",
    "norm1": "attention.output.LayerNorm",
    "ffn.up": "intermediate.dense",
    "ffn.down": "output.dense",
    "norm2": "output.LayerNorm",
}
EMBEDDING = {
    "embedding.words": "embeddings.word_embeddings",
    "embedding.segments": "embeddings.token_type_embeddings",
    "transformer.positions": "embeddings.position_embeddings.weight",
    "transformer.norm": "embeddings.LayerNorm",
}
HEADS = {
    "heads.pooler.dense": "pooler.dense",
    "heads.masked_lm.dense": "cls.predictions.transform.dense",
    "heads.masked_lm.norm": "cls.predictions.transform.LayerNorm",
    "heads.masked_lm.bias": "cls.predictions.bias",
    "heads.classifier.output": "classifier",
}
# The first checkpoints have TensorFlow's names of a norm's parameters.
RENAMED = {"LayerNorm.gamma": "LayerNorm.weight", "LayerNorm.beta": "LayerNorm.bias"}
SETTINGS = {
    "position_embedding_type": "absolute",
    "is_decoder": False,
    "add_cross_attention": False,
}


def config(checkpoint: Checkpoint) -> TransformerConfig:
    """Returns the layers that config.json describes."""
    return transformer(checkpoint, FIELDS, norm="post")


def inputs(checkpoint: Checkpoint) -> Inputs:
    """Returns what the checkpoint reads."""
    return Inputs(
        length=checkpoint.whole("max_position_embeddings"),
        vocabulary=checkpoint.whole("vocab_size"),
    )


def build(checkpoint: Checkpoint, plan: Plan) -> Encoder:
    """Returns the encoder with its heads."""
    width, rngs = plan.config.width, nnx.Rngs(0)
    read = inputs(checkpoint)
    embedding = TextEmbedding(
        read.vocabulary, width, segments=checkpoint.whole("type_vocab_size")
    )
    heads = {}
    if "pooler" in plan.heads:
        heads["pooler"] = Pooler(width, rngs=rngs)
    if "masked_lm" in plan.heads:
        heads["masked_lm"] = MaskedLM(
            (read.vocabulary, width),
            plan.activation,
            follows=True,
            epsilon=plan.config.epsilon,
            rngs=rngs,
        )
    if "classifier" in plan.heads:
        count = len(plan.classes)
        heads["classifier"] = Classifier(width, count, pooled=True, rngs=rngs)
    return Encoder(embedding, layers_of(plan, rows=read.length), heads)


# Nothing is claimed of how the activation as trained differs from config.json's "gelu":
# google-research/bert's modeling.py is said to have computed the exact form at first and
# the tanh form from commit bee6030 on (CyberZHG/keras-bert, issue 129), and which form a
# checkpoint was trained with is not recorded.
BERT = Family(
    kind="BERT",
    prefix="bert.",
    names=Names(layer="encoder.layer.{n}.", inside=LAYER, outside=EMBEDDING | HEADS),
    config=config,
    inputs=inputs,
    build=build,
    heads={
        "pooler": ("pooler.",),
        "masked_lm": ("cls.predictions.",),
        "classifier": ("classifier.",),
    },
    needs={"classifier": "pooler"},
    # Whether one sentence follows another, where an answer stands, and a buffer that
    # counts the positions.
    skipped=("cls.seq_relationship.*", "qa_outputs.*", "embeddings.position_ids"),
    dropout="hidden_dropout_prob",
    tied={
        "cls.predictions.decoder.weight": "embeddings.word_embeddings.weight",
        "cls.predictions.decoder.bias": "cls.predictions.bias",
    },
    renamed=RENAMED,
    settings=SETTINGS,
)
