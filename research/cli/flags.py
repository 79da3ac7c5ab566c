"""From the words of a command line to a checked request, by absl and ml_collections."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from absl import flags
from ml_collections import config_flags

from research.activations.names import arms_of
from research.cli import config_file
from research.cli.analysis import Analysis, read_analysis, read_path
from research.cli.arguments import split
from research.cli.fields import CHOICES, flag_text, read_field
from research.cli.hosts import HOST_FLAGS, read_hosts
from research.cli.plan import PLAN_FLAGS, Planning, read_planning
from research.cli.profile import DEFAULT, read_activations
from research.cli.surgery import as_fields, check_surgery, in_flags
from research.config import ExperimentConfig
from research.config_values import from_mapping, renamed, to_config_dict
from research.errors import ConfigError
from research.records.hosts import Joining


@dataclass(frozen=True, kw_only=True)
class Request:
    """What the command line asks for, with every field checked.

    stem: the name of the config file, after which the run folder is called.
    line: the command as it can be repeated, without its `--workdir`.
    analysis: what analyse and check_table are asked for; config what compare and plan
    and surgery are; planning what plan is beside it; activations what profile is, by
    their canonical names; joining how this process of several finds the others.
    """

    command: str
    config: ExperimentConfig | None
    analysis: Analysis | None
    planning: Planning | None
    activations: tuple[str, ...]
    joining: Joining | None
    workdir: Path | None
    stem: str
    line: str


def read(argv: Sequence[str]) -> Request:
    """Reads the words after the program's name.

    Raises:
      ConfigError: anything that cannot be used; nothing heavy is imported before.
    """
    arguments = split(argv)
    given = dict(arguments.flags)
    workdir = given.pop("workdir", None)
    words = [f"--{name}={text}" for name, text in given.items()]
    operates = arguments.command == "surgery"
    default = config_file.SURGERY if operates else config_file.DEFAULT
    path = read_path("config", given.pop("config", str(default)))
    analysis = None
    if arguments.command in ("analyse", "check_table"):
        analysis = read_analysis(arguments.command, given)
    activations = ()
    if arguments.command == "profile":
        activations = read_activations(given.get("activations", DEFAULT))
    planning = None
    if arguments.command == "plan":
        planning = read_planning(
            {flag: given.pop(flag) for flag in PLAN_FLAGS if flag in given}
        )
    shared = {flag: given.pop(flag) for flag in HOST_FLAGS if flag in given}
    joining = read_hosts(shared, workdir=workdir is not None)
    config = None
    if operates:
        config = _surgery_config(path, given)
    elif arguments.command in ("compare", "plan"):
        config = _config(path, given)
        arms_of(config)
    if joining is not None and config is not None and config.mode == "variance":
        raise ConfigError("mode=variance: is trained by one process; see --coordinator")
    return Request(
        command=arguments.command,
        config=config,
        analysis=analysis,
        planning=planning,
        activations=activations,
        joining=joining,
        workdir=None if workdir is None else read_path("workdir", workdir),
        stem=analysis.stem if analysis else path.stem,
        line=shlex.join(["python", "launch.py", arguments.command, *words]),
    )


def _config(path: Path, given: Mapping[str, str]) -> ExperimentConfig:
    """Reads the config file and lays the overrides over it."""
    texts = {name.removeprefix("config."): text for name, text in given.items()}
    config = config_file.load(path)
    names = {section: getattr(config, section).name for section in CHOICES}
    for section in CHOICES:
        if f"{section}.name" in texts:
            names[section] = read_field(f"{section}.name", texts[f"{section}.name"])
    values = {
        field: read_field(field, text, names=names) for field, text in texts.items()
    }
    return from_mapping(_overridden(renamed(config, names), values))


def _surgery_config(path: Path, given: Mapping[str, str]) -> ExperimentConfig:
    try:
        config = _config(path, as_fields(given))
    except ConfigError as error:
        raise in_flags(error) from None
    check_surgery(config)
    return config


def _overridden(config: ExperimentConfig, values: Mapping[str, Any]) -> dict[str, Any]:
    """Lets absl and ml_collections set the fields, from texts that they cannot misread.

    Emptied fields are set beforehand: no text means None to a flag.
    """
    tree = to_config_dict(config)
    tree.update_from_flattened_dict({k: v for k, v in values.items() if v is None})
    words = [
        f"--config.{path}={flag_text(value)}"
        for path, value in values.items()
        if value is not None
    ]
    argv = ["launch.py", *words]
    holder = flags.FlagValues()
    config_flags.DEFINE_config_dict("config", tree, flag_values=holder, sys_argv=argv)
    holder(argv)
    return holder.config.to_dict()
