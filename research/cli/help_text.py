"""The text of `--help`, from the tables that the parser itself reads."""

import textwrap
from collections.abc import Iterator

from research.activations.aliases import REMARKS
from research.activations.arguments import ARGUMENTS
from research.activations.names import NAMES
from research.cli.arguments import COMMANDS
from research.cli.fields import CHOICES, fields_with, flag_text
from research.config_values import Field

HEAD = """\
Is it the activation, or the seed? Trains a model with every activation over many seeds,
all else held equal, and says in one word what the evidence supports.

usage: python launch.py [command] [--flag=value ...]
"""
FLAGS = """\
flags
  --config=FILE         Python whose get_config() returns the experiment
                        (default configs/moons.py)
  --config.FIELD=VALUE  overrides one field of it
  --workdir=DIR         the run's folder (default runs/<config>-<n>, the first free n);
                        a finished one is shown again, nothing is trained
flags of compare on many hosts, the same command in every process
  --coordinator=auto    JAX finds the processes: SLURM, Open MPI, GKE, TPU pods
  --coordinator=HOST:PORT, --process_id=N, --process_count=N
                        or by hand: where process 0 listens, numbers from 0; --workdir
                        names a folder that all processes share
flags of plan, beside --config and --config.FIELD
  --pilot=DIR           a finished run, from which sd, speed and compile time are taken
  --sd=NUMBER           or the sd of the paired differences, in the scores' own units
  --power=NUMBER        share of runs that are to see it (default 0.8)
  --workdir=DIR         where plan.json is written; without it the plan is only shown
flags of analyse and check_table
  --scores=FILE         CSV of scores: arm,seed,score, or one column an arm with or
                        without a column seed; paired where the seeds match
  --workdirs=DIR,DIR    finished runs, judged as one suite of tasks
  --table=FILE          CSV of a published table: name,mean,std,n
  --reference=NAME      what the others are judged against (default the first)
  --margin=NUMBER       smallest difference of scores that would matter; without it
                        equivalence is not judged
  --confidence=NUMBER   confidence of the intervals (default 0.95, or the first run's)
  --lower_is_better     for losses and errors
  --workdir=DIR         the folder of what is found (default runs/<file>-<n>)
flags of profile
  --activations=A,B     names as below, or file.py:function (default relu,gelu)
  --workdir=DIR         the folder of what is measured (default runs/profile-<n>)
flags of surgery
  --checkpoint=DIR      folder with config.json, safetensors and a tokenizer, as Hugging
                        Face lays them out: BERT, RoBERTa, DistilBERT, GPT-2 or ViT
  --activations=A,B     what is swapped in, beside the one as trained, which is the
                        reference (default gelu,relu,silu)
  --layers=all          all layers, each alone, or these: 0,3 (counted from 0)
  --text=FILE           a sentence a line (default Python's own reference); for ViT an
                        .npz with images (default parts of two photographs)
  --labels=FILE         CSV with the columns text and label; for ViT an .npz with images
                        and labels
  --config=FILE         how the tuned arms are trained (default configs/surgery.py)
  --workdir=DIR         the folder of what is measured (default runs/surgery-<n>)

  --flag value and --flag=value mean the same, and so do - and _ in names; a flag given
  twice is refused; lists are divided by commas.
"""
TAIL = """\
examples
  python launch.py
  python launch.py --config=configs/moons_early.py
  python launch.py --config.activations=gelu,relu,silu --config.reference=gelu
  python launch.py --config.model.hidden=128,128 --config.optimizer.learning_rate=3e-4
  python launch.py plan --pilot=runs/moons-1 --config.seeds=32
  python launch.py report --workdir=runs/moons-1
  python launch.py analyse --scores=examples/scores_long.csv --margin=0.005
  python launch.py analyse --workdirs=runs/moons-1,runs/moons_early-1
  python launch.py check_table --table=examples/mish_n23.csv --reference=GELU
  python launch.py profile --activations=relu,gelu,gelu_tanh,silu,mish
  python launch.py surgery --checkpoint=DIR --activations=gelu,relu,silu

exit codes
  0   done, whatever the verdict
  1   a file could not be written
  2   a flag or field that cannot be used
  3   data or a run folder that cannot be used
  4   the comparison is not valid: the arms were not trained alike
  5   every lane of an arm diverged
  75  stopped by a signal"""


def help_text() -> str:
    """Returns the help: commands, flags, every field with its default, exit codes."""
    commands = [f"  {name:<12} {command.text}" for name, command in COMMANDS.items()]
    fields = [line for field in fields_with({}).values() for line in _lines(field)]
    head = [HEAD, "commands", *commands, "", FLAGS]
    words = ["activations", *_activations(), ""]
    fields += list(_fields_of_others())
    return "\n".join([*head, "fields, with their defaults", *fields, "", *words, TAIL])


def _fields_of_others() -> Iterator[str]:
    """Yields the fields of the tasks and models that are not the default's."""
    for section, names in CHOICES.items():
        for name in names[1:]:
            yield f"fields with --config.{section}.name={name}"
            for path, field in fields_with({section: name}).items():
                if path.startswith(f"{section}.") and path != f"{section}.name":
                    yield from _lines(field)


def _activations() -> list[str]:
    brackets = (
        f"{name}({', '.join(f'{a.name}={a.allowed}' for a in taken)})"
        for name, taken in ARGUMENTS.items()
    )
    return [
        _indented(", ".join(NAMES)),
        _indented(f"in brackets: {'; '.join(brackets)}"),
        *(_indented(remark) for remark in REMARKS.values()),
        _indented("docs/activations.md has formulas, kinds and other libraries' names"),
    ]


def _lines(field: Field) -> tuple[str, str]:
    default = field.default
    if field.many:
        shown = ",".join(flag_text(value) for value in default)
    else:
        shown = "" if default is None else flag_text(default)
    each = "each " if field.many else ""
    text = f"{field.text} ({each}{field.check.allowed})"
    return f"  --config.{field.path}={shown}", _indented(text)


def _indented(text: str) -> str:
    return textwrap.fill(text, 88, initial_indent=" " * 6, subsequent_indent=" " * 6)
