"""Does GELU tag parts of speech better, on the Twitter data of the GELU paper?

CoNLL-style files with the published split; a Transformer over the words of a tweet,
each the sum of what its letters tell.

Command:  python launch.py --config=configs/tagging.py --config.task.path=DIR
Expected: on the Twitter data `equivalent`: ReLU 81.7 %, GELU +0.05 points
          [-0.18, +0.27], SiLU +0.07 [-0.10, +0.24]; each word's most frequent tag has 70.4 %.
Time:     4 minutes on two cores of an AMD EPYC that had other work, 496 steps a seed.
"""

from ml_collections import ConfigDict

from research.config_values import default_config


def get_config() -> ConfigDict:
    """Returns the experiment; fields not set here keep their defaults."""
    config = default_config(task="tagging", model="tagger")

    # What is compared, and what is held equal.
    config.activations = "relu,gelu,silu"
    config.model.dropout = 0.1

    # What changes with the seed, and how many there are.
    config.seeds = 8
    config.vary = "init,order"

    # How it is trained.
    config.epochs = 8
    config.batch_size = 16
    config.optimizer.learning_rate = (1e-3,)

    # How it is judged: half a point of accuracy per word.
    config.analysis.margin = 0.005
    return config
