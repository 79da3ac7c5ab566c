"""`launch.py surgery`: what it writes and prints, and what it refuses."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from research.cli import main

ROOT = Path(__file__).parents[2]
TINY = ROOT / "tests/surgery/tiny_bert"
UNTUNED = "--config.task.loss=none"


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    lines = [f"The value of object {n} is {n * n}." for n in range(12)]
    Path("lines.txt").write_text("\n".join(lines))
    shutil.copytree(TINY, "tiny")


def summary(folder: str) -> dict:
    return json.loads(Path(folder, "results/summary.json").read_text())


def test_a_swap_is_measured_drawn_and_shown_again(capsys):
    argv = ["surgery", "--checkpoint=tiny", "--activations=gelu,relu,swish"]
    argv += ["--text=lines.txt", UNTUNED, "--config.analysis.confidence=0.9"]
    assert main(argv) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "trained with gelu (exact, erf) · swapped in all 2 layers" in shown
    assert "no number varies with a seed" in shown
    assert "neighbour" in shown
    folder = Path("runs/surgery-1")
    told = summary("runs/surgery-1")
    assert (told["mode"], told["reference"]) == ("surgery", "gelu")
    assert list(told["arms"]) == ["gelu", "relu", "silu"]
    assert told["rows"] == {"train": 0, "validation": 0, "test": 12}
    assert (told["loss"], told["tuned"], told["confidence"]) == ("none", None, 0.9)
    relu = told["arms"]["relu"]
    assert relu["swapped"] == [0, 1]
    assert 0.2 < relu["zeros"]["value"] < 0.8
    for key in ("cosine", "neighbour_kept", "spearman", "mean_similarity"):
        assert relu[key]["ci_low"] <= relu[key]["value"] <= relu[key]["ci_high"]
    assert told["arms"]["gelu"]["zeros"]["value"] == 0
    assert "cosine" not in told["arms"]["gelu"]
    for name in ("similarity", "drift"):
        assert (folder / f"figures/{name}.png").read_bytes().startswith(b"\x89PNG")
    manifest = json.loads((folder / "manifest.json").read_text())
    assert "tiny/model.safetensors" in manifest["source_sha256"]
    assert "lines.txt" in manifest["source_sha256"]
    assert {"jax", "safetensors", "tokenizers"} <= manifest["versions"].keys()
    assert manifest["command"].endswith("=0.9 --workdir=runs/surgery-1")
    page = (folder / "report.html").read_text()
    for words in (
        "cls.seq_relationship.bias",
        "layer 1",
        "Dead units are 0 at every one",
    ):
        assert words in page
    assert main(["report", "--workdir=runs/surgery-1"]) == 0
    again = " ".join(capsys.readouterr().out.split())
    told = [each[each.index("tiny · BERT") :] for each in (again, shown)]
    assert told[0].partition("Report:")[0] == told[1].partition("Report:")[0]


def test_each_layer_alone_in_its_own_folder_again(capsys):
    argv = ["surgery", "--checkpoint=tiny", "--activations=relu", "--layers=each"]
    argv += ["--text=lines.txt", UNTUNED, "--workdir=out"]
    assert main(argv) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "swapped in each of 2 layers alone, counted from 0" in shown
    assert "ReLU in one layer at a time: the last layer's output drifts most" in shown
    assert [arm["swapped"] for arm in summary("out")["arms"].values()] == [[], [0], [1]]
    assert main(argv) == 0
    capsys.readouterr()
    assert main([*argv[:3], "--layers=1", *argv[4:]]) == 2
    refused = capsys.readouterr().err
    assert "holds a run of another config" in refused
    assert "model.layers ('each' there, '1' now)" in refused
    assert main([*argv[:3], "--layers=1", *argv[4:-1], "--workdir=1"]) == 0
    assert "swapped in layer 1 of 0 to 1" in " ".join(capsys.readouterr().out.split())
    assert summary("1")["layers"] == [1]


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        ([], ["surgery: needs --checkpoint=DIR"]),
        (["--checkpoint="], ["surgery: needs --checkpoint=DIR"]),
        (["--checkpoint=tiny", "--activations=gleu"], ["'gleu'", "did you mean gelu?"]),
        (
            ["--checkpoint=tiny", "--activations=gelu"],
            ["nothing to swap in beside gelu"],
        ),
        (
            ["--checkpoint=tiny", "--activations=silu,swish"],
            ["the same function, silu"],
        ),
        (["--checkpoint=tiny", "--layers=2"], ["--layers=2", "layers 0 to 1"]),
        (
            ["--checkpoint=tiny", "--layers=0,0"],
            ["--layers='0,0'", "different whole numbers"],
        ),
        (
            ["--checkpoint=tiny", "--layers=last"],
            ["--layers='last'", "must be all, each"],
        ),
        (["--checkpoint=tiny", "--layers=-1"], ["--layers='-1'", "must be all, each"]),
        (["--checkpoint=tiny", "--seeds=3"], ["no such flag", "--config.seeds?"]),
        (
            ["--checkpoint=tiny", "--config.task.path=x", "--text=y"],
            ["--text: stands for --config.task.path"],
        ),
        (["--checkpoint=tiny", "--config.reference=relu"], ["must be gelu, the"]),
        (
            [
                "--checkpoint=tiny",
                "--activations=relu",
                "--config.task.loss=distillation",
                "--config.seeds_plan=sequential",
            ],
            ["seeds_plan=sequential: must be fixed"],
        ),
        (["--checkpoint=tiny", "--config.vary=init"], ["vary=init: every lane starts"]),
        (["--checkpoint=tiny", "--config.model.trained=swiglu"], ["model.trained"]),
        (
            ["--checkpoint=tiny", "--text=lines.txt", "--labels=lines.txt"],
            ["give one"],
        ),
        (
            ["--checkpoint=tiny", "--config.batch_size=600"],
            ["batch_size=600: must be at most"],
        ),
        (
            ["--checkpoint=tiny", "--config.task.name=moons"],
            ["task.name=moons: must be recovery for surgery"],
        ),
        (
            ["--checkpoint=tiny", "--layers=each", "--config.task.loss=language"],
            ["task.loss=language: one layer at a time is measured without training"],
        ),
        (
            ["--checkpoint=tiny", "--config.task.loss=labels"],
            ["task.loss=labels: needs a file of labels"],
        ),
        (["--checkpoint=tiny", "--workdir=."], ["--workdir=.", "is not empty"]),
    ],
)
def test_a_refusal_is_one_line_and_leaves_nothing(argv, words, capsys):
    assert main(["surgery", *argv]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    for word in words:
        assert word in err
    assert not Path("runs").exists()


def test_data_that_cannot_be_used_is_refused_with_3(capsys):
    for name, kind in (("geglu", "gated"), ("prelu", "parametric")):
        assert main(["surgery", "--checkpoint=tiny", f"--activations={name}"]) == 3
        assert f"{name}: is {kind}" in capsys.readouterr().err
    assert main(["surgery", "--checkpoint=nowhere"]) == 3
    assert "nowhere: no such folder" in capsys.readouterr().err
    assert main(["surgery", "--checkpoint=tiny", "--text=line.txt"]) == 3
    assert "lines.txt?" in capsys.readouterr().err
    assert main(["surgery", "--checkpoint=tiny", "--text=lines.txt"]) == 3
    assert "12 different sentences are too few to tune" in capsys.readouterr().err
    Path("short.txt").write_text("One.\nTwo.\n")
    assert main(["surgery", "--checkpoint=tiny", "--text=short.txt"]) == 3
    assert "short.txt: has 2 different sentences" in capsys.readouterr().err
    Path("tiny/model.safetensors").rename("tiny/pytorch_model.bin")
    assert main(["surgery", "--checkpoint=tiny"]) == 3
    err = capsys.readouterr().err
    assert "tiny/pytorch_model.bin: is not read" in err
    assert err.count("\n") == 1
    assert not Path("runs").exists()


def test_an_own_function_is_swapped_in_and_one_that_fails_leaves_no_folder(capsys):
    own = "import jax.numpy as jnp\n\n\ndef {}(x):\n    return {}\n"
    Path("mine.py").write_text(own.format("soft", "jnp.tanh(x) * x"))
    # Finite at the points at which a function of one's own is tried, every half.
    halves = "jnp.where(2 * x == jnp.round(2 * x), x, jnp.nan)"
    Path("other.py").write_text(own.format("halves", halves))
    argv = ["surgery", "--checkpoint=tiny", "--text=lines.txt", UNTUNED]
    assert main([*argv, "--activations=other.py:halves"]) == 2
    assert (
        "--activations=other.halves: the model's numbers are not"
        in capsys.readouterr().err
    )
    assert not list(Path("runs").glob("*"))
    assert main([*argv, "--activations=mine.py:soft"]) == 0
    assert list(summary("runs/surgery-1")["arms"]) == ["gelu", "mine.soft"]


def test_flags_are_refused_before_jax_is_imported():
    code = (
        "import sys\n"
        "from research.cli import main\n"
        "code = main(['surgery', '--checkpoint=tests', '--activations=relu,gleu'])\n"
        "sys.exit('imported' if 'jax' in sys.modules or code != 2 else 0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
