"""What other libraries and published checkpoints call the activations. Text only.

Every key of Hugging Face's ACT2FN (transformers 5.24) and every activation class of
PyTorch is a name of the catalogue or stands in one of the two tables. Names are compared
in lower case, with `_` for `-`.
"""

# Name elsewhere -> the catalogue's name of the same function.
ALIASES = {
    # The exact form.
    "gelu_exact": "gelu",
    "gelu_erf": "gelu",
    "gelu_python": "gelu",
    # The tanh form; they differ in how they round.
    "gelu_new": "gelu_tanh",
    "gelu_fast": "gelu_tanh",
    "gelu_accurate": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "gelu_python_tanh": "gelu_tanh",
    "openai_gelu": "gelu_tanh",
    # The sigmoid form.
    "gelu_sigmoid": "quick_gelu",
    "quickgelu": "quick_gelu",
    # Swish with β fixed at 1; the learnable one is swish_beta.
    "swish": "silu",
    # Spellings of PyTorch, Keras and Hugging Face.
    "squared_relu": "relu2",
    "relu_squared": "relu2",
    "leakyrelu": "leaky_relu",
    "logsigmoid": "log_sigmoid",
    "softsign": "soft_sign",
    "hardtanh": "hard_tanh",
    "hardsigmoid": "hard_sigmoid",
    "hardswish": "hard_swish",
    "hard_silu": "hard_swish",
    "linear": "identity",
    "none": "identity",
    # T5's feed_forward_proj; its gated-gelu is the tanh form.
    "gated_gelu": "geglu_tanh",
    "gated_silu": "swiglu",
    "gated_relu": "reglu",
}

# A meaning that a reader may not expect, told with the results.
REMARKS = {
    "swish": "swish is read as silu, β fixed at 1, as checkpoints and libraries mean it; "
    "with learnable β it is swish_beta",
}

_OWN = "write it as a function of your own, file.py:function"
_NOT_ELEMENTWISE = "mixes the units of a layer, so it is no activation of one number"

# Name elsewhere -> why it stands for nothing here.
REFUSED = {
    "gelu_10": "gelu clipped to [-10, 10], made for weights stored as 8-bit integers, is "
    f"not in the table; take gelu, or {_OWN}",
    "leaky": "Darknet means slope 0.1 and others 0.01; write "
    "leaky_relu(negative_slope=0.1) or leaky_relu",
    "laplace": "MEGA's (1 + erf((x - 0.7071)/0.3989))/2, a gate of its attention, is not "
    f"in the table; {_OWN}",
    "xielu": "its two parameters come with each checkpoint and it is not in the table; "
    "the parametric ones are prelu and swish_beta",
    "sqrtsoftplus": f"√softplus, a router's score, is not in the table; {_OWN}",
    "rrelu": "its slopes are random while it trains, and an arm may not bring chance of "
    "its own; take leaky_relu or prelu",
    "threshold": f"is not in the table; {_OWN}",
    "hardshrink": f"shrinks codes, and is not in the table; {_OWN}",
    "softshrink": f"shrinks codes, and is not in the table; {_OWN}",
    "tanhshrink": f"shrinks codes, and is not in the table; {_OWN}",
    "exponential": f"is not in the table; {_OWN}",
    "sparse_plus": f"is not in the table; {_OWN}",
    "sparse_sigmoid": f"is not in the table; {_OWN}",
    "softmax": _NOT_ELEMENTWISE,
    "softmax2d": _NOT_ELEMENTWISE,
    "softmin": _NOT_ELEMENTWISE,
    "log_softmax": _NOT_ELEMENTWISE,
    "logsoftmax": _NOT_ELEMENTWISE,
    "maxout": _NOT_ELEMENTWISE,
    "multiheadattention": "is a layer, no activation",
}
