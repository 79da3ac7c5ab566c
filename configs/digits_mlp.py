"""Does GELU read handwritten digits better than ReLU, in an MLP?

scikit-learn's 1797 real images of 8 x 8 pixels, training images shifted by up to one
pixel; one hidden layer of 128 units.

Command:  python launch.py --config=configs/digits_mlp.py
Expected: `equivalent`: ReLU 95.3 %, GELU +0.54 points [+0.35, +0.73], real but smaller
          than the margin; SiLU -0.01 [-0.29, +0.27].
Time:     1.5 minutes on two cores of an AMD EPYC that had other work, 1560 steps a seed.
"""

from ml_collections import ConfigDict

from research.config_values import default_config


def get_config() -> ConfigDict:
    """Returns the experiment; fields not set here keep their defaults."""
    config = default_config(task="digits", model="mlp")

    # What is compared, and what is held equal.
    config.activations = "relu,gelu,silu"
    config.model.hidden = (128,)

    # What changes with the seed, and how many there are.
    config.seeds = 32
    config.vary = "init,order,split"

    # How it is trained.
    config.epochs = 40
    config.batch_size = 32
    config.optimizer.learning_rate = (1e-3,)

    # How it is judged: one point of accuracy, four of the 360 test images.
    config.analysis.margin = 0.01
    return config
