"""How the ViT cuts images and sequences."""

import jax.numpy as jnp
import numpy as np
import pytest

from research.models.vision import cut


def test_patches_go_row_by_row():
    images = np.arange(2 * 4 * 6 * 3, dtype=np.float32).reshape(2, 4, 6, 3)
    found = np.asarray(cut(jnp.asarray(images), 2))
    assert found.shape == (2, 6, 12)
    for index in range(6):
        row, column = 2 * (index // 3), 2 * (index % 3)
        patch = images[:, row : row + 2, column : column + 2]
        assert np.array_equal(found[:, index], patch.reshape(2, -1))


@pytest.mark.parametrize("features", [(), (1,), (5,)])
def test_frames_go_together(features):
    frames = np.arange(2 * 6 * 5, dtype=np.float32)[: 2 * 6 * (features or (1,))[0]]
    frames = frames.reshape(2, 6, *features)
    found = np.asarray(cut(jnp.asarray(frames), 3))
    assert np.array_equal(found[1, 1], frames[1, 3:].reshape(-1))
    assert found.shape[:2] == (2, 2)
