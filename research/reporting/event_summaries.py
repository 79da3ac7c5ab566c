"""TensorBoard summaries: pure functions from values to protocol buffers.

Several values go into one event: a margin chart refuses a mean, low and high whose
steps differ, and one event cannot be read in part.
"""

import json
import struct
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

# protobuf makes these classes when the module is imported: pyright cannot see them.
from tensorboardX.proto.plugin_hparams_pb2 import HParamsPluginData  # pyright: ignore[reportAttributeAccessIssue]
from tensorboardX.proto.summary_pb2 import Summary  # pyright: ignore[reportAttributeAccessIssue]
from tensorboardX.summary import custom_scalars, hparams, scalar

from research.reporting import sentences

_PNG_SIZE = slice(16, 24)


def scalars_summary(values: Mapping[str, float]) -> Summary:
    """One summary of all finite values, by tag; the rest have no place in a chart."""
    summary = Summary()
    for tag, value in values.items():
        if np.isfinite(value):
            summary.MergeFrom(scalar(tag, float(value)))
    return summary


def band_tags(curve: str) -> tuple[str, str, str]:
    """Tags of a curve's mean, low and high, the same in every arm's run."""
    return f"{curve}/mean", f"{curve}/low", f"{curve}/high"


def margin_layout(curves: Iterable[str]) -> Summary:
    """One margin chart a curve; TensorBoard draws every arm's run into it."""
    charts = {curve: ["Margin", list(band_tags(curve))] for curve in curves}
    return custom_scalars({"Mean over seeds, 95 % band": charts})


def hparams_summaries(
    values: Mapping[str, str | int | float], *, metrics: Iterable[str], group: str
) -> tuple[Summary, Summary, Summary]:
    """The experiment, start and end summaries that make a run a session of a group.

    TensorBoard takes the first experiment summary that it finds, so every session's
    must list all keys and metrics.
    """
    experiment, start, end = hparams(dict(values), dict.fromkeys(metrics))
    plugin = start.value[0].metadata.plugin_data
    data = HParamsPluginData.FromString(plugin.content)
    data.session_start_info.group_name = group
    data.session_start_info.start_time_secs = time.time()
    plugin.content = data.SerializeToString()
    return experiment, start, end


def png_summary(tag: str, path: Path) -> Summary:
    """The image as it lies in its PNG file, not decoded and encoded again."""
    content = path.read_bytes()
    width, height = struct.unpack(">II", content[_PNG_SIZE])
    image = Summary.Image(encoded_image_string=content, width=width, height=height)
    return Summary(value=[Summary.Value(tag=tag, image=image)])


def config_markdown(config: Mapping[str, Any]) -> str:
    """The whole config as a block of JSON."""
    return f"```json\n{json.dumps(dict(config), indent=2)}\n```"


def verdict_markdown(summary: Mapping[str, Any]) -> str:
    """What was run and what was found, in paragraphs, and the warnings below."""
    warnings = [f"**Warning:** {warning}" for warning in summary["warnings"]]
    paragraphs = sentences.header(summary), *sentences.findings(summary), *warnings
    return "\n\n".join(paragraphs)
