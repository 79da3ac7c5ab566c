"""Writes the fixtures of test_published.py: tiny published Transformers, drawn at random.

Run once by `python tests/models/make_fixtures.py` where torch 2.14.1 and transformers
5.24.0 are installed. Neither is needed by the suite.
"""

from pathlib import Path

import numpy as np
import torch
import transformers

HERE = Path(__file__).parent
SIZES = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2}
LENGTH = 6


def drawn(model: torch.nn.Module) -> torch.nn.Module:
    """Gives every parameter random numbers, so that none is 0 or 1 by convention."""
    for name, parameter in model.named_parameters():
        one = 1.0 if "norm" in name.lower() or "ln_" in name else 0.0
        centre = one if name.endswith("weight") else 0.0
        torch.nn.init.normal_(parameter, mean=centre, std=0.3)
    return model.eval()


def write(name: str, model: torch.nn.Module, **arrays: torch.Tensor) -> None:
    """Writes a model's parameters, by their published names, with these arrays."""
    parameters = {f"model.{path}": value for path, value in model.named_parameters()}
    numbers = {k: v.detach().numpy() for k, v in (parameters | arrays).items()}
    np.savez_compressed(HERE / f"{name}.npz", allow_pickle=False, **numbers)


def make_bert() -> None:
    """BERT from embedded tokens on; the second sequence ends in two padded positions."""
    config = transformers.BertConfig(
        **SIZES,
        intermediate_size=32,
        vocab_size=3,
        max_position_embeddings=LENGTH,
        hidden_act="gelu",
        attn_implementation="eager",
    )
    model = drawn(transformers.BertModel(config, add_pooling_layer=False))
    inputs = torch.randn(2, LENGTH, 16)
    mask = torch.tensor([[1] * LENGTH, [1] * (LENGTH - 2) + [0] * 2])
    outputs = model(inputs_embeds=inputs, attention_mask=mask)
    write("bert", model, inputs=inputs, mask=mask, outputs=outputs.last_hidden_state)


def make_gpt2() -> None:
    """GPT-2 from embedded tokens on."""
    config = transformers.GPT2Config(
        n_embd=16,
        n_layer=2,
        n_head=2,
        n_inner=32,
        vocab_size=3,
        n_positions=LENGTH,
        activation_function="gelu_new",
        attn_implementation="eager",
    )
    model = drawn(transformers.GPT2Model(config))
    inputs = torch.randn(2, LENGTH, 16)
    outputs = model(inputs_embeds=inputs)
    write("gpt2", model, inputs=inputs, outputs=outputs.last_hidden_state)


def make_vit() -> None:
    """ViT from images to classes, read off the class token."""
    config = transformers.ViTConfig(
        **SIZES,
        intermediate_size=32,
        image_size=6,
        patch_size=2,
        num_channels=3,
        num_labels=5,
        hidden_act="gelu",
        attn_implementation="eager",
    )
    model = drawn(transformers.ViTForImageClassification(config))
    inputs = torch.randn(2, 3, 6, 6)
    outputs = model(pixel_values=inputs)
    write("vit", model, inputs=inputs, outputs=outputs.logits)


if __name__ == "__main__":
    torch.manual_seed(0)
    with torch.no_grad():
        make_bert()
        make_gpt2()
        make_vit()
