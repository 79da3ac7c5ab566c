"""The flags of analyse and check_table, read and checked."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from research.config import AnalysisConfig
from research.config_values import convert, fields_of
from research.errors import ConfigError
from research.settings import near, shown

CONFIDENCE = AnalysisConfig().confidence
_FIELDS = {field.path: field for field in fields_of(AnalysisConfig)}
_ON = {"true": True, "false": False}


@dataclass(frozen=True, kw_only=True)
class Analysis:
    """What is to be judged, and how.

    kind: "scores" and "table" have one source, a CSV file; "suite" has run folders.
    reference: None means the first arm or row. margin: None means that none was given,
    confidence None that of the first run of a suite.
    """

    kind: str
    sources: tuple[Path, ...]
    reference: str | None
    margin: float | None
    confidence: float | None
    higher_is_better: bool

    @property
    def stem(self) -> str:
        """After what the folder of the analysis is called."""
        return "suite" if self.kind == "suite" else self.sources[0].stem


def read_analysis(command: str, given: Mapping[str, str]) -> Analysis:
    """Reads the flags of a command.

    Raises:
      ConfigError: a value that cannot be used, a source that is not there, or flags
        that do not go together.
    """
    foreign = [flag for flag in ("margin", "lower_is_better") if flag in given]
    if "workdirs" in given and foreign:
        raise ConfigError(
            f"--{foreign[0]}: does not go with --workdirs; each run knows its own"
        )
    kind, sources = _sources(command, given)
    reference = given.get("reference")
    if reference is not None and not reference.strip():
        raise ConfigError("--reference='': must be the name of an arm")
    default = None if kind == "suite" else CONFIDENCE
    return Analysis(
        kind=kind,
        sources=sources,
        reference=None if reference is None else reference.strip(),
        margin=_number("margin", given, None),
        confidence=_number("confidence", given, default),
        higher_is_better=not _switch("lower_is_better", given),
    )


def _sources(command: str, given: Mapping[str, str]) -> tuple[str, tuple[Path, ...]]:
    if command == "check_table":
        if "table" not in given:
            raise ConfigError(
                "check_table: needs --table=FILE.csv with the columns name,mean,std,n"
            )
        return "table", (read_file("table", given["table"]),)
    named = [flag for flag in ("scores", "workdirs") if flag in given]
    if len(named) != 1:
        raise ConfigError(
            "analyse: needs --scores=FILE.csv or --workdirs=DIR,DIR,…"
            f"{', one of the two' if named else ''}"
        )
    if named == ["scores"]:
        return "scores", (read_file("scores", given["scores"]),)
    words = given["workdirs"].split(",")
    return "suite", tuple(_folders([read_path("workdirs", word) for word in words]))


def read_file(flag: str, text: str) -> Path:
    """Reads the path of a file that can be read.

    Raises:
      ConfigError: it is not there, or cannot be read.
    """
    path = read_path(flag, text)
    try:
        with path.open("rb"):
            return path
    except FileNotFoundError:
        beside = path.parent.glob("*")
        found = sorted(each.name for each in beside if each.suffix == path.suffix)
        raise ConfigError(
            f"--{flag}={path}: no such file{near(path.name, found)}"
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConfigError(f"--{flag}={path}: cannot be read, {reason}") from None


def _folders(paths: list[Path]) -> list[Path]:
    for place, path in enumerate(paths):
        if not path.is_dir():
            raise ConfigError(f"--workdirs={path}: no such folder")
        if not (path / "results/summary.json").is_file():
            raise ConfigError(
                f"--workdirs={path}: holds no finished run (no results/summary.json)"
            )
        if path.resolve() in [other.resolve() for other in paths[:place]]:
            raise ConfigError(f"--workdirs={path}: is named twice")
    return paths


def read_path(flag: str, text: str) -> Path:
    """Reads a path; a leading ~ is the home folder, as shells leave it after `=`.

    Raises:
      ConfigError: it is empty, names no home, or is no name that the system takes.
    """
    if not text.strip() or "\0" in text:
        raise ConfigError(f"--{flag}={shown(text)}: must be a path")
    try:
        path = Path(text).expanduser()
        path.exists()
    except RuntimeError as error:
        raise ConfigError(f"--{flag}={shown(text)}: {error}") from None
    except OSError as error:
        raise ConfigError(f"--{flag}={shown(text)}: {error.strerror}") from None
    return path


def _number(flag: str, given: Mapping[str, str], default: float | None) -> float | None:
    """Reads a number within the limits of the config's field of the same name."""
    if flag not in given:
        return default
    field = _FIELDS[flag]
    try:
        return convert(field, float(given[flag]))
    except ConfigError as error:
        raise ConfigError(f"--{error}") from None
    except ValueError:
        raise ConfigError(
            f"--{flag}={shown(given[flag])}: must be {field.check.allowed}"
        ) from None


def _switch(flag: str, given: Mapping[str, str]) -> bool:
    text = given.get(flag, "false")
    if text.lower() not in _ON:
        raise ConfigError(
            f"--{flag}={shown(text)}: must be true or false, or left alone"
        )
    return _ON[text.lower()]
