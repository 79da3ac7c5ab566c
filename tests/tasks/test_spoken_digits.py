"""Spoken digits: log-mel features against a direct transform, WAV files, the test takes."""

import math
import wave
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest
from tiny_runs import tiny_experiment

from research import prng
from research.errors import ConfigError, DataError
from research.task_configs import SpokenDigitsConfig
from research.tasks.log_mel import SILENCE, fft_points, log_mel, mel_bands
from research.tasks.spoken_digits import load_spoken_digits, read_recording

RECORDED = Path(__file__).parents[3] / "shared/data/spoken_digits"
RATE = 8000


def write(path, samples, *, rate=RATE, width=2, channels=1):
    with wave.open(str(path), "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(width)
        file.setframerate(rate)
        file.writeframes(
            (np.asarray(samples) * 32767).astype("<i2").tobytes()
            if width == 2
            else (np.asarray(samples) * 127 + 128).astype("u1").tobytes()
        )
    return path


def tone(hertz, *, seconds=0.3, rate=RATE):
    return 0.5 * np.sin(2 * np.pi * hertz * np.arange(round(seconds * rate)) / rate)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two digits, two speakers, six takes; a digit is a tone of its own."""
    folder = tmp_path_factory.mktemp("spoken")
    for digit in (0, 1):
        for speaker, shift in (("ann", 0), ("bob_b", 40)):
            for take in range(6):
                samples = tone(400 + 900 * digit + shift + 5 * take)
                write(folder / f"{digit}_{speaker}_{take}.wav", samples)
    (folder / "readme.txt").write_text("not a recording")
    return folder


def load(folder, **fields):
    config = {"frames": 20, "mels": 12, "validation_samples": 2, **fields}
    return load_spoken_digits(SpokenDigitsConfig(path=str(folder), **config))


def refusal(folder, **fields) -> str:
    with pytest.raises(DataError) as refused:
        load(folder, **fields)
    line = str(refused.value)
    assert "\n" not in line
    return line


# Features.


def test_log_mel_is_that_of_a_direct_transform():
    samples = np.random.default_rng(0).normal(size=1000) * 0.1
    found = log_mel(samples, mel_bands(rate=RATE, mels=10), rate=RATE, frames=8)
    points, n = 512, np.arange(200)
    edge = np.linspace(0, 2595 * math.log10(1 + 4000 / 700), 12)
    for frame, band in ((0, 0), (3, 5), (7, 9)):
        windowed = samples[80 * frame :][:200] * np.sin(np.pi * (n + 0.5) / 200) ** 2
        energy = 0.0
        for k in range(points // 2 + 1):
            mel = 2595 * math.log10(1 + k * RATE / points / 700)
            up = (mel - edge[band]) / (edge[band + 1] - edge[band])
            down = (edge[band + 2] - mel) / (edge[band + 2] - edge[band + 1])
            value = np.sum(windowed * np.exp(-2j * np.pi * k * n / points))
            energy += max(0.0, min(up, down)) * abs(value) ** 2 / 200
        assert found[frame, band] == pytest.approx(math.log(energy + SILENCE), rel=1e-5)


def test_a_tone_is_loudest_in_its_own_band():
    bands = mel_bands(rate=RATE, mels=40)
    at = np.fft.rfftfreq(fft_points(RATE), 1 / RATE)
    for hertz in (300, 1000, 3000):
        features = log_mel(tone(hertz), bands, rate=RATE, frames=20)
        own = bands[:, np.abs(at - hertz).argmin()].argmax()
        assert (np.abs(features.argmax(axis=1) - own) <= 1).all()


def test_short_recordings_end_in_silence_and_long_ones_are_cut():
    bands = mel_bands(rate=RATE, mels=8)
    short = log_mel(tone(500, seconds=0.1), bands, rate=RATE, frames=30)
    assert (short[11:] == np.float32(math.log(SILENCE))).all()
    assert (short[:10] > math.log(SILENCE)).any(axis=1).all()
    long = log_mel(tone(500, seconds=2.0), bands, rate=RATE, frames=30)
    assert long.shape == (30, 8)
    assert np.array_equal(long[:8], short[:8])


def test_between_the_first_and_last_edge_the_bands_sum_to_one():
    for mels in (10, 40):
        total = mel_bands(rate=RATE, mels=mels).sum(axis=0)
        peak = mel_bands(rate=RATE, mels=mels).argmax(axis=1)
        np.testing.assert_allclose(total[peak[0] + 1 : peak[-1]], 1, rtol=1e-9)


# The task.


def test_the_first_takes_are_the_test_set(folder):
    task = load(folder)
    assert task.inputs.shape == (24, 20, 12)
    assert task.outputs == (2,)
    split = task.split(prng.stream_key("split", 0), None)
    assert [len(part) for part in split] == [2, 2, 20]
    names = sorted(path.name for path in folder.glob("*.wav"))
    tested = {names[row] for row in np.asarray(split.test)}
    assert tested == {name for name in names if int(name[-5]) < 5}
    assert [int(name[0]) for name in names] == task.targets.tolist()
    assert "takes below 5 of all 2 speakers" in task.remarks[0]


def test_bands_are_standardised_and_shifts_drawn_by_the_key(folder):
    task = load(folder, test_takes=2, shift=3)
    inputs, targets = jnp.asarray(task.inputs), jnp.asarray(task.targets)
    scaled = np.asarray(task.transform(task.fit(inputs), inputs))
    np.testing.assert_allclose(scaled.mean(axis=(0, 1)), 0, atol=0.01)
    np.testing.assert_allclose(scaled.std(axis=(0, 1)), 1, atol=1e-3)
    assert task.augment is not None
    keys = [prng.stream_key("dropout", seed) for seed in (0, 0, 1)]
    one, same, other = (np.asarray(task.augment(k, inputs, targets)[0]) for k in keys)
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)
    assert load(folder, shift=0).augment is None


def test_cut_recordings_are_told(folder):
    assert any("24 of 24 recordings are longer" in r for r in load(folder).remarks)
    assert not any("longer" in r for r in load(folder, frames=40).remarks)


def test_eight_and_sixteen_bits_are_one(tmp_path):
    samples = tone(700)
    one = read_recording(write(tmp_path / "3_x_0.wav", samples))
    other = read_recording(write(tmp_path / "3_x_y_12.wav", samples, width=1))
    np.testing.assert_allclose(one.samples, samples, atol=1e-4)
    np.testing.assert_allclose(other.samples, samples, atol=1 / 64)
    assert (other.digit, other.speaker, other.take) == (3, "x_y", 12)


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("a_x_0.wav", {}, "must be named digit_speaker_take.wav"),
        ("1_x.wav", {}, "must be named"),
        ("1_x_9.wav", {"channels": 2}, "not 2 of 16 bits with 8000"),
        ("1_x_9.wav", {"rate": 100}, "not 1 of 16 bits with 100"),
        ("1_x_9.wav", {"rate": 16000}, "one rate, not 8000 and 16000"),
    ],
)
def test_other_recordings_are_refused(folder, tmp_path, name, options, words):
    for path in folder.glob("0_ann_*.wav"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    write(tmp_path / name, tone(500), **options)
    assert words in refusal(tmp_path)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda content: b"", "is no plain WAV file, it ends too early"),
        (lambda content: b"x" * 60, "is no plain WAV file, file does not start"),
        (lambda content: content[:-7], "samples, its head says"),
        (lambda content: content[:44], "samples, its head says"),
    ],
)
def test_damaged_recordings_are_refused(tmp_path, change, words):
    path = write(tmp_path / "1_x_0.wav", tone(500))
    path.write_bytes(change(path.read_bytes()))
    line = refusal(tmp_path)
    assert words in line
    assert "1_x_0.wav" in line


def test_folders_and_fields_that_cannot_be_used(folder, tmp_path):
    with pytest.raises(ConfigError, match=r"task\.path=''.*WAV"):
        load_spoken_digits(SpokenDigitsConfig())
    assert "has no .wav file" in refusal(tmp_path)
    with pytest.raises(ConfigError, match=r"task\.test_takes=6: .*from 0 to 5"):
        load(folder, test_takes=6)
    with pytest.raises(ConfigError, match=r"task\.mels=500: too many"):
        load(folder, mels=500)
    for take, digit in enumerate((0, 0, 2)):
        write(tmp_path / f"{digit}_x_{take}.wav", tone(500))
    assert "class 1 has no training row" in refusal(tmp_path, test_takes=1)


def test_an_mlp_can_be_trained_on_them(folder):
    task = {"name": "spoken_digits", "path": str(folder), "test_takes": 1}
    task |= {"validation_samples": 4, "frames": 20, "mels": 12}
    experiment = tiny_experiment(task=task)
    assert experiment.steps_per_epoch == 1
    assert any("of all 2 speakers" in note for note in experiment.task.remarks)


@pytest.mark.skipif(not RECORDED.is_dir(), reason="no recordings beside the checkout")
def test_the_free_spoken_digit_dataset():
    task = load_spoken_digits(SpokenDigitsConfig(path=str(RECORDED)))
    assert task.inputs.shape == (600, 64, 40)
    assert np.isfinite(task.inputs).all()
    assert (task.rows.train, task.rows.validation, task.rows.test) == (240, 60, 300)
    assert np.bincount(task.targets).tolist() == [60] * 10
