"""The hashes of a finished run's files: what was edited since is no longer its word."""

from research.errors import DataError
from research.records.folder import RunFolder, read_mapping, write_json
from research.records.lane_files import has_lanes
from research.records.manifest import file_sha256


def write_sums(folder: RunFolder) -> None:
    """Writes the hash of config.json and of each file under results/, once all are.

    The ledger is left out: it is added to in a run that goes on.
    """
    results = [path for path in folder.summary.parent.iterdir() if path.is_file()]
    files = {folder.config, *results} - {folder.sums, folder.ledger}
    named = {path.relative_to(folder.root).as_posix(): path for path in files}
    write_json(folder.sums, {name: file_sha256(named[name]) for name in sorted(named)})


def altered(folder: RunFolder) -> list[str]:
    """Says of each file of a finished run that it is not what the run wrote.

    Nothing is said of a file that is gone, nor of what trains nothing.
    """
    if not folder.sums.is_file():
        name = folder.sums.relative_to(folder.root)
        told = (
            f"{name} is gone, by which the run's files could be told from edited ones"
        )
        return [told] if has_lanes(folder) else []
    try:
        told = read_mapping(folder.sums)
    except DataError as error:
        return [str(error)]
    paths = {name: folder.root / name for name in told}
    return [
        f"{name} is not as the run wrote it"
        for name, path in paths.items()
        if path.is_file() and file_sha256(path) != told[name]
    ]


def check_unaltered(folder: RunFolder) -> None:
    """Passes a run whose files are as it wrote them.

    Raises:
      DataError: the first that is not.
    """
    for told in altered(folder)[:1]:
        raise DataError(f"{folder.root}: {told}")
