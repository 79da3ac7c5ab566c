"""What a stranger's file may do: be read, and shown as text; nothing else."""

import ast
import json
import os
import shutil
import stat
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from fault_runs import ROOT, WORDS, launch, one_line, results, train

from research.cli import main
from research.errors import ConfigError, DataError
from research.records.folder import read_arrays, read_mapping
from research.reporting.figures import Drawn
from research.training.cache import use_cache

SOURCES = sorted(
    path
    for part in ("research", "configs", "benchmarks")
    for path in (ROOT / part).rglob("*.py")
)
SOURCES.append(ROOT / "launch.py")
FORBIDDEN_NAMES = {"eval", "exec", "compile", "__import__"}
FORBIDDEN_MODULES = {
    "pickle",
    "marshal",
    "dill",
    "cloudpickle",
    "joblib",
    "shelve",
    "yaml",
}


def calls(tree: ast.AST) -> list[ast.Call]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call)]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_nothing_is_unpickled_and_no_text_is_run(path: Path):
    tree = ast.parse(path.read_text())
    for call in calls(tree):
        name = ast.unparse(call.func)
        assert name not in FORBIDDEN_NAMES, name
        given = {each.arg: ast.unparse(each.value) for each in call.keywords}
        assert given.get("shell", "False") == "False", name
        assert given.get("allow_pickle", "False") == "False", name
        if name in ("np.load", "numpy.load", "jnp.load"):
            assert given.get("allow_pickle") == "False", "np.load says so itself"
        assert name not in ("os.system", "os.popen", "torch.load"), name
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            module = node.module if isinstance(node, ast.ImportFrom) else None
            names = [module or "", *(alias.name for alias in node.names)]
            assert not {each.split(".")[0] for each in names} & FORBIDDEN_MODULES


def test_an_array_of_objects_is_not_unpickled(tmp_path):
    class Trap:
        def __reduce__(self):
            return (Path.touch, (tmp_path / "sprung",))

    np.savez(tmp_path / "trap.npz", x=np.array([Trap()], dtype=object))
    with pytest.raises(DataError, match="is damaged"):
        read_arrays(tmp_path / "trap.npz")
    assert not (tmp_path / "sprung").exists()


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    root = tmp_path_factory.mktemp("whole") / "run"
    train(root)
    return root


@pytest.fixture
def hostile(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the run, to be made hostile; its figures are not drawn."""
    monkeypatch.setattr("research.reporting.report.draw_all", lambda root: Drawn())
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copytree(whole, tmp_path / "run"))


LINKED = (
    "results",
    "figures",
    "checkpoints",
    "checkpoints/finished/relu",
    "tensorboard",
    "results/summary.json",
    "results/per_seed.csv",
    "config.json",
    "log.txt",
    "report.html",
    ".lock",
)


@pytest.mark.parametrize("name", LINKED)
@pytest.mark.parametrize("relative", [False, True])
def test_a_link_that_leads_out_is_refused_by_every_command(
    name, relative, hostile, tmp_path, capsys
):
    (hostile / "figures").mkdir(exist_ok=True)
    outside = tmp_path / "outside"
    place = hostile / name
    if place.exists():
        shutil.move(place, outside)
    else:
        outside.write_text("mine")
    target = os.path.relpath(outside, place.parent) if relative else outside
    place.symlink_to(target)
    before = snapshot(outside)
    commands = [
        ["report", "--workdir=run"],
        ["analyse", "--workdirs=run"],
        ["plan", *WORDS, "--pilot=run"],
        [*WORDS, "--workdir=run"],
        ["analyse", f"--scores={scores(tmp_path)}", "--workdir=run"],
        ["profile", "--activations=relu", "--workdir=run"],
    ]
    for argv in commands:
        assert main(argv) == 3, argv
        line = one_line(capsys.readouterr().err)
        assert f"{name}: is a link that leads out of the run folder" in line
    with pytest.raises(DataError, match="leads out"):
        train(hostile)
    assert snapshot(outside) == before


def scores(folder: Path) -> Path:
    path = folder / "scores.csv"
    path.write_text("arm,score\na,1\na,2\nb,3\nb,4\n")
    return path


def snapshot(path: Path) -> dict[str, bytes]:
    """Returns the bytes of a file, or of all files of a folder."""
    files = [path] if path.is_file() else sorted(path.rglob("*"))
    return {str(each): each.read_bytes() for each in files if each.is_file()}


def test_links_inside_and_a_linked_workdir_are_fine(hostile, tmp_path, capsys):
    (hostile / "figures").mkdir(exist_ok=True)
    (hostile / "latest.json").symlink_to("results/summary.json")
    (tmp_path / "elsewhere").symlink_to(hostile)
    assert main(["report", f"--workdir={tmp_path / 'elsewhere'}"]) == 0
    assert "gelu" in capsys.readouterr().out


EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>/../../../escaped"


class Markup(HTMLParser):
    """Collects the tags of a page and their attributes' names."""

    def __init__(self):
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}


def markup(page: str) -> Markup:
    found = Markup()
    found.feed(page)
    return found


def test_names_are_text_in_every_report(hostile, tmp_path, capsys):
    plain = markup((hostile / "report.html").read_text())
    for name in ("results/summary.json", "config.json", "manifest.json"):
        told = json.loads((hostile / name).read_text())
        (hostile / name).write_text(json.dumps(renamed(told)))
    before = {path.name for path in tmp_path.iterdir()}
    assert main(["report", "--workdir=run"]) == 0
    capsys.readouterr()
    page = (hostile / "report.html").read_text()
    assert "alert(1)" in page
    found = markup(page)
    assert found.tags <= plain.tags | {"aside", "wbr"}
    assert not {a for a in found.attributes if a.startswith("on")}
    text = (hostile / "report.md").read_text()
    assert "alert" in text
    assert "<script" not in text.replace("\\<script", "")
    assert {path.name for path in tmp_path.iterdir()} == before
    assert not list(tmp_path.parent.glob("escaped*"))


