"""Splits a command line into a command and its flags, and refuses what is neither."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from research.cli.fields import nearest_field
from research.errors import ConfigError
from research.settings import near, shown

HELP_WORDS = ("--help", "-help", "-h")
_FLAG = re.compile(r"--?(?P<name>[^-=\s][^=]*)(?P<equals>=?)(?P<text>.*)", re.DOTALL)


@dataclass(frozen=True)
class Command:
    """A command, the flags that it takes, and what the help says of it."""

    flags: tuple[str, ...]
    text: str


COMMANDS = {
    "compare": Command(
        ("config", "workdir", "coordinator", "process_id", "process_count"),
        "train every arm over all seeds, say what the evidence supports (default)",
    ),
    "report": Command(
        ("workdir",), "draw a finished run's report and verdict again; trains nothing"
    ),
    "plan": Command(
        ("config", "workdir", "pilot", "sd", "power"),
        "say what seeds can show, memory and time before a run; trains nothing",
    ),
    "analyse": Command(
        (
            "scores",
            "workdirs",
            "reference",
            "margin",
            "confidence",
            "lower_is_better",
            "workdir",
        ),
        "judge anybody's scores from a CSV file, or finished runs as one suite",
    ),
    "check_table": Command(
        ("table", "reference", "confidence", "lower_is_better", "workdir"),
        "recompute the claims of a published table of means",
    ),
    "profile": Command(
        ("activations", "workdir"),
        "measure activations on their own: shape, moments, accuracy, cost",
    ),
    "surgery": Command(
        (
            "checkpoint",
            "activations",
            "layers",
            "text",
            "labels",
            "config",
            "workdir",
        ),
        "swap a checkpoint's activation, measure the damage and what tuning mends",
    ),
    "help": Command((), "show this text"),
}
ALIASES = {"analyze": "analyse"}
# Flags that may stand alone, which then means true.
SWITCHES = ("lower_is_better",)


FLAGS = tuple(dict.fromkeys(flag for each in COMMANDS.values() for flag in each.flags))


@dataclass(frozen=True)
class Arguments:
    """A command and its flags: name without dashes to text, in the order given."""

    command: str
    flags: dict[str, str]


def split(argv: Sequence[str]) -> Arguments:
    """Splits the words after the program's name; every flag takes a value.

    `--flag=value` and `--flag value` mean the same, and so do hyphens and underscores
    in names. A switch stands alone, or with `=true` or `=false`. A flag given twice is
    refused: which of the two was meant is not known.

    Raises:
      ConfigError: an unknown command or flag, one foreign to the command, one without a
        value or given twice, or a word that belongs to no flag.
    """
    if any(word in HELP_WORDS for word in argv):
        return Arguments("help", {})
    words = list(argv)
    named = bool(words) and not words[0].startswith("-")
    command = _command(words.pop(0)) if named else "compare"
    flags: dict[str, str] = {}
    for name, text in _flags(command, words):
        if name in flags:
            raise ConfigError(
                f"--{name}={shown(text)}: is given twice, the first time as "
                f"{shown(flags[name])}; give it once"
            )
        flags[name] = text
    return Arguments(command, flags)


def _command(word: str) -> str:
    name = word.replace("-", "_")
    name = ALIASES.get(name, name)
    if name not in COMMANDS:
        raise ConfigError(
            f"{shown(word)}: no such command; there are {', '.join(COMMANDS)}"
            f"{near(name, COMMANDS)}"
        )
    return name


def _flags(command: str, words: Sequence[str]) -> Iterator[tuple[str, str]]:
    rest = list(words)
    while rest:
        word = rest.pop(0)
        match = _FLAG.fullmatch(word)
        if match is None:
            raise _stray(word)
        name, text = match["name"].replace("-", "_"), match["text"]
        _check_flag(command, name)
        if not match["equals"] and name in SWITCHES:
            text = "true"
        elif not match["equals"]:
            if not rest or rest[0].startswith("--"):
                raise ConfigError(f"--{name}: needs a value; write --{name}=VALUE")
            text = rest.pop(0)
        yield name, text


def _check_flag(command: str, name: str) -> None:
    flag, _, field = name.partition(".")
    if flag not in FLAGS or (field and flag != "config"):
        hint = _hint(command, name)
        raise ConfigError(f"--{shown(name)[1:-1]}: no such flag; {hint}")
    taken = COMMANDS[command].flags
    if flag not in taken:
        allowed = " and ".join(f"--{flag}" for flag in taken) or "none"
        path = nearest_field(name) if "config" in taken else ""
        meant = f"; did you mean --config.{path}?" if path else ""
        raise ConfigError(
            f"--{name}: does not belong to {command}, which takes {allowed}{meant}"
        )


def _hint(command: str, name: str) -> str:
    """Proposes a field for `--seeds` and `--confg.seeds`, a flag for `--workdri`."""
    head, _, field = name.partition(".")
    taken = COMMANDS[command].flags
    path = nearest_field(field or name) if "config" in taken else ""
    if path and (field or not near(head, taken)):
        return f"did you mean --config.{path}?"
    flags = [f"--{flag}" for flag in (*taken, "help")]
    close = near(f"--{head}", flags).removeprefix("; ")
    fields = " and --config.FIELD" if "config" in taken else ""
    return close or f"there are {', '.join(flags)}{fields}"


def _stray(word: str) -> ConfigError:
    if word in COMMANDS:
        return ConfigError(f"{word}: a command comes before the flags")
    return ConfigError(
        f"{shown(word)}: belongs to no flag; write --flag=value, "
        "and lists with commas and without spaces"
    )
