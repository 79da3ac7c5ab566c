"""The fields of every task.

A class whose splits may not vary says why in `fixed_split`, one whose test set alone
may not in `fixed_test_split`: the words that follow the task's name in a refusal.
"""

from dataclasses import dataclass
from typing import ClassVar

from research.settings import (
    ANY_NAME,
    ANY_PATH,
    Sections,
    at_least,
    between,
    from_to,
    one_of,
    or_all,
    setting,
    whole,
)

# Rows are generated at once, and held in memory.
MOST_ROWS = 10_000_000
PUBLISHED = "whose test set is the published one"
RECOVERIES = ("auto", "labels", "language", "distillation", "none")
CONSECUTIVE = "whose parts follow one another in the text"


@dataclass(frozen=True, kw_only=True)
class MoonsConfig:
    """Two interleaved half circles, scikit-learn's make_moons."""

    fixed_split: ClassVar[str] = ""
    fixed_test_split: ClassVar[str] = ""

    name: str = setting("moons", "the task", ANY_NAME)
    samples: int = setting(2000, "rows generated in all", whole(20, MOST_ROWS))
    noise: float = setting(
        0.2, "standard deviation of the Gaussian noise", from_to(0.0, 1000.0)
    )
    test_samples: int = setting(400, "rows of the test set", whole(2, MOST_ROWS))
    validation_samples: int = setting(
        400, "rows of the validation set", whole(2, MOST_ROWS)
    )
    data_seed: int = setting(0, "seed of the generator of the rows", at_least(0))


@dataclass(frozen=True, kw_only=True)
class DigitsConfig:
    """1797 real images of handwritten digits, 8 x 8 pixels, scikit-learn's load_digits."""

    fixed_split: ClassVar[str] = ""
    fixed_test_split: ClassVar[str] = ""

    name: str = setting("digits", "the task", ANY_NAME)
    test_samples: int = setting(360, "images of the test set", at_least(10))
    validation_samples: int = setting(180, "images of the validation set", at_least(2))
    shift: int = setting(
        1,
        "training images are shifted by up to so many pixels",
        whole(0, 7),
    )


@dataclass(frozen=True, kw_only=True)
class Mnist1dConfig:
    """MNIST-1D, by its authors' generator: 4000 + 1000 curves of 40 samples."""

    fixed_split: ClassVar[str] = ""
    fixed_test_split: ClassVar[str] = PUBLISHED

    name: str = setting("mnist1d", "the task", ANY_NAME)
    validation_samples: int = setting(400, "curves of the validation set", at_least(2))


@dataclass(frozen=True, kw_only=True)
class ImagesConfig:
    """Images in files of the MNIST form (IDX, plain or .gz), or in one .npz."""

    fixed_split: ClassVar[str] = ""
    fixed_test_split: ClassVar[str] = PUBLISHED

    name: str = setting("images", "the task", ANY_NAME)
    path: str | None = setting(
        None, "the folder of the four IDX files, or the .npz file", ANY_PATH
    )
    train_samples: int | None = setting(
        None,
        "images outside the test set, the first ones; empty: all",
        or_all(at_least(2)),
    )
    test_samples: int | None = setting(
        None, "images of the test set, the first ones; empty: all", or_all(at_least(2))
    )
    validation_samples: int = setting(5000, "images of the validation set", at_least(2))


@dataclass(frozen=True, kw_only=True)
class CharLMConfig:
    """The next character of a text; without a path the prose of Python's own help."""

    fixed_split: ClassVar[str] = CONSECUTIVE
    fixed_test_split: ClassVar[str] = CONSECUTIVE

    name: str = setting("char_lm", "the task", ANY_NAME)
    path: str | None = setting(
        None, "a UTF-8 text; empty: pydoc_data/topics.py of this Python", ANY_PATH
    )
    context: int = setting(64, "characters of one row", whole(2, 65_536))
    validation_fraction: float = setting(
        0.1, "part of the text, before the test part, to validate on", between(0.0, 1.0)
    )
    test_fraction: float = setting(
        0.1, "part of the text, at its end, to test on", between(0.0, 1.0)
    )


