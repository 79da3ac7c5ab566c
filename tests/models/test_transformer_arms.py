"""The Transformers' arms: matched widths, weights by path, names, and what is refused."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tiny_transformers import BUILD, CLASSES, ONE, SHAPES, TOKENS, config_of, leaves

from research import prng
from research.activations.catalog import lookup
from research.errors import ConfigError
from research.model_configs import LanguageModelConfig, VisionTransformerConfig
from research.models.contract import Shapes
from research.models.language import build_lm, describe_lm, describe_masked_lm
from research.models.tagger import describe_tagger
from research.models.transformer import gated_ffn_width, layer_parameters
from research.models.vision import build_vit, describe_vit

KINDS = tuple(SHAPES)
DESCRIBE = {
    "vit": describe_vit,
    "lm": describe_lm,
    "masked_lm": describe_masked_lm,
    "tagger": describe_tagger,
}
IMAGE = Shapes(ONE((8, 8, 1), jnp.float32), (10,))
TEXT = Shapes(ONE((64,), jnp.int32), (64, 65), 65)


def sizes(kind, activation, shapes, **fields):
    """Returns how many parameters the model of an arm has."""
    model = BUILD[kind](config_of(kind, **fields), lookup(activation), shapes)
    params, _ = jax.eval_shape(model.init, prng.stream_key("init", 0))
    return sum(leaf.size for leaf in jax.tree.leaves(params))


@pytest.mark.parametrize("width", [16, 64, 100])
@pytest.mark.parametrize("ffn", [16, 50, 256, 1000])
def test_gated_and_plain_arms_are_of_one_size(width, ffn):
    fields = {"width": width, "ffn": ffn, "heads": 4}
    plain, silent = (sizes("lm", name, TEXT, **fields) for name in ("relu", "gelu"))
    gates = [sizes("lm", name, TEXT, **fields) for name in ("swiglu", "geglu")]
    assert plain == silent
    assert gates[0] == gates[1]
    assert abs(gates[0] - plain) < 0.01 * plain
    assert sizes("lm", "prelu", TEXT, **fields) == plain + 2


def test_the_width_is_two_thirds_wherever_that_matches():
    assert gated_ffn_width(256, width=64) == 171
    assert gated_ffn_width(3072, width=768) == 2048
    for width, ffn in itertools.product(range(1, 40), range(1, 150, 3)):
        wanted = layer_parameters(ffn, width=width, projections=1)
        off = {
            units: abs(layer_parameters(units, width=width, projections=2) - wanted)
            for units in range(1, ffn + 1)
        }
        chosen, two_thirds = (
            gated_ffn_width(ffn, width=width),
            max(round(2 * ffn / 3), 1),
        )
        matches = off[two_thirds] < 0.01 * wanted
        assert chosen == two_thirds if matches else off[chosen] == min(off.values())


@pytest.mark.parametrize("projections", [1, 2])
def test_a_layers_parameters_are_counted(projections):
    fields = {"width": 12, "ffn": 20, "match": "none"}
    activation = ("relu", "swiglu")[projections - 1]
    one, two = (sizes("lm", activation, TEXT, depth=d, **fields) for d in (1, 2))
    assert two - one == layer_parameters(20, width=12, projections=projections)


def test_without_matching_a_gated_arm_is_larger():
    config = LanguageModelConfig(match="none")
    told = describe_lm(config, lookup("swiglu"), TEXT)
    assert "FFN 256 (not matched)" in told
    assert "not matched" not in describe_lm(config, lookup("relu"), TEXT)
    fields = {"width": 64, "ffn": 256, "match": "none"}
    more = sizes("lm", "swiglu", TEXT, **fields) - sizes("lm", "relu", TEXT, **fields)
    assert more == 2 * 256 * 65


def test_the_default_models_have_the_sizes_that_are_told():
    lm, vit = LanguageModelConfig(), VisionTransformerConfig()
    key = prng.stream_key("init", 0)
    for build, config, shapes, count in (
        (build_lm, lm, TEXT, 112_577),
        (build_vit, vit, IMAGE, 102_090),
    ):
        params, _ = jax.eval_shape(build(config, lookup("relu"), shapes).init, key)
        assert sum(leaf.size for leaf in jax.tree.leaves(params)) == count


@pytest.mark.parametrize("other", ["gelu", "prelu", "swiglu"])
def test_leaves_of_equal_path_and_shape_start_equal(other):
    config, key = config_of("vit", pool="class"), prng.stream_key("init", 0)

    def start(name):
        return leaves(BUILD["vit"](config, lookup(name), SHAPES["vit"]).init(key)[0])

    relu, mine = start("relu"), start(other)
    shared = [p for p in relu if p in mine and relu[p].shape == mine[p].shape]
    # A gated arm has its own up and down projections, but for the latter's bias.
    assert len(relu) - len(shared) == (3 * 2 if other == "swiglu" else 0)
    for path in shared:
        assert relu[path].tobytes() == mine[path].tobytes()
    for path, leaf in mine.items():
        name = path.rpartition("/")[2]
        if name in ("bias", "class_token"):
            assert not leaf.any()
        if name == "scale":
            assert (leaf == 1).all()
        if name in ("kernel", "positions"):
            assert np.unique(leaf).size == leaf.size
    assert 0.5 < mine["head/kernel"].std() * 8**0.5 < 1.5
    assert 0.01 < mine["transformer/positions"].std() < 0.03


def test_an_embedding_has_the_length_of_a_unit_vector():
    shapes = Shapes(ONE((4,), jnp.int32), (4, 3), 500)
    config = config_of("lm", width=16, depth=1)
    params, _ = build_lm(config, lookup("relu"), shapes).init(
        prng.stream_key("init", 0)
    )
    table = np.asarray(params["embed"]["embedding"])
    assert np.square(table).sum(axis=1).mean() == pytest.approx(1, rel=0.1)


def test_every_arm_is_described():
    told = {
        kind: describe(config_of(kind), lookup("swiglu"), SHAPES[kind])
        for kind, describe in DESCRIBE.items()
    }
    layers = "2×8, 2 heads, FFN 8, pre-norm"
    assert told == {
        "vit": f"gated ViT {layers}, 6 patches of 2×2",
        "lm": f"gated causal LM {layers}, 6 tokens of 11",
        "masked_lm": f"gated masked LM {layers}, 6 tokens of 11",
        "tagger": f"gated tagger {layers}, up to 6 words",
    }
    frames = Shapes(ONE((32, 40), jnp.float32), (10,))
    assert describe_vit(VisionTransformerConfig(patch=4), None, frames) == (
        "ViT 2×64, 4 heads, FFN 256, pre-norm, 8 patches of 4 frames"
    )


@pytest.mark.parametrize("kind", KINDS)
def test_heads_that_do_not_divide_the_width_are_refused(kind):
    with pytest.raises(ConfigError, match=r"model.heads=3: must divide model.width=8"):
        BUILD[kind](config_of(kind, heads=3), lookup("relu"), SHAPES[kind])


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ((6, 4, 3), r"model.patch=4: must divide the inputs' 6×4 pixels"),
        ((6, 4), r"model.patch=4: must divide the inputs' 6 frames"),
        ((2, 2, 2, 2), "model.name=vit: takes images or sequences of frames"),
    ],
)
def test_what_cannot_be_cut_is_refused(shape, words):
    shapes = Shapes(ONE(shape, jnp.float32), (CLASSES,))
    for function in (BUILD["vit"], DESCRIBE["vit"]):
        with pytest.raises(ConfigError, match=words):
            function(config_of("vit", patch=4), lookup("relu"), shapes)


@pytest.mark.parametrize(("kind", "task"), list(itertools.permutations(KINDS, 2)))
def test_a_task_of_another_kind_is_refused(kind, task):
    if {kind, task} == {"lm", "masked_lm"}:
        return
    for function in (BUILD[kind], DESCRIBE[kind]):
        with pytest.raises(ConfigError, match=f"model.name={kind}: takes") as refusal:
            function(config_of(kind), lookup("relu"), SHAPES[task])
        assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("kind", ["lm", "masked_lm"])
def test_a_model_of_tokens_needs_an_output_row_for_each(kind):
    one_row = Shapes(ONE((6,), jnp.int32), (TOKENS,), TOKENS)
    with pytest.raises(ConfigError, match="gives every token an output row"):
        BUILD[kind](config_of(kind), lookup("relu"), one_row)
