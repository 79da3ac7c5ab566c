"""The code that lanes are trained with, as hashes: a user's own, and this software's."""

import ast
import hashlib
import importlib.util
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path

from research.own_code import is_own

HERE = Path(__file__).parents[1]
# What an edit of these changes in a lane; reports and statistics are made anew.
TRAINING = ("activations", "experiment", "models", "surgery", "tasks", "training")
SOFTWARE = "this software"
# Code of others, which has versions.
_INSTALLED = tuple(
    Path(sysconfig.get_path(kind)).resolve()
    for kind in ("stdlib", "purelib", "platlib")
)


def source_sha256(words: Iterable[str]) -> dict[str, str]:
    """Returns the hashes of what trains lanes, by names that a person can be told.

    Of a word that names a user's own function it is the file, and the modules of theirs
    that it imports, each by `<module> of <word>`.
    """
    found = {SOFTWARE: _sha256(_training_files())}
    for word in filter(is_own, words):
        place = word.rpartition(":")[0]
        path = _file_of(place)
        if path is None:
            continue
        package = "" if place.endswith(".py") else place
        found[word] = _sha256([path])
        for module, file in sorted(_imports(path, package).items()):
            found[f"{module} of {word}"] = _sha256([file])
    return found


def _training_files() -> list[Path]:
    folders = (HERE / name for name in TRAINING)
    return sorted([HERE / "prng.py", *(p for f in folders for p in f.rglob("*.py"))])


def _sha256(files: Iterable[Path]) -> str:
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in files)).hexdigest()


def _file_of(place: str) -> Path | None:
    if place.endswith(".py"):
        return Path(place).expanduser()
    origin = getattr(importlib.util.find_spec(place), "origin", None)
    return Path(origin) if origin else None


def _imports(path: Path, name: str) -> dict[str, Path]:
    """Returns the loaded modules of the user's own that a file imports, and these import.

    What another module of a package holds is read with the package, as Python does.
    """
    found: dict[str, Path] = {}
    waiting = [(path, name)]
    while waiting:
        for module in _imported(*waiting.pop()):
            file = getattr(sys.modules.get(module), "__file__", None)
            if file is None or module in found or not _is_own(Path(file)):
                continue
            found[module] = Path(file)
            waiting.append((found[module], module))
    return found


def _is_own(file: Path) -> bool:
    place = file.resolve()
    inside = any(map(place.is_relative_to, _INSTALLED))
    return file.suffix == ".py" and not inside and not place.is_relative_to(HERE)


def _imported(path: Path, name: str) -> Iterator[str]:
    """Yields every name that a file's imports may have loaded, with their packages."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _with_packages(alias.name)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: 1 - node.level or None] if node.level else []
            base = ".".join(filter(None, [*above, node.module]))
            yield from _with_packages(base)
            for alias in node.names:
                yield f"{base}.{alias.name}"
    yield from _with_packages(package)


def _with_packages(name: str) -> Iterator[str]:
    parts = name.split(".")
    for count in range(1, len(parts) + 1):
        yield ".".join(parts[:count])
