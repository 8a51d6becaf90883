"""What drawn configurations share (configurations.py): values of a key, keys of every family, and of
what is rotated."""

VOCAB = 60
SIZES = [8, 12, 16, 24, 30, 32]
HEADS = [1, 2, 2, 3, 4, 4, 6]
RATES = [0, 0.0, 0.1, 0.5]
FLAGS = [True, False]
EPS = [1e-12, 1e-6, 1e-5, 1e-3, 0.1]
ACTS = ["gelu", "gelu_new", "relu", "silu", "swish", "tanh", "gelu_pytorch_tanh", "gelu_fast",
        "gelu_python"]
ODD_ACTS = ["quick_gelu", "mish", "relu2", "sigmoid", "gelu_10", "leaky_relu", "linear", "nothing"]
TOKENS = [0, 1, 5, VOCAB - 1]


class Key:
    """`values` come with `often`; one time in `rarely` one of `odd` does. JSON decides what they
    are: None is null."""

    def __init__(self, values, odd=(), often=0.5, rarely=70):
        self.values, self.odd, self.often, self.rarely = values, odd, often, rarely

    def draw(self, rng):
        """[] for a key that is left out, else [its value]."""
        if self.odd and rng.randrange(self.rarely) == 0:
            return [rng.choice(self.odd)]
        return [rng.choice(self.values)] if rng.random() < self.often else []


def always(values, odd=()):
    return Key(values, odd, 1.1)


ACT = Key(ACTS, ODD_ACTS, rarely=20)
NORM_EPS = Key(EPS, [0, -1, None, 2])
DROP = Key(RATES, [1, -0.1, None])
INIT = Key([0.02, 0.3], [0, 0.0])
TIED = Key(FLAGS, [None])
COMMON = {  # keys that every configuration may have, and that change no number
    "use_cache": Key(FLAGS, often=0.2), "output_attentions": Key([False], often=0.1),
    "chunk_size_feed_forward": Key([0], [4], often=0.05), "torch_dtype": Key(["float32"], often=0.3),
    "dtype": Key(["float32"], often=0.2), "transformers_version": Key(["4.30.0"], often=0.2),
    "is_decoder": Key([False], [True], often=0.05, rarely=60),
    "add_cross_attention": Key([False], [True], often=0.05, rarely=60),
    "problem_type": Key([None], often=0.05), "a_key_nobody_knows": Key([3, "x", None], often=0.05),
    "tokenizer_class": Key(["PreTrainedTokenizerFast"], often=0.1),
    "quantization_config": Key([None], often=0.02),
    "pruned_heads": Key([{}], often=0.05), "gradient_checkpointing": Key([False], often=0.05),
    "attn_implementation": Key(["eager"], often=0.05)}


def rope(rng, context):
    """What stands in rope_parameters, or in the older rope_scaling."""
    kind = rng.choice(["default", "linear", "dynamic", "yarn", "llama3", "linear", "yarn"] +
                      (["longrope", "nonsense"] if rng.randrange(12) == 0 else []))
    out = {rng.choice(["rope_type", "rope_type", "type"]): kind}
    if rng.random() < 0.6:
        out["rope_theta"] = rng.choice([10000, 10000.0, 500.0, 1000000.0])
    if kind != "default" and rng.randrange(12):
        out["factor"] = rng.choice([1.0, 2.0, 4.0, 2.5, 8] + ([0.5, None] if rng.randrange(8) == 0 else []))
    if kind in ("yarn", "llama3", "longrope") and rng.random() < 0.8:
        out["original_max_position_embeddings"] = rng.choice([context, 8, 10, 16])
    if kind == "llama3":
        out |= {"low_freq_factor": rng.choice([1.0, 1, 2.0]), "high_freq_factor": rng.choice([4.0, 8.0])}
    if kind == "yarn":
        for key, values in {"attention_factor": [1.0, 1.3, None], "beta_fast": [32, 2.0],
                            "beta_slow": [1, 0.5], "mscale": [0.8, 1.0],
                            "mscale_all_dim": [0.7, 1.0], "truncate": FLAGS}.items():
            if rng.random() < 0.25:
                out[key] = rng.choice(values)
    if rng.randrange(20) == 0:
        out["partial_rotary_factor"] = rng.choice([0.5, 1.0])
    return out


def add_rope(rng, config):
    """Of what is rotated: in the new key, or in those of older files."""
    context = config.get("max_position_embeddings", 64)
    what = rng.randrange(4)
    if what == 0:
        return
    parameters = rope(rng, context)
    if what == 1:
        config["rope_theta"] = parameters.pop("rope_theta", 10000.0)
        config["rope_scaling"] = rng.choice([parameters, parameters, None])
    else:
        config["rope_parameters"] = parameters
