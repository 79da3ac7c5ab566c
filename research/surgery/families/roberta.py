"""RoBERTa: Y. Liu et al. 2019; arXiv:1907.11692. BERT's encoder, with heads of its own."""

from flax import nnx

from research.activations.catalog import lookup
from research.surgery.checkpoint import Checkpoint
from research.surgery.encoder import Encoder, TextEmbedding
from research.surgery.families.bert import EMBEDDING, LAYER, SETTINGS, config
from research.surgery.families.family import Family, Inputs, Plan, layers_of
from research.surgery.heads import DeepClassifier, MaskedLM, Pooler
from research.surgery.naming import Names

HEADS = {
    "heads.pooler.dense": "pooler.dense",
    "heads.masked_lm.dense": "lm_head.dense",
    "heads.masked_lm.norm": "lm_head.layer_norm",
    "heads.masked_lm.bias": "lm_head.bias",
    "heads.classifier.dense": "classifier.dense",
    "heads.classifier.output": "classifier.out_proj",
}


def _first(checkpoint: Checkpoint) -> int:
    # The table of positions begins with those of padding, which no token has.
    pad = checkpoint.config.get("pad_token_id", 1)
    rows = checkpoint.whole("max_position_embeddings")
    if not isinstance(pad, int) or isinstance(pad, bool) or not 0 <= pad < rows - 1:
        raise checkpoint.refused(
            "pad_token_id",
            f"a whole number below max_position_embeddings - 1 = {rows - 1}",
        )
    return pad + 1


def inputs(checkpoint: Checkpoint) -> Inputs:
    """Returns what the checkpoint reads."""
    rows = checkpoint.whole("max_position_embeddings")
    return Inputs(
        length=rows - _first(checkpoint), vocabulary=checkpoint.whole("vocab_size")
    )


def build(checkpoint: Checkpoint, plan: Plan) -> Encoder:
    """Returns the encoder with its heads."""
    width, rngs = plan.config.width, nnx.Rngs(0)
    vocabulary = checkpoint.whole("vocab_size")
    embedding = TextEmbedding(
        vocabulary, width, segments=checkpoint.whole("type_vocab_size")
    )
    heads = {}
    if "pooler" in plan.heads:
        heads["pooler"] = Pooler(width, rngs=rngs)
    if "masked_lm" in plan.heads:
        heads["masked_lm"] = MaskedLM(
            (vocabulary, width),
            lookup("gelu"),
            follows=False,
            epsilon=plan.config.epsilon,
            rngs=rngs,
        )
    if "classifier" in plan.heads:
        heads["classifier"] = DeepClassifier(
            width, len(plan.classes), between="tanh", rngs=rngs
        )
    rows = checkpoint.whole("max_position_embeddings")
    return Encoder(
        embedding, layers_of(plan, rows=rows), heads, first=_first(checkpoint)
    )


ROBERTA = Family(
    kind="RoBERTa",
    prefix="roberta.",
    names=Names(layer="encoder.layer.{n}.", inside=LAYER, outside=EMBEDDING | HEADS),
    config=config,
    inputs=inputs,
    build=build,
    heads={
        "pooler": ("pooler.",),
        "masked_lm": ("lm_head.",),
        "classifier": ("classifier.",),
    },
    skipped=("qa_outputs.*", "embeddings.position_ids"),
    dropout="hidden_dropout_prob",
    tied={
        "lm_head.decoder.weight": "embeddings.word_embeddings.weight",
        "lm_head.decoder.bias": "lm_head.bias",
    },
    settings=SETTINGS,
)
