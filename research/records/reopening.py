"""Going on in a run folder: what its config may differ in, and what it may not."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from research.config import ExperimentConfig
from research.config_values import flat, from_mapping, to_mapping
from research.errors import ConfigError, DataError
from research.records.folder import RunFolder, is_unfinished, read_mapping
from research.records.hosts import NAME as HOSTS
from research.records.ledger import read_ledger
from research.records.lock import NAME as LOCK
from research.records.sources import SOFTWARE
from research.settings import shown

# What changes no lane that is trained already; `seeds` may grow.
FREE = ("compute.devices", "compute.cache", "tensorboard.", "checkpoint.", "analysis.")
# Of these, what changes the verdict of a finished run.
JUDGED = ("seeds", "analysis.")

# What the ledger has of the machine that lanes were trained on.
DEVICES, VERSIONS = "devices", "versions."
TRAINERS = ("jax", "jaxlib", "flax", "optax", "numpy")

Canonical = Callable[[ExperimentConfig], ExperimentConfig]


@dataclass(frozen=True)
class Change:
    """A field of the config that is not as the folder has it."""

    field: str
    there: Any
    now: Any

    def __str__(self) -> str:
        return f"{self.field} ({shown(self.there)} there, {shown(self.now)} now)"


def recorded_config(root: Path) -> ExperimentConfig | None:
    """Returns the config of the run in a folder; None where it holds none.

    Raises:
      DataError: config.json cannot be read.
    """
    path = RunFolder(root).config
    if not path.is_file():
        return None
    try:
        return from_mapping(read_mapping(path))
    except ConfigError as error:
        raise DataError(f"{path}: {error}") from None


def changes(
    there: ExperimentConfig, now: ExperimentConfig, canonical: Canonical
) -> tuple[Change, ...]:
    """Returns what differs between a folder's config and another.

    Args:
      canonical: gives arms their canonical names, so that an alias makes no difference.
    """
    before, after = (flat(to_mapping(canonical(each))) for each in (there, now))
    return tuple(
        Change(field, before.get(field), value)
        for field, value in after.items()
        if before.get(field) != value
    )


def lasting_fields(config: ExperimentConfig, canonical: Canonical) -> dict[str, Any]:
    """Returns the fields of a config that no run which goes on may change."""
    fields = flat(to_mapping(canonical(config)))
    return {
        field: value
        for field, value in fields.items()
        if field != "seeds" and not field.startswith(FREE)
    }


def check_changes(root: Path, found: tuple[Change, ...]) -> None:
    """Passes what may differ when a run goes on in its folder.

    Raises:
      ConfigError: anything else differs; all that does is named.
    """
    refused = [change for change in found if not _is_free(change)]
    if refused:
        differ = ", ".join(map(str, refused))
        fewer = "seeds may only grow, " if refused[0].field == "seeds" else ""
        raise ConfigError(
            f"workdir={root}: holds a run of another config, which differs in {differ}; "
            f"{fewer}name a new folder"
        )


def _is_free(change: Change) -> bool:
    if change.field == "seeds":
        return change.now > change.there
    return change.field.startswith(FREE)


def holds_something(root: Path) -> bool:
    """Tells whether a folder holds more than a lock and files that were not finished."""
    return any(
        each.name not in (LOCK, HOSTS) and not is_unfinished(each)
        for each in root.iterdir()
    )


def check_empty(root: Path) -> None:
    """Passes a folder that holds nothing but a lock, and what a kill left unfinished.

    Raises:
      ConfigError: it holds something else than a run.
    """
    if holds_something(root):
        raise ConfigError(
            f"workdir={root}: is not empty and holds no run; name a new folder"
        )


def check_sources(folder: RunFolder, now: Mapping[str, Any]) -> None:
    """Passes a folder whose lanes were trained on the same data by the same code.

    Args:
      now: the manifest of the run that goes on.

    Raises:
      DataError: the manifest cannot be read, or data or code differ from what it has.
    """
    if not folder.manifest.is_file():
        return
    there = read_mapping(folder.manifest)
    for part in ("data_sha256", "source_sha256"):
        before = there.get(part, {})
        if not isinstance(before, dict):
            raise DataError(
                f"{folder.manifest}: is damaged, its {part} is {shown(before)}"
            )
        for name in differing(before, now[part]):
            commits = [shown(told.get("git_commit")) for told in (there, now)]
            which = (
                f"sha256 {str(before[name])[:12]}… there, {now[part][name][:12]}… now"
            )
            if name == SOFTWARE:
                which = "commit {} there, {} now".format(*commits)
            raise DataError(
                f"workdir={folder.root}: {name} is not what its lanes were trained "
                f"with ({which}); name a new folder"
            )


def differing(there: Mapping[str, Any], now: Mapping[str, str]) -> list[str]:
    """Returns the names of hashes that are not as they were; what is new is none."""
    return [name for name, digest in now.items() if there.get(name, digest) != digest]


def machine_changes(folder: RunFolder, now: Mapping[str, Any]) -> tuple[Change, ...]:
    """Returns in what lanes are trained otherwise than those before, but for rounding.

    Args:
      now: the manifest of the run that goes on.

    Raises:
      DataError: the manifest or the ledger cannot be read.
    """
    if not folder.manifest.is_file():
        return ()
    before = _machine(read_mapping(folder.manifest))
    for change in read_ledger(folder.ledger)["changes"]:
        if change["field"] in before:
            before[change["field"]] = change["to"]
    return tuple(
        Change(field, before[field], value)
        for field, value in _machine(now).items()
        if before.get(field, value) != value
    )


def _machine(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what a manifest says of devices and of the packages that train."""
    plan, versions = manifest.get("plan"), manifest.get("versions")
    told = {DEVICES: plan.get("devices")} if isinstance(plan, dict) else {}
    if isinstance(versions, dict):
        told |= {f"{VERSIONS}{name}": versions.get(name) for name in TRAINERS}
    return told


def changes_verdict(found: tuple[Change, ...]) -> bool:
    """Tells whether a finished run has to be judged anew."""
    return any(change.field.startswith(JUDGED) for change in found)
