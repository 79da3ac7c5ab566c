"""The one table of activations: what each is, where it comes from, what it must give."""

import math

from research.activations import elementwise, gated, own, parametric
from research.activations.binding import bind
from research.activations.names import canonical, parsed
from research.activations.record import Activation as Activation
from research.own_code import is_own, short_name

_INF = math.inf
_GELU_PAPER = "Hendrycks & Gimpel 2016, arXiv 1606.08415"
_GLU_PAPER = "Dauphin et al. 2017, arXiv 1612.08083"
_GLU_VARIANTS = "Shazeer 2020, arXiv 2002.05202"
_MOBILE = "Howard et al. 2019, arXiv 1905.02244"

# {negative_slope} and the like stand for an argument, the default where it is not given.
_TABLE = (
    Activation(
        name="relu",
        fn=elementwise.relu,
        formula="max(x, 0)",
        source="Nair & Hinton 2010",
        points=((-1.0, 0.0), (2.0, 2.0)),
        limits=(0.0, _INF),
    ),
    Activation(
        name="relu6",
        fn=elementwise.relu6,
        formula="min(max(x, 0), 6)",
        source="Howard et al. 2017, arXiv 1704.04861",
        points=((-1.0, 0.0), (2.0, 2.0), (7.0, 6.0)),
        limits=(0.0, 6.0),
    ),
    Activation(
        name="leaky_relu",
        fn=elementwise.leaky_relu,
        formula="x above 0, {negative_slope}·x below",
        source="Maas et al. 2013",
        points=((-1.0, -0.01), (2.0, 2.0)),
        limits=(-_INF, _INF),
    ),
    Activation(
        name="prelu",
        kind="parametric",
        fn=parametric.prelu,
        formula="x above 0, a·x below, a learned, {init} at first",
        source="He et al. 2015, arXiv 1502.01852",
        points=((-1.0, -0.25), (2.0, 2.0)),
        limits=(-_INF, _INF),
        parameters=(("negative_slope", 0.25),),
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
        name="gelu",
        fn=elementwise.gelu,
        formula="x·Φ(x), exact (erf)",
        source=_GELU_PAPER,
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
        source=_GELU_PAPER,
        points=((-0.752461422071016258, -0.170040750571254051),),
        limits=(0.0, _INF),
    ),
    Activation(
        name="quick_gelu",
        fn=elementwise.quick_gelu,
        formula="x·σ(1.702x)",
        source=_GELU_PAPER,
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
        name="swish_beta",
        kind="parametric",
        fn=parametric.swish_beta,
        formula="x·σ(βx), β learned, {init} at first",
        source="Ramachandran et al. 2017, arXiv 1710.05941",
        points=((1.0, 0.731058578630004879),),
        limits=(0.0, _INF),
        parameters=(("beta", 1.0),),
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
        name="elu",
        fn=elementwise.elu,
        formula="x above 0, α·(eˣ - 1) below, α = {alpha}",
        source="Clevert et al. 2016, arXiv 1511.07289",
        points=((-1.0, -0.632120558828557678), (3.0, 3.0)),
        limits=(-1.0, _INF),
    ),
    Activation(
        name="celu",
        fn=elementwise.celu,
        formula="x above 0, α·(e^(x/α) - 1) below, α = {alpha}",
        source="Barron 2017, arXiv 1704.07483",
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
        name="softplus",
        fn=elementwise.softplus,
        formula="log(1 + eˣ)",
        source="Dugas et al. 2001",
        points=((0.0, 0.693147180559945309),),
        limits=(0.0, _INF),
    ),
    Activation(
        name="squareplus",
        fn=elementwise.squareplus,
        formula="(x + √(x² + {b}))/2",
        source="Barron 2021, arXiv 2112.11687",
        points=((0.0, 1.0), (1.5, 2.0), (-1.5, 0.5)),
        limits=(0.0, _INF),
    ),
    Activation(
        name="log_sigmoid",
        fn=elementwise.log_sigmoid,
        formula="-log(1 + e⁻ˣ)",
        source="the log-likelihood of logistic regression",
        points=((0.0, -0.693147180559945309),),
        limits=(-_INF, 0.0),
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
        name="tanh",
        fn=elementwise.tanh,
        formula="tanh(x)",
        source="LeCun et al. 1998, Efficient BackProp",
        points=((1.0, 0.761594155955764888),),
        limits=(-1.0, 1.0),
    ),
    Activation(
        name="soft_sign",
        fn=elementwise.soft_sign,
        formula="x/(1 + |x|)",
        source="Bergstra et al. 2009",
        points=((1.0, 0.5), (-3.0, -0.75)),
        limits=(-1.0, 1.0),
    ),
    Activation(
        name="hard_tanh",
        fn=elementwise.hard_tanh,
        formula="min(max(x, -1), 1)",
        source="Collobert 2004",
        points=((-2.0, -1.0), (0.5, 0.5), (2.0, 1.0)),
        limits=(-1.0, 1.0),
    ),
    Activation(
        name="hard_sigmoid",
        fn=elementwise.hard_sigmoid,
        formula="min(max(x + 3, 0), 6)/6",
        source=_MOBILE,
        points=((-4.0, 0.0), (0.0, 0.5), (1.5, 0.75), (4.0, 1.0)),
        limits=(0.0, 1.0),
    ),
    Activation(
        name="hard_swish",
        fn=elementwise.hard_swish,
        formula="x·min(max(x + 3, 0), 6)/6",
        source=_MOBILE,
        points=((-4.0, 0.0), (1.5, 1.125), (4.0, 4.0)),
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
    Activation(
        name="glu",
        kind="gated",
        fn=gated.glu,
        formula="σ(gate)·value",
        source=_GLU_PAPER,
        points=((1.0, 0.731058578630004879),),
        limits=(0.0, 1.0),
    ),
    Activation(
        name="bilinear",
        kind="gated",
        fn=gated.bilinear,
        formula="gate·value",
        source=_GLU_PAPER,
        points=((-1.5, -1.5), (2.0, 2.0)),
        limits=(-_INF, _INF),
    ),
    Activation(
        name="reglu",
        kind="gated",
        fn=gated.reglu,
        formula="max(gate, 0)·value",
        source=_GLU_VARIANTS,
        points=((-1.0, 0.0), (2.0, 2.0)),
        limits=(0.0, _INF),
    ),
    Activation(
        name="geglu",
        kind="gated",
        fn=gated.geglu,
        formula="gelu(gate)·value, exact (erf)",
        source=_GLU_VARIANTS,
        points=((1.0, 0.841344746068542949), (2.0, 1.95449973610364159)),
        limits=(0.0, _INF),
    ),
    Activation(
        name="geglu_tanh",
        kind="gated",
        fn=gated.geglu_tanh,
        formula="gelu_tanh(gate)·value",
        source=_GLU_VARIANTS,
        points=((-0.752461422071016258, -0.170040750571254051),),
        limits=(0.0, _INF),
    ),
    Activation(
        name="swiglu",
        kind="gated",
        fn=gated.swiglu,
        formula="silu(gate)·value",
        source=_GLU_VARIANTS,
        points=((1.0, 0.731058578630004879),),
        limits=(0.0, _INF),
    ),
)

CATALOG: dict[str, Activation] = {record.name: bind(record, {}) for record in _TABLE}
_BY_NAME = {record.name: record for record in _TABLE}


def lookup(word: str) -> Activation:
    """Returns the record of a name or alias with its arguments, or of a user's own.

    A user's own function is elementwise: a gated or parametric one cannot be named.

    Raises:
      ConfigError: no such activation, arguments that it cannot take, or a user's
        function that cannot be used.
    """
    name = canonical(word)
    if is_own(name):
        return Activation(
            name=short_name(name),
            fn=own.load(name),
            formula=f"a user's own, {name}",
            source=name,
        )
    base, arguments = parsed(name)
    return bind(_BY_NAME[base], arguments) if arguments else CATALOG[base]