@dataclass(frozen=True, kw_only=True)
class MaskedLMConfig(CharLMConfig):
    """Masked characters of a text; without a path the prose of Python's own help."""

    name: str = setting("masked_lm", "the task", ANY_NAME)


@dataclass(frozen=True, kw_only=True)
class TaggingConfig:
    """The tag of every word, from CoNLL-style files: `word TAB tag`, blank between."""

    fixed_split: ClassVar[str] = "whose split is the published one"
    fixed_test_split: ClassVar[str] = fixed_split

    name: str = setting("tagging", "the task", ANY_NAME)
    path: str | None = setting(
        None, "the folder of the files named after train, dev and test", ANY_PATH
    )


@dataclass(frozen=True, kw_only=True)
class SpokenDigitsConfig:
    """Spoken digits in WAV files named digit_speaker_take.wav, as log-mel features."""

    fixed_split: ClassVar[str] = ""
    fixed_test_split: ClassVar[str] = PUBLISHED

    name: str = setting("spoken_digits", "the task", ANY_NAME)
    path: str | None = setting(None, "the folder of the WAV files", ANY_PATH)
    frames: int = setting(64, "frames of one recording, 10 ms each", whole(2, 10_000))
    mels: int = setting(40, "bands of the mel scale", whole(2, 512))
    test_takes: int = setting(
        5, "the first takes of each digit and speaker are the test set", at_least(1)
    )
    validation_samples: int = setting(
        60, "recordings of the validation set", at_least(2)
    )
    shift: int = setting(
        3,
        "training recordings are shifted by up to so many frames",
        whole(0, 1000),
    )


@dataclass(frozen=True, kw_only=True)
class RecoveryConfig:
    """What a checkpoint with another activation learns; for `launch.py surgery` alone."""

    fixed_split: ClassVar[str] = "whose parts are fixed by the file"
    fixed_test_split: ClassVar[str] = fixed_split

    name: str = setting("recovery", "the task", ANY_NAME)
    loss: str = setting(
        "auto",
        "labels: of a file's classes; language: of the model's own language head; "
        "distillation: to the untouched model; none: nothing is trained; auto: the "
        "first of these that there is something for, or none where each layer is "
        "swapped alone",
        one_of(RECOVERIES),
    )
    path: str | None = setting(
        None,
        "a text, a sentence a line, or an .npz of images; empty: sentences of Python's "
        "own help, or parts of scikit-learn's two photographs",
        ANY_PATH,
    )
    labels: str | None = setting(
        None,
        "a CSV file with the columns text and label, or an .npz of images and labels",
        ANY_PATH,
    )
    length: int = setting(48, "tokens after which a sentence is cut", whole(4, 65_536))
    train_samples: int = setting(512, "rows to train on, at most", at_least(2))
    validation_samples: int = setting(64, "rows to validate on, at most", at_least(2))
    test_samples: int = setting(256, "rows to measure on, at most", at_least(10))


TaskConfig = (
    MoonsConfig
    | DigitsConfig
    | Mnist1dConfig
    | ImagesConfig
    | CharLMConfig
    | MaskedLMConfig
    | TaggingConfig
    | SpokenDigitsConfig
    | RecoveryConfig
)
TASKS = Sections(
    {
        "moons": MoonsConfig,
        "digits": DigitsConfig,
        "mnist1d": Mnist1dConfig,
        "images": ImagesConfig,
        "char_lm": CharLMConfig,
        "masked_lm": MaskedLMConfig,
        "tagging": TaggingConfig,
        "spoken_digits": SpokenDigitsConfig,
        "recovery": RecoveryConfig,
    },
    default="moons",
)
