"""GPT-2: A. Radford et al. 2019. Causal, with the norms before the blocks."""

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
from research.surgery.heads import CausalLM
from research.surgery.naming import Names

FIELDS = {
    "width": "n_embd",
    "heads": "n_head",
    "depth": "n_layer",
    "ffn": "n_inner",
    "epsilon": "layer_norm_epsilon",
}
LAYER = {
    "norm1": "ln_1",
    "attention.query": "attn.c_attn",
    "attention.key": "attn.c_attn",
    "attention.value": "attn.c_attn",
    "attention.output": "attn.c_proj",
    "norm2": "ln_2",
    "ffn.up": "mlp.c_fc",
    "ffn.down": "mlp.c_proj",
}
OUTSIDE = {
    "embedding.words": "wte",
    "transformer.positions": "wpe.weight",
    "transformer.norm": "ln_f",
}


def config(checkpoint: Checkpoint) -> TransformerConfig:
    """Returns the layers that config.json describes; null is four times the width."""
    told = checkpoint.config.get("n_inner") is not None
    ffn = None if told else 4 * checkpoint.whole("n_embd")
    return transformer(checkpoint, FIELDS, norm="pre", ffn=ffn)


def inputs(checkpoint: Checkpoint) -> Inputs:
    """Returns what the checkpoint reads."""
    return Inputs(
        length=checkpoint.whole("n_positions"),
        vocabulary=checkpoint.whole("vocab_size"),
    )


def build(checkpoint: Checkpoint, plan: Plan) -> Encoder:
    """Returns the model with its head."""
    read = inputs(checkpoint)
    return Encoder(
        TextEmbedding(read.vocabulary, plan.config.width),
        layers_of(plan, rows=read.length),
        {"causal_lm": CausalLM()} if "causal_lm" in plan.heads else {},
        causal=True,
    )


GPT2 = Family(
    kind="GPT-2",
    prefix="transformer.",
    names=Names(
        layer="h.{n}.",
        inside=LAYER,
        outside=OUTSIDE,
        # Its Conv1D has inputs × outputs.
        transposed=False,
    ),
    config=config,
    inputs=inputs,
    build=build,
    # The head is the embedding, so that it has no tensor that would tell of it.
    heads={"causal_lm": ("",)},
    # Masks that the first checkpoints stored, and heads for other ends.
    skipped=(
        "h.*.attn.bias",
        "h.*.attn.masked_bias",
        "score.*",
        "multiple_choice_head.*",
    ),
    dropout="resid_pdrop",
    tied={"lm_head.weight": "wte.weight"},
    settings={
        "scale_attn_weights": True,
        "scale_attn_by_inverse_layer_idx": False,
        "add_cross_attention": False,
    },
)
