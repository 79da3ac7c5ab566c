"""Does GELU beat ReLU on images of yours, in MNIST's file format?

A folder with the four IDX files of MNIST or Fashion-MNIST (gzip or not), or one .npz
with x_train, y_train, x_test and y_test; the first 10,000 training images, an MLP of
128-128.

Command:  python launch.py --config=configs/images.py --config.task.path=DIR
Expected: not measured: no such file comes with this repository.
Time:     not measured.
"""

from ml_collections import ConfigDict

from research.config_values import default_config


def get_config() -> ConfigDict:
    """Returns the experiment; fields not set here keep their defaults."""
    config = default_config(task="images", model="mlp")

    # What is compared, and what is held equal.
    config.activations = "relu,gelu"
    config.task.train_samples = 15000
    config.model.hidden = (128, 128)

    # What changes with the seed, and how many there are.
    config.seeds = 16
    config.vary = "init,order,split"

    # How it is trained.
    config.epochs = 10
    config.batch_size = 64
    config.optimizer.learning_rate = (1e-3,)

    # How it is judged: half a point of accuracy.
    config.analysis.margin = 0.005
    return config
