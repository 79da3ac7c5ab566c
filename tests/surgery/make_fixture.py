"""Writes the tiny checkpoints, drawn at random, and what the published code makes of them.

Run once by `python tests/surgery/make_fixture.py` where torch 2.13.0, transformers
5.24.0, tokenizers 0.23.2 and safetensors 0.8.0 are installed. The suite needs neither
torch nor transformers.

Of each checkpoint expected.npz has the inputs, and `<variant>_<output>` of three variants:
as trained; with ReLU in the last layer; and with ReLU as config.json's activation.
"""

import json
import string
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import tokenizers
import torch
import transformers

HERE = Path(__file__).parent
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
ROBERTA = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
# Sizes by BERT's names; DistilBERT's and GPT-2's are other words for the same.
BERT: dict[str, Any] = {
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 32,
}
TEXT = BERT | {"max_position_embeddings": 48}
DISTILBERT = {"dim": 16, "n_layers": 2, "n_heads": 2, "hidden_dim": 32}
DISTILBERT |= {"max_position_embeddings": 48}
GPT2 = {"n_embd": 16, "n_layer": 2, "n_head": 2, "n_positions": 48}
GPT2 |= {"bos_token_id": 0, "eos_token_id": 0}
VIT = BERT | {"image_size": 8, "patch_size": 4}
LABELS = {"id2label": {0: "bad", 1: "good", 2: "neither"}}
LABELS |= {"label2id": {"bad": 0, "good": 1, "neither": 2}}


def vocabulary() -> list[str]:
    """Returns special tokens, letters at a word's start and within, signs and words."""
    letters = [*string.ascii_lowercase, *string.digits]
    inside = [f"##{letter}" for letter in letters]
    words = dict.fromkeys(WORDS.split())
    return list(
        dict.fromkeys([*SPECIAL, *letters, *inside, *string.punctuation, *words])
    )


def word_pieces(folder: Path) -> tokenizers.Tokenizer:
    """Writes vocab.txt and returns BERT's tokenizer of it."""
    words = vocabulary()
    (folder / "vocab.txt").write_text("\n".join(words) + "\n")
    known = {word: number for number, word in enumerate(words)}
    made = tokenizers.BertWordPieceTokenizer(known, lowercase=True)
    return tokenizers.Tokenizer.from_str(made.to_str())


def byte_pairs(folder: Path, special: tuple[str, ...]) -> tokenizers.Tokenizer:
    """Writes tokenizer.json, a byte-level BPE of the words above, and returns it."""
    made = tokenizers.ByteLevelBPETokenizer()
    text, first = [WORDS, *SENTENCES], list(special)
    made.train_from_iterator(text, 290, 2, show_progress=False, special_tokens=first)
    tokenizer = tokenizers.Tokenizer.from_str(made.to_str())
    if "<s>" in special:
        tokenizer.post_processor = tokenizers.processors.RobertaProcessing(
            ("</s>", 2), ("<s>", 0)
        )
    tokenizer.save(str(folder / "tokenizer.json"))
    return tokenizer


def encoded(
    tokenizer: tokenizers.Tokenizer, texts: tuple, *, pad: int, segments: bool
) -> dict[str, torch.Tensor]:
    """Returns texts, or pairs, as the published code takes them, padded behind."""
    tokenizer.enable_padding(pad_id=pad)
    rows = tokenizer.encode_batch(list(texts))
    found = {
        "input_ids": torch.tensor([row.ids for row in rows]),
        "attention_mask": torch.tensor([row.attention_mask for row in rows]),
    }
    if segments:
        found["token_type_ids"] = torch.tensor([row.type_ids for row in rows])
    return found


def drawn(kind: type, config: Any) -> Any:
    """Returns a model; every parameter has random numbers, none 0 or 1 by convention."""
    model = kind(config)
    for name, parameter in model.named_parameters():
        norm = "norm" in name.lower() or ".ln_" in name
        one = 1.0 if norm and name.endswith("weight") else 0.0
        torch.nn.init.normal_(parameter, mean=one, std=0.3)
    return model.eval()


def last_is_relu(model: Any) -> None:
    """Puts ReLU into the last layer."""
    base = model.base_model
    layers = next(
        each for each in base.modules() if isinstance(each, torch.nn.ModuleList)
    )
    for module in list(layers[-1].modules()):
        for name, child in list(module.named_children()):
            if "gelu" in type(child).__name__.lower():
                setattr(module, name, torch.nn.ReLU())


def outputs(model: Any, head: str, given: dict) -> dict[str, np.ndarray]:
    """Returns the hidden states, the last behind the final norm, and the heads' outputs."""
    base = model.base_model(**given, output_hidden_states=True)
    states = [*base.hidden_states[:-1], base.last_hidden_state]
    found = {"hidden": torch.stack(states)}
    if base.get("pooler_output") is not None:
        found["pooler"] = base.pooler_output
    if head:
        told = model(**given)
        logits = told.get("logits")
        found[head] = told.prediction_logits if logits is None else logits
    return {name: each.numpy() for name, each in found.items()}


