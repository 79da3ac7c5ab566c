"""Does GELU in the feed-forward network help a character language model?

The prose of Python's own reference (any text by --config.task.path), rows of 64
characters; two causal pre-norm layers of width 64; SwiGLU at equal parameters.

Command:  python launch.py --config=configs/char_lm.py
Expected: TODO
Time:     TODO
"""

from ml_collections import ConfigDict

from research.config_values import default_config


def get_config() -> ConfigDict:
    """Returns the experiment; fields not set here keep their defaults."""
    config = default_config(task="char_lm", model="lm")

    # What is compared, and what is held equal.
    config.activations = "gelu,relu,swiglu"
    config.reference = "gelu"

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