def renamed(tree):
    """Returns JSON in which every gelu has a hostile name, and the task one as well."""
    text = json.dumps(tree).replace("gelu", json.dumps(EVIL)[1:-1])
    return json.loads(text.replace("moons", "<b>moons</b>"))


def test_figures_of_hostile_names_stay_in_the_folder(whole, tmp_path, capsys):
    root = Path(shutil.copytree(whole, tmp_path / "deep/er/run"))
    told = json.loads((root / "results/summary.json").read_text())
    (root / "results/summary.json").write_text(json.dumps(renamed(told)))
    main(["report", f"--workdir={root}"])
    capsys.readouterr()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["deep"]
    assert [
        path.name for path in (root / "figures").iterdir() if "script" in path.name
    ] == []


def test_a_folder_s_own_code_is_never_run(hostile, tmp_path, capsys, monkeypatch):
    """A config.json may name any file: only a command line has code run."""
    (tmp_path / "evil.py").write_text(
        f"open({str(tmp_path / 'sprung')!r}, 'w')\ndef f(x): return x\n"
    )
    for words in ("evil.py:f", f"{tmp_path / 'evil.py'}:f"):
        config = json.loads((hostile / "config.json").read_text())
        config["activations"], config["model"] = ["relu", words], {"name": words}
        config["task"]["data_seed"] = 3
        (hostile / "config.json").write_text(json.dumps(config))
        monkeypatch.setattr("research.experiment.planning.plan", _unplanned)
        for argv in (
            ["report", "--workdir=run"],
            ["analyse", "--workdirs=run"],
            ["plan", *WORDS, "--pilot=run"],
            [*WORDS, "--workdir=run"],
        ):
            code = main(argv)
            assert code in (0, 2, 3), argv
            assert "Traceback" not in capsys.readouterr().err
    assert not (tmp_path / "sprung").exists()


def _unplanned(config, known):
    raise ConfigError("nothing is planned")


@pytest.mark.parametrize("text", ["\\u001b[2J", "\\u009b2J", "\\u0007", "\x7f"])
def test_what_steers_a_terminal_is_refused(text, tmp_path):
    path = tmp_path / "summary.json"
    path.write_text(f'{{"task": "a{text}"}}')
    with pytest.raises(DataError, match="control characters"):
        read_mapping(path)


def test_plain_text_of_any_language_is_read(tmp_path):
    path = tmp_path / "summary.json"
    path.write_text(json.dumps({"task": "é·Φ ä日本\n\t"}))
    assert read_mapping(path)["task"] == "é·Φ ä日本\n\t"


CACHED = """
import sys
import jax, jax.monitoring
from research.training.cache import use_cache
counted = []
jax.monitoring.register_event_listener(lambda name, **kwargs: counted.append(name))
jax.jit(lambda x: x - 1).lower(1.0).compile()
use_cache(sys.argv[1])
jax.jit(lambda x: x * 2 + 1).lower(1.0).compile()
print(*(counted.count(f"/jax/compilation_cache/cache_{what}") for what in ("hits", "misses")))
"""


def cached(folder: Path) -> list[str]:
    """Compiles in a new process; returns how many programs were found, and not."""
    environment = {k: v for k, v in os.environ.items() if "CACHE" not in k}
    return subprocess.run(
        [sys.executable, "-c", CACHED, str(folder)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    ).stdout.split()


def test_a_second_process_finds_what_the_first_compiled(tmp_path):
    folder = tmp_path / "a/cache"
    assert cached(folder) == ["0", "1"]
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert cached(folder) == ["1", "0"]


@pytest.mark.slow
def test_a_second_run_compiles_nothing(tmp_path):
    words = [*WORDS, "--config.compute.cache=cache"]
    kept = []
    for name in ("one", "two"):
        done = launch(*words, f"--workdir={name}", cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        kept.append(sorted(p.name for p in (tmp_path / "cache").glob("*-cache")))
    assert kept[0] == kept[1] != []
    assert results(tmp_path / "one") == results(tmp_path / "two")


@pytest.mark.parametrize("mode", [0o770, 0o702, 0o777])
def test_a_cache_that_others_may_write_to_is_refused(mode, tmp_path):
    folder = tmp_path / "cache"
    folder.mkdir()
    folder.chmod(mode)
    with pytest.raises(ConfigError, match="nobody else may write"):
        use_cache(str(folder))


def test_a_cache_of_somebody_else_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "getuid", lambda: tmp_path.stat().st_uid + 1)
    with pytest.raises(ConfigError, match="must be your own folder"):
        use_cache(str(tmp_path))


def test_a_cache_that_is_no_folder_is_refused(tmp_path):
    (tmp_path / "file").touch()
    for name in ("file", "file/below"):
        with pytest.raises(ConfigError, match="must be a folder, "):
            use_cache(str(tmp_path / name))


def test_there_is_no_cache_unless_one_is_asked_for(tmp_path, monkeypatch):
    import jax

    before = jax.config.values["jax_compilation_cache_dir"]
    monkeypatch.setenv("HOME", str(tmp_path))
    use_cache(None)
    assert jax.config.values["jax_compilation_cache_dir"] == before
    assert list(tmp_path.iterdir()) == []