def write(
    name: str, kind: type, config: Any, head: str, read: Callable[[Path], dict]
) -> None:
    """Writes one folder: what `read` gives is the inputs, by their names."""
    folder = HERE / name
    folder.mkdir(exist_ok=True)
    model = drawn(kind, config)
    model.save_pretrained(folder)
    relu = json.loads((folder / "config.json").read_text())
    field = next(each for each in relu if each.startswith(("hidden_act", "activation")))
    all_relu = kind(type(config)(**(relu | {field: "relu"}))).eval()
    all_relu.load_state_dict(model.state_dict())
    given = read(folder)
    arrays = {}
    for inputs, values in given.items():
        arrays |= {f"{inputs}_{key}": each.numpy() for key, each in values.items()}
    sentences = given.get("sentences") or given["images"]
    for variant in ("trained", "last", "all"):
        if variant == "last":
            last_is_relu(model)
        found = outputs(all_relu if variant == "all" else model, head, sentences)
        arrays |= {f"{variant}_{key}": each for key, each in found.items()}
        if variant == "trained" and "pair" in given:
            arrays["pair_hidden"] = outputs(model, "", given["pair"])["hidden"]
    np.savez_compressed(folder / "expected.npz", allow_pickle=False, **arrays)
    for extra in folder.glob("generation_config.json"):
        extra.unlink()


def read_bert(folder: Path) -> dict:
    """Writes the vocabulary and returns sentences and a pair."""
    made = word_pieces(folder)
    return {
        "sentences": encoded(made, SENTENCES, pad=0, segments=True),
        "pair": encoded(made, (PAIR,), pad=0, segments=True),
    }


def read_distilbert(folder: Path) -> dict:
    """Writes the vocabulary and returns sentences."""
    return {"sentences": encoded(word_pieces(folder), SENTENCES, pad=0, segments=False)}


def read_roberta(folder: Path) -> dict:
    """Writes the tokenizer and returns sentences."""
    made = byte_pairs(folder, ROBERTA)
    return {"sentences": encoded(made, SENTENCES, pad=1, segments=False)}


def read_gpt2(folder: Path) -> dict:
    """Writes the tokenizer and returns sentences."""
    made = byte_pairs(folder, ("<|endoftext|>",))
    return {"sentences": encoded(made, SENTENCES, pad=0, segments=False)}


def read_vit(folder: Path) -> dict:
    """Writes how pixels are scaled, and returns images."""
    scaled = {"do_rescale": True, "rescale_factor": 1 / 255, "do_normalize": True}
    scaled |= {"image_mean": [0.5, 0.4, 0.3], "image_std": [0.5, 0.25, 0.2]}
    scaled |= {"size": {"height": 8, "width": 8}, "do_resize": True}
    (folder / "preprocessor_config.json").write_text(json.dumps(scaled, indent=1))
    return {"images": {"pixel_values": torch.randn(2, 3, 8, 8)}}


def main() -> None:
    """Writes the folders."""
    words = {"vocab_size": len(vocabulary())}
    pairs = {"vocab_size": 290, "type_vocab_size": 1}
    bert = transformers.BertConfig(**TEXT, **words)
    write("tiny_bert", transformers.BertForPreTraining, bert, "masked_lm", read_bert)
    kind = transformers.BertForSequenceClassification
    bert = transformers.BertConfig(**TEXT, **words, **LABELS)
    write("tiny_bert_classifier", kind, bert, "classifier", read_bert)
    roberta = transformers.RobertaConfig(**TEXT, **pairs)
    kind = transformers.RobertaForMaskedLM
    write("tiny_roberta", kind, roberta, "masked_lm", read_roberta)
    kind = transformers.RobertaForSequenceClassification
    write("tiny_roberta_classifier", kind, roberta, "classifier", read_roberta)
    distilbert = transformers.DistilBertConfig(**DISTILBERT, **words, **LABELS)
    kind = transformers.DistilBertForMaskedLM
    write("tiny_distilbert", kind, distilbert, "masked_lm", read_distilbert)
    kind = transformers.DistilBertForSequenceClassification
    write("tiny_distilbert_classifier", kind, distilbert, "classifier", read_distilbert)
    gpt2 = transformers.GPT2Config(**GPT2, vocab_size=290)
    write("tiny_gpt2", transformers.GPT2LMHeadModel, gpt2, "causal_lm", read_gpt2)
    vit = transformers.ViTConfig(**VIT, **LABELS)
    kind = transformers.ViTForImageClassification
    write("tiny_vit", kind, vit, "classifier", read_vit)
    vit = transformers.ViTConfig(**VIT, pooler_output_size=16)
    write("tiny_vit_pooler", transformers.ViTModel, vit, "", read_vit)


if __name__ == "__main__":
    torch.manual_seed(0)
    with torch.no_grad():
        main()
