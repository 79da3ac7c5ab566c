"""Does GELU in the feed-forward network help a character language model?

The prose of Python's own reference (any text by --config.task.path), rows of 64
characters; two causal pre-norm layers of width 64; SwiGLU at equal parameters.

Command:  python launch.py --config=configs/char_lm.py
Expected: ReLU `worse` than GELU, 2.445 against 2.413 bits per character, +0.032
          [+0.022, +0.042]; SwiGLU `undecided`, -0.015 [-0.043, +0.012]. A trigram model of
          the same text (Python 3.11's) has 2.57.
Time:     8 minutes on two cores of an AMD EPYC that had other work, 1089 steps a seed.
"""

from ml_collections import ConfigDict

from research.config_values import default_config


def get_config() -> ConfigDict:
    """Returns the experiment; fields not set here keep their defaults."""
    config = default_config(task="char_lm", model="lm")

    # What is compared, and what is held equal.
    config.activations = "gelu,relu,swiglu"

    # What changes with the seed, and how many there are.
    config.seeds = 8
    config.vary = "init,order"

    # How it is trained.
    config.epochs = 3
    config.batch_size = 16
    config.optimizer.learning_rate = (1e-3,)

    # How it is judged: a hundredth of a bit per character; lower is better.
    config.analysis.margin = 0.01
    return config
