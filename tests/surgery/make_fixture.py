"""Writes tiny_bert/: a BERT drawn at random, and what the published code makes of it.

Run once by `python tests/surgery/make_fixture.py` where torch 2.14.1, transformers
5.24.0 and safetensors 0.8.0 are installed. The suite needs neither torch nor
transformers.
"""

import string
from pathlib import Path

import numpy as np
import torch
import transformers

FOLDER = Path(__file__).parent / "tiny_bert"
SENTENCES = (
    "The cat sat on a mat.",
    "It returns the value of this object, and 3 others!",
    "Is naïve text UNREAD?",
)
PAIR = ("The value is 3.", "It is an object of this class.")
WORDS = (
    "the a an of to in is it are be and or if for with as by on not that this from which "
    "value object name class function method type string number list argument returns "
    "returned used called defined with when then any all other same than more python "
    "cat sat mat one two first last new can must may module attribute statement"
)
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def vocabulary() -> list[str]:
    """Returns special tokens, letters at a word's start and within, signs and words."""
    letters = [*string.ascii_lowercase, *string.digits]
    inside = [f"##{letter}" for letter in letters]
    words = dict.fromkeys(WORDS.split())
    return list(
        dict.fromkeys([*SPECIAL, *letters, *inside, *string.punctuation, *words])
    )


def drawn(words: int) -> transformers.BertForPreTraining:
    """Returns the model; every parameter has random numbers, none 0 or 1 by convention."""
    config = transformers.BertConfig(
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        vocab_size=words,
        max_position_embeddings=48,
        hidden_act="gelu",
        attn_implementation="eager",
    )
    model = transformers.BertForPreTraining(config)
    for name, parameter in model.named_parameters():
        one = 1.0 if "LayerNorm" in name and name.endswith("weight") else 0.0
        torch.nn.init.normal_(parameter, mean=one, std=0.3)
    return model.eval()


def outputs(model: transformers.BertModel, encoded: dict) -> np.ndarray:
    """Returns the hidden states, the embedding's first: states × batch × length × width."""
    states = model(**encoded, output_hidden_states=True).hidden_states
    return torch.stack(states).numpy()


def main() -> None:
    """Writes the folder."""
    words = vocabulary()
    model = drawn(len(words))
    model.save_pretrained(FOLDER)
    (FOLDER / "vocab.txt").write_text("\n".join(words) + "\n")
    tokenizer = transformers.BertTokenizer(str(FOLDER / "vocab.txt"))
    sentences = tokenizer(list(SENTENCES), padding=True, return_tensors="pt")
    pair = tokenizer(*PAIR, return_tensors="pt")
    told = {"hidden": outputs(model.bert, sentences), "pair": outputs(model.bert, pair)}
    for layer in model.bert.encoder.layer[1:]:
        layer.intermediate.intermediate_act_fn = torch.nn.ReLU()
    told["last_is_relu"] = outputs(model.bert, sentences)
    ids = {f"sentences_{name}": each.numpy() for name, each in sentences.items()}
    ids |= {f"pair_{name}": each.numpy() for name, each in pair.items()}
    np.savez_compressed(FOLDER / "expected.npz", allow_pickle=False, **ids, **told)
    for extra in FOLDER.glob("generation_config.json"):
        extra.unlink()


if __name__ == "__main__":
    torch.manual_seed(0)
    with torch.no_grad():
        main()
