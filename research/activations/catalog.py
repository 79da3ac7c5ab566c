"""The one table of activations: what each is, where it comes from, what it must give."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from jaxtyping import Array, Float

from research.activations import elementwise, own
from research.activations.names import canonical, file_safe
from research.own_code import is_own, short_name


@dataclass(frozen=True, kw_only=True)
class Activation:
    """An activation function and what is known of it.

    kind: `elementwise`, called as fn(x).
    points: pairs (x, f(x)) from outside this code, for tests and reports.
    limits: f(x) as x goes to -∞ and to +∞.
    """

    name: str
    fn: Callable[[Float[Array, "..."]], Float[Array, "..."]]
    formula: str
    source: str
    points: tuple[tuple[float, float], ...] = ()
    limits: tuple[float, float] | None = None
    kind: str = "elementwise"

    def __call__(self, x: Float[Array, "..."]) -> Float[Array, "..."]:
        """Returns the activation of x."""
        return self.fn(x)

    @property
    def slug(self) -> str:
        """The name that files and folders carry."""
        return file_safe(self.name)


_INF = math.inf
CATALOG: dict[str, Activation] = {
    record.name: record
    for record in (
        Activation(
            name="relu",
            fn=elementwise.relu,
            formula="max(x, 0)",
            source="Nair & Hinton 2010",
            points=((-1.0, 0.0), (2.0, 2.0)),
            limits=(0.0, _INF),
        ),
        Activation(
            name="gelu",
            fn=elementwise.gelu,
            formula="x·Φ(x), exact (erf)",
            source="Hendrycks & Gimpel 2016, arXiv 1606.08415",
            points=(
                (-1.0, -0.158655253931457051),
                (1.0, 0.841344746068542949),
                (2.0, 1.95449973610364159),
            ),
            limits=(0.0, _INF),
        ),
        Activation(
            name="gelu_tanh",
            fn=elementwise.gelu_tanh,
            formula="x·(1 + tanh(√(2/π)(x + 0.044715x³)))/2",
            source="Hendrycks & Gimpel 2016, arXiv 1606.08415",
            points=((-0.752461422071016258, -0.170040750571254051),),
            limits=(0.0, _INF),
        ),
        Activation(
            name="quick_gelu",
            fn=elementwise.quick_gelu,
            formula="x·σ(1.702x)",
            source="Hendrycks & Gimpel 2016, arXiv 1606.08415",
            points=((-0.751154255441288951, -0.163610189636353581),),
            limits=(0.0, _INF),
        ),
        Activation(
            name="silu",
            fn=elementwise.silu,
            formula="x·σ(x)",
            source="Elfwing et al. 2017, arXiv 1702.03118",
            points=(
                (1.0, 0.731058578630004879),
                (-1.27846454276107380, -0.278464542761073795),
            ),
            limits=(0.0, _INF),
        ),
        Activation(
            name="mish",
            fn=elementwise.mish,
            formula="x·tanh(log(1 + eˣ))",
            source="Misra 2020, arXiv 1908.08681",
            points=(
                (1.0, 0.865098388267310346),
                (-1.19243121451549521, -0.308843413017250407),
            ),
            limits=(0.0, _INF),
        ),
        Activation(
            name="tanh",
            fn=elementwise.tanh,
            formula="tanh(x)",
            source="LeCun et al. 1998, Efficient BackProp",
            points=((1.0, 0.761594155955764888),),
            limits=(-1.0, 1.0),
        ),
        Activation(
            name="sigmoid",
            fn=elementwise.sigmoid,
            formula="1/(1 + e⁻ˣ)",
            source="Rumelhart et al. 1986",
            points=((1.0, 0.731058578630004879),),
            limits=(0.0, 1.0),
        ),
        Activation(
            name="softplus",
            fn=elementwise.softplus,
            formula="log(1 + eˣ)",
            source="Dugas et al. 2001",
            points=((0.0, 0.693147180559945309),),
            limits=(0.0, _INF),
        ),
        Activation(
            name="elu",
            fn=elementwise.elu,
            formula="x above 0, eˣ - 1 below",
            source="Clevert et al. 2016, arXiv 1511.07289",
            points=((-1.0, -0.632120558828557678), (3.0, 3.0)),
            limits=(-1.0, _INF),
        ),
        Activation(
            name="selu",
            fn=elementwise.selu,
            formula="1.0507·x above 0, 1.0507·1.6733·(eˣ - 1) below",
            source="Klambauer et al. 2017, arXiv 1706.02515",
            points=((1.0, 1.05070098735548049),),
            limits=(-elementwise.SELU_SCALE * elementwise.SELU_ALPHA, _INF),
        ),
        Activation(
            name="leaky_relu",
            fn=elementwise.leaky_relu,
            formula="x above 0, 0.01·x below",
            source="Maas et al. 2013",
            points=((-1.0, -0.01), (2.0, 2.0)),
            limits=(-_INF, _INF),
        ),
        Activation(
            name="relu2",
            fn=elementwise.relu2,
            formula="max(x, 0)²",
            source="So et al. 2021, arXiv 2109.08668",
            points=((-1.0, 0.0), (3.0, 9.0)),
            limits=(0.0, _INF),
        ),
        Activation(
            name="identity",
            fn=elementwise.identity,
            formula="x",
            source="the control: the network is one affine map",
            points=((-1.5, -1.5), (2.0, 2.0)),
            limits=(-_INF, _INF),
        ),
    )
}


def lookup(word: str) -> Activation:
    """Returns the record of a name, an alias, or a user's own function.

    Raises:
      ConfigError: no such activation, or a user's function that cannot be used.
    """
    name = canonical(word)
    if not is_own(name):
        return CATALOG[name]
    return Activation(
        name=short_name(name), fn=own.load(name), formula="a user's own", source=name
    )
