"""Does GELU help a masked language model, BERT's own setting?

The prose of Python's own reference, rows of 32 characters of which 15 % are predicted
(80 % masked, 10 % random, 10 % kept); two layers of width 64.

Command:  python launch.py --config=configs/masked_lm.py
Expected: SwiGLU `worse` than GELU, 2.902 against 2.769 bits per masked character, +0.132
          [+0.028, +0.237]; ReLU `undecided`, +0.013 [-0.058, +0.084]. All are still learning:
          after four epochs both are undecided, GELU at 2.498.
Time:     8 minutes on two cores of an AMD EPYC that had other work, 2178 steps a seed.
"""

from ml_collections import ConfigDict

from research.config_values import default_config


def get_config() -> ConfigDict:
    """Returns the experiment; fields not set here keep their defaults."""
    config = default_config(task="masked_lm", model="masked_lm")

    # What is compared, and what is held equal.
    config.activations = "gelu,relu,swiglu"
    config.task.context = 32
    config.model.norm = "pre"

    # What changes with the seed, and how many there are.
    config.seeds = 8
    config.vary = "init,order"

    # How it is trained.
    config.epochs = 3
    config.batch_size = 16
    config.optimizer.learning_rate = (2e-3,)

    # How it is judged: two hundredths of a bit per masked character; lower is better.
    config.analysis.margin = 0.02
    return config
