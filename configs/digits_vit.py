"""Does GELU in the feed-forward network of a ViT read digits better than ReLU?

scikit-learn's 1797 real images of 8 x 8 pixels in patches of 4 x 4, training images
shifted by up to one pixel; two pre-norm layers of width 64, dropout 0.1.

Command:  python launch.py --config=configs/digits_vit.py
Expected: `equivalent`: ReLU 97.0 %, GELU +0.12 points [-0.49, +0.73] (16 seeds; with 8,
          +0.07 [-1.21, +1.35], still `undecided`).
Time:     6 minutes on two cores of an AMD EPYC that had other work, 2340 steps a seed.
"""

from ml_collections import ConfigDict

from research.config_values import default_config


def get_config() -> ConfigDict:
    """Returns the experiment; fields not set here keep their defaults."""
    config = default_config(task="digits", model="vit")

    # What is compared, and what is held equal.
    config.activations = "relu,gelu"
    config.model.patch = 4
    config.model.dropout = 0.1

    # What changes with the seed, and how many there are.
    config.seeds = 16
    config.vary = "init,order,split"

    # How it is trained.
    config.epochs = 60
    config.batch_size = 32
    config.optimizer.learning_rate = (1e-3,)

    # How it is judged: one point of accuracy, four of the 360 test images.
    config.analysis.margin = 0.01
    return config
