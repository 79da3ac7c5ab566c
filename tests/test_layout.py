"""The layout: which part may import which, how long things are, what stays light."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = sorted((ROOT / "research").rglob("*.py"))

LEAVES = {
    "config",
    "config_values",
    "errors",
    "model_configs",
    "own_code",
    "prng",
    "settings",
    "stopping",
    "task_configs",
}
EXPERIMENT = {
    "training",
    "tasks",
    "models",
    "activations",
    "probes",
    "statistics",
    "reporting",
    "records",
}
# Who may import whom, beside the leaves, which everyone may. "research" is the package
# itself, which offers the experiment to a notebook.
GRAPH: dict[str, set[str]] = {
    "research": {"experiment"},
    "cli": {
        "experiment",
        "surgery",
        "probes",
        "reporting",
        "statistics",
        "records",
        "activations",
    },
    "surgery": {"experiment", *EXPERIMENT},
    "experiment": EXPERIMENT,
    "training": {"models", "tasks", "records"},
    "models": {"activations"},
    "probes": {"activations"},
    "reporting": {"statistics", "records"},
    "statistics": set(),
    "records": set(),
    "activations": set(),
    "tasks": set(),
    **{leaf: set() for leaf in LEAVES},
}
LIGHT = (
    "config_values",
    "errors",
    "own_code",
    "activations.names",
    "records.events",
    "records.folder",
    "records.ledger",
    "records.manifest",
    "statistics",
    "cli",
    "reporting",
)


def part_of(path: Path) -> str:
    """Returns the part of research that a file belongs to."""
    first = path.relative_to(ROOT / "research").parts[0].removesuffix(".py")
    return "research" if first == "__init__" else first


def module_of(path: Path) -> str:
    """Returns the dotted name of a file."""
    words = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(words[:-1] if words[-1] == "__init__" else words)


def imported(tree: ast.AST) -> Iterator[str]:
    """Yields every dotted name that a file imports, wherever in it, or names as text."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "a relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif (
            # What importlib.import_module could be given.
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and re.fullmatch(r"research(\.\w+)+", node.value)
        ):
            yield node.value


def parts_imported(source: str) -> set[str]:
    """Returns the parts of research that a file's text imports."""
    names = imported(ast.parse(source))
    return {name.split(".")[1] for name in names if name.startswith("research.")}


def run(program: str) -> str:
    """Returns what a program prints in a fresh interpreter."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("path", FILES, ids=module_of)
def test_imports_follow_the_graph(path: Path):
    part = part_of(path)
    assert part in GRAPH, f"{part} is not in the graph"
    foreign = parts_imported(path.read_text()) - {part} - LEAVES - GRAPH[part]
    assert not foreign, f"{part} must not import {foreign}"


@pytest.mark.parametrize(
    "source",
    [
        "import research.training",
        "from research import training",
        "from research.training.run import train_arm",
        "def f():\n    from research.training import run",
        "import importlib\nimportlib.import_module('research.training.run')",
        "if TYPE_CHECKING:\n    import research.training.run as run",
    ],
)
def test_no_form_of_import_is_overlooked(source: str):
    assert parts_imported(source) == {"training"}


def test_the_graph_has_no_cycle():
    seen: set[str] = set()
    while left := {part for part in GRAPH if part not in seen}:
        ready = {part for part in left if GRAPH[part] & GRAPH.keys() <= seen}
        assert ready, f"a cycle among {left}"
        seen |= ready


def test_tasks_and_models_do_not_know_each_other():
    for one, other in (("tasks", "models"), ("models", "tasks")):
        for path in (ROOT / "research" / one).rglob("*.py"):
            assert other not in parts_imported(path.read_text()), path


def test_the_launcher_and_the_configs_import_one_part_each():
    assert parts_imported((ROOT / "launch.py").read_text()) == {"cli"}
    for path in (ROOT / "configs").glob("*.py"):
        assert parts_imported(path.read_text()) == {"config_values"}, path


def test_every_module_imports_alone():
    # Research is forgotten between modules, so each is the first of it to be imported;
    # the libraries stay, or this would take minutes.
    names = [module_of(path) for path in FILES]
    assert len(names) > 60
    run(
        "import importlib, sys\n"
        f"for name in {names!r}:\n"
        "    for old in [m for m in sys.modules if m.split('.')[0] == 'research']:\n"
        "        del sys.modules[old]\n"
        "    importlib.import_module(name)\n"
    )


def test_light_modules_leave_jax_out():
    found = run(
        "import importlib, sys\n"
        f"for name in {LIGHT!r}:\n"
        "    importlib.import_module('research.' + name)\n"
        "    for heavy in {'jax', 'flax', 'optax', 'matplotlib'} & set(sys.modules):\n"
        "        print(name, 'imports', heavy)\n"
    )
    assert found == ""


@pytest.mark.parametrize("module", ["orbax.checkpoint", "matplotlib", "tensorboardX"])
def test_no_start_waits_for_what_is_needed_later(module):
    program = f"import research.experiment, sys; print({module!r} in sys.modules)"
    assert run(program) == "False"


@pytest.mark.parametrize("path", FILES, ids=module_of)
def test_files_and_functions_are_short(path: Path):
    source = path.read_text()
    assert len(source.splitlines()) <= 350
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            assert node.end_lineno is not None
            assert node.end_lineno - node.lineno < 80, node.name


@pytest.mark.parametrize("path", FILES, ids=module_of)
def test_text_is_never_run_as_code(path: Path):
    tree = ast.parse(path.read_text())
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    named = {call.func.id for call in calls if isinstance(call.func, ast.Name)}
    assert not named & {"eval", "exec", "compile"}
    modules = {name.split(".")[0] for name in imported(tree)}
    assert not modules & {"pickle", "marshal", "dill", "cloudpickle"}
    for keyword in (keyword for call in calls for keyword in call.keywords):
        if keyword.arg == "allow_pickle":
            assert isinstance(keyword.value, ast.Constant)
            assert keyword.value.value is False


@pytest.mark.parametrize("path", FILES, ids=module_of)
def test_keys_are_made_in_one_place(path: Path):
    made = re.findall(
        r"random\.(?:key|PRNGKey|split|fold_in|clone)\b", path.read_text()
    )
    assert not made or path.name == "prng.py"
