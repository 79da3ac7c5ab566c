"""The command that profiles activations. The heavy imports stand inside."""

import shlex
from pathlib import Path

from research.activations.names import distinct
from research.cli.workdir import prepare_profile
from research.config_values import split_words
from research.errors import ConfigError
from research.settings import shown

DEFAULT = "relu,gelu"


def read_activations(text: str) -> tuple[str, ...]:
    """Returns the canonical names that `--activations` lists.

    Raises:
      ConfigError: nothing there, an unknown name, or two names of one function.
    """
    words = split_words(text)
    if not all(words):
        raise ConfigError(
            f"--activations={shown(text)}: must be names, with commas between them"
        )
    return distinct(words)


def profile(names: tuple[str, ...], workdir: Path | None, command: str) -> None:
    """Measures activations on their own; writes and shows what was found.

    Raises:
      ConfigError: a folder that cannot be used, or a user's function that cannot.
    """
    from research.activations.catalog import lookup
    from research.cli.terminal import Terminal
    from research.probes.curves import result_types
    from research.probes.profile import profile as measure
    from research.probes.profile import steps
    from research.records.folder import write_json
    from research.records.manifest import processor
    from research.reporting.figure_profile import profile_figures
    from research.reporting.figures import draw_each
    from research.reporting.profile_tables import print_profile
    from research.reporting.step_progress import step_progress

    # A user's own is imported and tried first, so that a refusal leaves no folder.
    records = tuple(lookup(name) for name in names)
    for record in records:
        result_types(record)
    folder = prepare_profile(workdir, [record.slug for record in records])
    console = Terminal()
    with step_progress(console, steps(records)) as tell:
        found = measure(records, tell=tell)
    line = f"{command} {shlex.quote(f'--workdir={folder}')}"
    told = {**found.told, "processor": processor(), "command": line}
    write_json(folder / "profile.json", told)
    drawn = draw_each(folder, profile_figures(told, found.drawn))
    print_profile(told, console, workdir=folder)
    for problem in drawn.problems:
        console.print(f"Warning: {problem}", style="yellow", markup=False)
