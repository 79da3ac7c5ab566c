"""What is known of a family of published checkpoints."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Literal

from flax import nnx

from research.activations.record import Activation
from research.model_configs import TransformerConfig
from research.models.transformer import Transformer
from research.surgery.checkpoint import Checkpoint
from research.surgery.encoder import Encoder
from research.surgery.naming import Names

# How the class of the published code ends that trains a head, as `architectures` names
# it; what has the same tensors' names under another class is another head.
ARCHITECTURES = {
    "classifier": ("ForSequenceClassification", "ForImageClassification"),
    "causal_lm": ("LMHeadModel", "DoubleHeadsModel"),
}


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What an encoder is built from.

    classes: of the classifier, where there is one. heads: the names of the heads.
    """

    config: TransformerConfig
    activation: Activation
    classes: tuple[str, ...]
    heads: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """What a family reads: so many tokens, or images of a height, width and channels."""

    length: int
    vocabulary: int = 0
    image: tuple[int, int, int] | None = None


@dataclass(frozen=True, kw_only=True)
class Family:
    """What is known of a family; names are published ones without the prefix.

    kind: what its paper calls it. prefix: what stands before the encoder's names where
    there are heads. heads: how the names of each head's tensors begin. needs: the heads
    that another reads. skipped: patterns of tensors that are not used. tied: tensors that
    may be stored twice, by the second name. renamed: old words in names. settings: fields
    under which the tensors mean another model, by what they must be. dropout: the field
    of the share dropped. trained_as: what the activation was in truth and how that is
    known, by what config.json has.
    """

    kind: str
    prefix: str
    names: Names
    config: Callable[[Checkpoint], TransformerConfig]
    inputs: Callable[[Checkpoint], Inputs]
    build: Callable[[Checkpoint, Plan], Encoder]
    heads: Mapping[str, tuple[str, ...]]
    skipped: tuple[str, ...]
    dropout: str
    needs: Mapping[str, str] = field(default_factory=dict)
    tied: Mapping[str, str] = field(default_factory=dict)
    renamed: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    trained_as: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    def plain(self, name: str) -> str:
        """Returns a tensor's name without prefix and in today's words."""
        return self.in_todays_words(name.removeprefix(self.prefix))

    def in_todays_words(self, name: str) -> str:
        """Returns a tensor's name as the published code writes it today."""
        for old, new in self.renamed.items():
            name = name.replace(old, new)
        return name

    def is_skipped(self, name: str, heads: tuple[str, ...]) -> bool:
        """Tells whether a tensor is not used where the encoder has these heads."""
        others = [
            begin for head in self.heads.keys() - heads for begin in self.heads[head]
        ]
        return name.startswith(tuple(filter(None, others))) or any(
            fnmatchcase(name, pattern) for pattern in self.skipped
        )

    def heads_of(self, checkpoint: Checkpoint) -> tuple[str, ...]:
        """Returns the heads that a checkpoint has, and what they read."""
        given = [self.plain(name) for name in checkpoint.tensors]
        found = {
            head
            for head, begin in self.heads.items()
            if _is_trained(head, checkpoint)
            and any(name.startswith(begin) for name in given)
        }
        found |= {self.needs[head] for head in found & self.needs.keys()}
        return tuple(head for head in self.heads if head in found)


def _is_trained(head: str, checkpoint: Checkpoint) -> bool:
    named = checkpoint.config.get("architectures")
    if head not in ARCHITECTURES or not isinstance(named, list) or not named:
        return True
    return any(str(each).endswith(ARCHITECTURES[head]) for each in named)


def transformer(
    checkpoint: Checkpoint,
    fields: Mapping[str, str],
    *,
    norm: Literal["pre", "post"],
    ffn: int | None = None,
    epsilon: float | None = None,
) -> TransformerConfig:
    """Returns the layers that config.json describes.

    Args:
      fields: config.json's names of `width`, `heads`, `depth`, `ffn` and `epsilon`.
      ffn, epsilon: what they are where config.json does not say it.

    Raises:
      DataError: a field that is missing or cannot be used.
    """
    width, heads, depth = (
        checkpoint.whole(fields[name]) for name in ("width", "heads", "depth")
    )
    if width % heads:
        raise checkpoint.refused(
            fields["heads"], f"a divisor of {fields['width']}={width}"
        )
    most = len(checkpoint.tensors)
    # A damaged number is refused before so many layers are built.
    if depth > most:
        raise checkpoint.refused(fields["depth"], f"at most the {most} tensors")
    return TransformerConfig(
        width=width,
        heads=heads,
        depth=depth,
        ffn=checkpoint.whole(fields["ffn"]) if ffn is None else ffn,
        norm=norm,
        epsilon=_epsilon(checkpoint, fields["epsilon"]) if epsilon is None else epsilon,
    )


def _epsilon(checkpoint: Checkpoint, name: str) -> float:
    value = checkpoint.config.get(name)
    if not isinstance(value, float) or not 0 < value < 1:
        raise checkpoint.refused(name, "a number above 0 and below 1")
    return value


def layers_of(plan: Plan, *, rows: int) -> Transformer:
    """Returns the layers of a plan, with so many positions."""
    return Transformer(plan.config, plan.activation, length=rows, rngs=nnx.Rngs(0))
