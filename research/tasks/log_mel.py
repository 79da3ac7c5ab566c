"""Log-mel features of speech: how much energy a recording has, by time and pitch.

Frames of 25 ms every 10 ms under a Hann window, their power spectrum, and triangular
bands evenly spaced on the mel scale, mel(f) = 2595 log10(1 + f / 700 Hz): S. Young et
al., The HTK Book, version 3.4, 2006, section 5.4.
"""

import numpy as np
from jaxtyping import Float

WINDOW_SECONDS, HOP_SECONDS = 0.025, 0.010
# Energy of what counts as silence, for samples from -1 to 1.
SILENCE = 1e-6


def log_mel(
    samples: Float[np.ndarray, " samples"],
    bands: Float[np.ndarray, "mels frequencies"],
    *,
    rate: int,
    frames: int,
) -> Float[np.ndarray, "frames mels"]:
    """Returns log(energy + SILENCE) of so many frames from the beginning on.

    A longer recording is cut, a shorter one is followed by silence.

    Args:
      samples: from -1 to 1.
      bands: of `mel_bands`, for the same rate.
      rate: samples per second.
    """
    window, hop = samples_of(WINDOW_SECONDS, rate), samples_of(HOP_SECONDS, rate)
    wanted = window + (frames - 1) * hop
    padded = np.zeros(wanted)
    padded[: len(samples)] = samples[:wanted]
    framed = np.lib.stride_tricks.sliding_window_view(padded, window)[::hop]
    spectrum = np.fft.rfft(framed * hann(window), fft_points(rate))
    power = np.abs(spectrum) ** 2 / window
    # No matrix product: so small a one keeps the threads of BLAS waiting.
    energy = np.einsum("fp,mp->fm", power, bands)
    return np.log(energy + SILENCE).astype(np.float32)


def samples_of(seconds: float, rate: int) -> int:
    """Returns the number of samples in a time."""
    return round(seconds * rate)


def fft_points(rate: int) -> int:
    """Returns the points of the Fourier transform: the power of 2 from two windows on.

    Two, so that the lowest bands have frequencies of their own.
    """
    return 2 ** int(np.ceil(np.log2(2 * samples_of(WINDOW_SECONDS, rate))))


def hann(window: int) -> Float[np.ndarray, " window"]:
    """Returns the Hann window of so many samples, sin²(π (n + ½) / N)."""
    return np.sin(np.pi * (np.arange(window) + 0.5) / window) ** 2


def mel(hertz: Float[np.ndarray, " tones"]) -> Float[np.ndarray, " tones"]:
    """Returns frequencies on the mel scale, 2595 log10(1 + f / 700 Hz)."""
    return 2595 * np.log10(1 + hertz / 700)


def mel_bands(*, rate: int, mels: int) -> Float[np.ndarray, "mels frequencies"]:
    """Returns each band's weight for each frequency of the transform.

    Band i rises on the mel scale from edge i to 1 at edge i + 1 and falls to edge i + 2,
    of mels + 2 edges from 0 to half the rate.
    """
    low, high = mel(np.asarray([0, rate / 2]))
    edges = np.linspace(low, high, mels + 2)
    at = mel(np.fft.rfftfreq(fft_points(rate), 1 / rate))
    rising = (at - edges[:-2, None]) / (edges[1] - edges[0])
    return np.clip(np.minimum(rising, 2 - rising), 0, None)
