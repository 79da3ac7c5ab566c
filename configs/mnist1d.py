"""Does the activation matter on MNIST-1D, where MLPs do not reach the ceiling?

The published generator's data: 4000 signals of 40 numbers to train and validate, 1000
to test; two hidden layers of 100 units. Needs `pip install mnist1d`.

Command:  python launch.py --config=configs/mnist1d.py
Expected: `better`: ReLU 57.6 %, GELU +1.92 points [+1.44, +2.40], SiLU +1.85
          [+1.33, +2.37].
Time:     2 minutes on two cores of an AMD EPYC that had other work, 6720 steps a seed.
"""

from ml_collections import ConfigDict

from research.config_values import default_config


def get_config() -> ConfigDict:
    """Returns the experiment; fields not set here keep their defaults."""
    config = default_config(task="mnist1d", model="mlp")

    # What is compared, and what is held equal.
    config.activations = "relu,gelu,silu"
    config.model.hidden = (100, 100)

    # What changes with the seed, and how many there are.
    config.seeds = 32
    config.vary = "init,order,split"

    # How it is trained.
    config.epochs = 60
    config.batch_size = 32
    config.optimizer.learning_rate = (1e-3,)

    # How it is judged: one point of accuracy, ten of the 1000 test signals.
    config.analysis.margin = 0.01
    return config
