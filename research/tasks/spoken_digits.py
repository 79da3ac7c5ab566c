"""Spoken digits from a folder of WAV files, as the Free Spoken Digit Dataset names them.

Z. Jackson et al., Free Spoken Digit Dataset, 2018, doi:10.5281/zenodo.1342401.
"""

import io
import re
import wave
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from jaxtyping import Array, Float, Int, Key

from research.errors import ConfigError, DataError
from research.task_configs import SpokenDigitsConfig
from research.tasks.classes import (
    class_metrics,
    constant_predictor,
    count_classes,
    cross_entropy,
)
from research.tasks.contract import Task
from research.tasks.files import given_folder, read_bytes
from research.tasks.log_mel import (
    HOP_SECONDS,
    SILENCE,
    WINDOW_SECONDS,
    log_mel,
    mel_bands,
)
from research.tasks.scaling import fit_scaling, scale
from research.tasks.shifts import shifted
from research.tasks.splits import redrawn

_NAME = re.compile(r"(?P<digit>\d)_(?P<speaker>.+)_(?P<take>\d+)\.wav")
# The lowest rate whose frames hold a few samples.
LEAST_RATE = 1000


class Recording(NamedTuple):
    """One recording: samples from -1 to 1, how many per second, who says what."""

    samples: Float[np.ndarray, " samples"]
    rate: int
    digit: int
    speaker: str
    take: int


def load_spoken_digits(config: SpokenDigitsConfig) -> Task:
    """Returns the task: inputs [rows, frames, mels], standardised band by band.

    The test set are the first takes, as the data set's authors divide it.

    Raises:
      ConfigError: no path, or a part without a recording.
      DataError: files that are not there or do not hold what they should.
    """
    folder = given_folder(
        config.path, task="spoken_digits", what="a folder of WAV files"
    )
    recordings = _read_folder(folder)
    inputs = _features(config, recordings)
    digits = np.asarray([each.digit for each in recordings], np.int32)
    tested = np.asarray([each.take < config.test_takes for each in recordings])
    if tested.all() or not tested.any():
        takes = [each.take for each in recordings]
        raise ConfigError(
            f"task.test_takes={config.test_takes}: must divide the takes, which are "
            f"from {min(takes)} to {max(takes)}"
        )
    train, test = digits[~tested], digits[tested]
    classes = count_classes(train, test, name=str(folder))
    division = redrawn(
        np.flatnonzero(tested),
        np.flatnonzero(~tested),
        validation=config.validation_samples,
    )
    return Task(
        name="spoken_digits",
        inputs=inputs,
        targets=digits,
        outputs=(classes,),
        rows=division.rows,
        split=division.split,
        augment=_shift_in_time(config.shift),
        fit=fit_scaling,
        transform=scale,
        loss=cross_entropy,
        metrics=class_metrics(constant_predictor(train, test, classes=classes)),
        primary="accuracy",
        remarks=_remarks(config, folder, recordings),
    )


def _read_folder(folder: Path) -> tuple[Recording, ...]:
    recordings = tuple(read_recording(path) for path in sorted(folder.glob("*.wav")))
    if not recordings:
        raise DataError(f"{folder}: has no .wav file")
    rates = sorted({each.rate for each in recordings})
    if len(rates) > 1:
        raise DataError(
            f"{folder}: recordings must have one rate, not "
            f"{' and '.join(map(str, rates))} samples per second"
        )
    return recordings


def read_recording(path: Path) -> Recording:
    """Returns a WAV file's recording.

    Raises:
      DataError: another name than digit_speaker_take.wav, no WAV file, more than one
        channel, other samples than of 8 or 16 bits, or none.
    """
    named = _NAME.fullmatch(path.name)
    if named is None:
        raise DataError(f"{path}: must be named digit_speaker_take.wav")
    content = read_bytes(path)
    try:
        with wave.open(io.BytesIO(content)) as file:
            form = file.getparams()
            raw = file.readframes(form.nframes)
    except (wave.Error, EOFError) as error:
        raise DataError(
            f"{path}: is no plain WAV file, {str(error) or 'it ends too early'}"
        ) from None
    width = form.sampwidth
    if form.nchannels != 1 or width not in (1, 2) or form.framerate < LEAST_RATE:
        raise DataError(
            f"{path}: must have one channel of 8 or 16 bits and at least {LEAST_RATE} "
            f"samples per second, not {form.nchannels} of {8 * width} bits with "
            f"{form.framerate}"
        )
    if form.nframes == 0 or len(raw) != form.nframes * width:
        raise DataError(
            f"{path}: holds {len(raw) // width:,} samples, its head says "
            f"{form.nframes:,}"
        )
    # 8 bits are unsigned with silence at 128, 16 bits are signed.
    samples = (
        np.frombuffer(raw, "<i2") / 2**15
        if width == 2
        else np.frombuffer(raw, np.uint8) / 2**7 - 1
    )
    return Recording(
        samples,
        form.framerate,
        int(named["digit"]),
        named["speaker"],
        int(named["take"]),
    )


def _features(
    config: SpokenDigitsConfig, recordings: tuple[Recording, ...]
) -> Float[np.ndarray, "rows frames mels"]:
    rate = recordings[0].rate
    bands = mel_bands(rate=rate, mels=config.mels)
    if not bands.any(axis=1).all():
        raise ConfigError(
            f"task.mels={config.mels}: too many for {rate} samples per second, "
            "some bands would be empty"
        )
    return np.stack(
        [
            log_mel(each.samples, bands, rate=rate, frames=config.frames)
            for each in recordings
        ]
    )


def _shift_in_time(most: int) -> Callable | None:
    if most == 0:
        return None
    move = partial(shifted, axes=(0,), most=most, fill=float(np.log(SILENCE)))

    def augment(
        key: Key[Array, ""],
        inputs: Float[Array, "batch frames mels"],
        targets: Int[Array, " batch"],
    ) -> tuple[Float[Array, "batch frames mels"], Int[Array, " batch"]]:
        return move(key, inputs), targets

    return augment


def _remarks(
    config: SpokenDigitsConfig, folder: Path, recordings: tuple[Recording, ...]
) -> tuple[str, ...]:
    speakers = len({each.speaker for each in recordings})
    seconds = WINDOW_SECONDS + (config.frames - 1) * HOP_SECONDS
    cut = sum(len(each.samples) / each.rate > seconds for each in recordings)
    told = [
        f"the test set of {folder.name} is the takes below {config.test_takes} of all "
        f"{speakers} speakers, whose other takes are trained on: the score is not that "
        "of unheard speakers"
    ]
    if cut:
        told.append(
            f"{cut} of {len(recordings)} recordings are longer than {seconds:g} s and "
            "are cut there"
        )
    if config.shift:
        told.append(
            f"training recordings are shifted by up to {config.shift} frames, the same "
            "shifts under every arm"
        )
    return tuple(told)
