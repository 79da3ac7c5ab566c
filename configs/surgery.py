"""What is left of a trained Transformer when its activation is swapped, and what tuning mends?

Untouched; swapped without training; swapped and tuned; untouched and tuned as long. The
first two do not vary with a seed and are judged over sentences; the last two are judged
over seeds, of which the order of the data and dropout vary.

Command:  python launch.py surgery --checkpoint=DIR --activations=relu
          (--config=configs/surgery.py is the default; every field can be overridden)
Expected: of all-MiniLM-L6-v2, untuned: a mean cosine to before of 0.51 with ReLU, 0.60
          with SiLU and 1.00 with the tanh form of GELU, over 256 sentences; ReLU tuned for
          96 steps by distillation: 0.99.
Time:     that one, with --config.seeds=1, three and a half minutes on two cores of an AMD
          EPYC.
"""

from ml_collections import ConfigDict

from research.config_values import default_config


def get_config() -> ConfigDict:
    """Returns the experiment; fields not set here keep their defaults."""
    config = default_config(task="recovery", model="checkpoint")

    # What is swapped in, and where; the activation as trained is the reference.
    config.activations = "gelu,relu,silu"
    config.model.layers = "all"

    # What the tuned arms learn: labels, the model's own language head, or to compute what
    # the untouched model computes.
    config.task.loss = "auto"
    config.task.length = 48
    config.task.train_samples = 512
    config.task.validation_samples = 64
    config.task.test_samples = 256

    # How they are tuned: 96 steps.
    config.seeds = 8
    config.vary = "order"
    config.epochs = 3
    config.batch_size = 16
    config.optimizer.learning_rate = (1e-4,)

    # How they are judged: a hundredth of a nat, of a cosine or of the accuracy.
    config.analysis.margin = 0.01
    return config
