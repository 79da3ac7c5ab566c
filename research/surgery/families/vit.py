"""ViT: A. Dosovitskiy et al., ICLR 2021; arXiv:2010.11929."""

from flax import nnx

from research.model_configs import TransformerConfig
from research.surgery.checkpoint import Checkpoint
from research.surgery.encoder import Encoder, PatchEmbedding
from research.surgery.families.bert import FIELDS
from research.surgery.families.family import (
    Family,
    Inputs,
    Plan,
    layers_of,
    transformer,
)
from research.surgery.heads import Classifier, Pooler
from research.surgery.naming import Names

LAYER = {
    "norm1": "layernorm_before",
    "attention.query": "attention.attention.query",
    "attention.key": "attention.attention.key",
    "attention.value": "attention.attention.value",
    "attention.output": "attention.output.dense",
    "norm2": "layernorm_after",
    "ffn.up": "intermediate.dense",
    "ffn.down": "output.dense",
}
OUTSIDE = {
    "embedding": "embeddings.patch_embeddings.projection",
    "embedding.class_token": "embeddings.cls_token",
    "transformer.positions": "embeddings.position_embeddings",
    "transformer.norm": "layernorm",
    "heads.pooler.dense": "pooler.dense",
    "heads.classifier.output": "classifier",
}


def config(checkpoint: Checkpoint) -> TransformerConfig:
    """Returns the layers that config.json describes."""
    return transformer(checkpoint, FIELDS, norm="pre")


def inputs(checkpoint: Checkpoint) -> Inputs:
    """Returns what the checkpoint reads: a class token and the patches of an image."""
    side, patch = (checkpoint.whole(name) for name in ("image_size", "patch_size"))
    if side % patch:
        raise checkpoint.refused("patch_size", f"a divisor of image_size={side}")
    return Inputs(
        length=1 + (side // patch) ** 2,
        image=(side, side, checkpoint.whole("num_channels")),
    )


def build(checkpoint: Checkpoint, plan: Plan) -> Encoder:
    """Returns the encoder with its heads."""
    width, rngs, read = plan.config.width, nnx.Rngs(0), inputs(checkpoint)
    assert read.image is not None
    heads = {}
    if "pooler" in plan.heads:
        heads["pooler"] = Pooler(width, rngs=rngs)
    if "classifier" in plan.heads:
        count = len(plan.classes)
        heads["classifier"] = Classifier(width, count, pooled=False, rngs=rngs)
    patch = checkpoint.whole("patch_size")
    embedding = PatchEmbedding(patch, read.image[-1], width)
    return Encoder(embedding, layers_of(plan, rows=read.length), heads)


# Google's own code calls flax's nn.gelu (google-research/vision_transformer,
# vit_jax/models_vit.py, MlpBlock), which is the tanh form unless it is asked for the
# other (flax.linen.activation.gelu: approximate=True).
TANH = (
    "gelu_tanh",
    "Google's ViT checkpoints were trained with the tanh form, flax's nn.gelu, while "
    "their config.json says gelu; if this is one of them, or was tuned from one, "
    "gelu_tanh is the activation as trained",
)

VIT = Family(
    kind="ViT",
    prefix="vit.",
    names=Names(
        layer="encoder.layer.{n}.",
        inside=LAYER,
        outside=OUTSIDE,
        leading=frozenset({"embedding.class_token", "transformer.positions"}),
    ),
    config=config,
    inputs=inputs,
    build=build,
    heads={"pooler": ("pooler.",), "classifier": ("classifier.",)},
    # What stands for a hidden patch, and the decoder that draws it.
    skipped=("embeddings.mask_token", "decoder.*"),
    dropout="hidden_dropout_prob",
    settings={"qkv_bias": True, "pooler_act": "tanh"},
    trained_as={"gelu": TANH},
)
