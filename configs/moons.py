"""Is GELU better than ReLU on make_moons, or is it the seed?

The tutorial experiment, done properly: two interleaved half circles of 2000 points, two
networks that differ in their activation alone, Adam at 0.001, 100 epochs; 64 seeds
instead of one, and a test set that is opened at the end.

Command:  python launch.py --config=configs/moons.py   (the default: python launch.py)
Expected: `equivalent`: ReLU 96.3 %, GELU 96.2 %, a difference of -0.05 points
          [-0.14, +0.04] against a margin of 0.5; the best possible is 97.1 %.
Time:     18 s on two cores of an AMD EPYC, ten of them compiling.
"""

from ml_collections import ConfigDict

from research.config_values import default_config


def get_config() -> ConfigDict:
    """Returns the experiment; fields not set here keep their defaults."""
    config = default_config()

    # What is compared, and what is held equal.
    config.activations = "relu,gelu"
    config.model.name = "mlp"
    config.model.hidden = (64, 64)
    config.model.initializer = "lecun_normal"

    # What is learned: the test set stays, train and validation are redrawn per seed.
    config.task.name = "moons"
    config.task.samples = 2000
    config.task.noise = 0.2
    config.task.test_samples = 400
    config.task.validation_samples = 400

    # What changes with the seed, and how many there are.
    config.seeds = 64
    config.vary = "init,order,split"

    # How it is trained, and which parameters are scored.
    config.epochs = 100
    config.batch_size = 32
    config.optimizer.name = "adam"
    config.optimizer.learning_rate = (1e-3,)
    config.selection = "best_validation"

    # How it is judged: half a point of accuracy is the least that would matter.
    config.analysis.margin = 0.005
    config.analysis.confidence = 0.95
    return config
