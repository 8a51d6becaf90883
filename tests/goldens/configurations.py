"""What check_configurations.py draws: for each family the keys of its config.json, with values that
people use, and odd ones that come now and then."""

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

    def __init__(self, values, odd=(), often=0.5, rarely=25):
        self.values, self.odd, self.often, self.rarely = values, odd, often, rarely

    def draw(self, rng):
        """[] for a key that is left out, else [its value]."""
        if self.odd and rng.randrange(self.rarely) == 0:
            return [rng.choice(self.odd)]
        return [rng.choice(self.values)] if rng.random() < self.often else []


def always(values, odd=()):
    return Key(values, odd, 1.1)


ACT = Key(ACTS, ODD_ACTS, rarely=12)
NORM_EPS = Key(EPS, [0, -1, None, 2])
DROP = Key(RATES, [1, -0.1, None])
INIT = Key([0.02, 0.3], [0])
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


LLAMA = {
    "vocab_size": always([VOCAB]), "hidden_size": always(SIZES),
    "intermediate_size": always([16, 40, 33]), "num_hidden_layers": always([1, 2, 3]),
    "num_attention_heads": always(HEADS, [5]), "num_key_value_heads": Key([1, 2, 4], [3, None]),
    "head_dim": Key([4, 6, 8, 16], [5, None], often=0.3), "max_position_embeddings": always([12, 40]),
    "rms_norm_eps": NORM_EPS, "attention_bias": Key(FLAGS), "mlp_bias": Key(FLAGS),
    "attention_dropout": DROP, "initializer_range": INIT, "tie_word_embeddings": TIED,
    "hidden_act": ACT, "pad_token_id": Key([0, 5, -1], [None, VOCAB], often=0.2),
    "bos_token_id": Key([1, None]), "eos_token_id": Key([2, None, [2, 7]]),
    "pretraining_tp": Key([1], [2], often=0.1)}

BART = {
    "vocab_size": always([VOCAB]), "d_model": always(SIZES), "encoder_layers": always([1, 2]),
    "decoder_layers": always([1, 2]), "encoder_attention_heads": always([1, 2, 4], [3, 5]),
    "decoder_attention_heads": always([1, 2, 4], [3, 5]), "encoder_ffn_dim": always([16, 40]),
    "decoder_ffn_dim": always([16, 40]), "max_position_embeddings": always([40]),
    "activation_function": ACT, "dropout": DROP, "attention_dropout": DROP, "activation_dropout": DROP,
    "encoder_layerdrop": DROP, "decoder_layerdrop": DROP, "scale_embedding": Key(FLAGS),
    "tie_word_embeddings": TIED, "init_std": INIT, "pad_token_id": Key([1, 3]),
    "eos_token_id": Key([2, 4]), "decoder_start_token_id": always([2, 7]),
    "forced_eos_token_id": Key([2, None], often=0.3), "forced_bos_token_id": Key([5, None], often=0.2),
    "normalize_before": Key(FLAGS, often=0.1), "add_bias_logits": Key([False], often=0.1),
    "classifier_dropout": Key([0.0], often=0.1)}  # fmt: skip
SPACES = {
    "gpt2": {
        "vocab_size": always([VOCAB]), "n_positions": always([20, 32]), "n_embd": always(SIZES),
        "n_layer": always([1, 2, 3]), "n_head": always(HEADS, [5]),
        "n_inner": Key([None, 20, 33]), "activation_function": ACT, "layer_norm_epsilon": NORM_EPS,
        "initializer_range": INIT, "embd_pdrop": DROP, "attn_pdrop": DROP, "resid_pdrop": DROP,
        "tie_word_embeddings": TIED, "scale_attn_weights": Key(FLAGS, [None]),
        "scale_attn_by_inverse_layer_idx": Key(FLAGS, [None]),
        "reorder_and_upcast_attn": Key(FLAGS), "hidden_size": Key([], [16, 24], often=0),
        "num_attention_heads": Key([], [2, 4], often=0), "num_hidden_layers": Key([], [1, 2], often=0),
        "max_position_embeddings": Key([], [24], often=0), "n_ctx": Key([20, 32], often=0.2),
        "summary_type": Key(["cls_index"], often=0.1)},
    "llama": LLAMA,
    "falcon": {
        "vocab_size": always([VOCAB]), "hidden_size": always(SIZES), "num_hidden_layers": always([1, 2, 3]),
        "num_attention_heads": always(HEADS, [5]), "num_kv_heads": Key([1, 2, 4], [3, None]),
        "ffn_hidden_size": Key([20, 64], [None], often=0.3), "multi_query": Key(FLAGS, [None]),
        "new_decoder_architecture": Key(FLAGS, [None]), "parallel_attn": Key(FLAGS, [None]),
        "num_ln_in_parallel_attn": Key([1, 2, None], [3], often=0.3), "bias": Key(FLAGS, [None]),
        "alibi": Key(FLAGS, [None]), "activation": ACT, "layer_norm_epsilon": NORM_EPS,
        "initializer_range": INIT, "hidden_dropout": DROP, "attention_dropout": DROP,
        "apply_residual_connection_post_layernorm": Key([False], [True], often=0.1),
        "max_position_embeddings": Key([12, 40]), "tie_word_embeddings": TIED,
        "bos_token_id": Key([1, None]), "eos_token_id": Key([2, None])},
    "bert": {
        "vocab_size": always([VOCAB]), "hidden_size": always(SIZES), "num_hidden_layers": always([1, 2, 3]),
        "num_attention_heads": always(HEADS, [5]), "intermediate_size": always([16, 40]),
        "max_position_embeddings": always([20, 40]), "type_vocab_size": Key([1, 2, 3], [0]),
        "hidden_act": ACT, "layer_norm_eps": NORM_EPS, "initializer_range": INIT,
        "hidden_dropout_prob": DROP, "attention_probs_dropout_prob": DROP,
        "classifier_dropout": Key([None, 0.1]), "pad_token_id": Key([0, 5, None], [VOCAB]),
        "tie_word_embeddings": TIED, "num_labels": Key([2, 3, 5], [1]),
        "position_embedding_type": Key(["absolute"], ["relative_key"], often=0.1)},
    "marian": {
        "vocab_size": always([VOCAB]), "decoder_vocab_size": Key([None, VOCAB], [50], often=0.3),
        "d_model": always(SIZES), "encoder_layers": always([1, 2]), "decoder_layers": always([1, 2]),
        "encoder_attention_heads": always([1, 2, 4], [3, 5]),
        "decoder_attention_heads": always([1, 2, 4], [3, 5]), "encoder_ffn_dim": always([16, 40]),
        "decoder_ffn_dim": always([16, 40]), "max_position_embeddings": always([40]),
        "activation_function": ACT, "dropout": DROP, "attention_dropout": DROP,
        "activation_dropout": DROP, "encoder_layerdrop": DROP, "decoder_layerdrop": DROP,
        "scale_embedding": Key(FLAGS), "share_encoder_decoder_embeddings": Key(FLAGS),
        "tie_word_embeddings": TIED, "init_std": INIT, "pad_token_id": always([VOCAB - 1, 3]),
        "eos_token_id": always([0, 2]), "decoder_start_token_id": always([VOCAB - 1, 3, 7]),
        "forced_eos_token_id": Key([0, None], often=0.3), "normalize_before": Key([False], [True], often=0.1),
        "static_position_embeddings": Key([True], [False], often=0.1),
        "add_final_layer_norm": Key([False], [True], often=0.1),
        "normalize_embedding": Key([False], [True], often=0.1)},
    "t5": {
        "vocab_size": always([VOCAB]), "d_model": always(SIZES), "d_kv": always([2, 4, 5]),
        "d_ff": always([16, 40]), "num_layers": always([1, 2]), "num_decoder_layers": Key([1, 2, None]),
        "num_heads": always(HEADS), "relative_attention_num_buckets": Key([8, 32, 7], [2]),
        "relative_attention_max_distance": Key([20, 128], [3]), "dropout_rate": DROP,
        "layer_norm_epsilon": NORM_EPS, "initializer_factor": INIT,
        "feed_forward_proj": Key(["relu", "gated-gelu", "gated-silu", "gelu"], ["gated-mish", "a-b"]),
        "tie_word_embeddings": TIED, "scale_decoder_outputs": Key(FLAGS, often=0.1),
        "n_positions": Key([512], often=0.2), "pad_token_id": Key([0, 3]),
        "eos_token_id": Key([1, 2, [4, 5]]), "decoder_start_token_id": always([0, 3])},
    "bart": BART,
    "mbart": BART,
    "m2m_100": BART,
    "vit": {
        "image_size": always([12, 16, [8, 12]], [9]), "patch_size": always([4, 2, [4, 2]], [5]),
        "num_channels": Key([1, 3, 2]), "hidden_size": always(SIZES), "num_hidden_layers": always([1, 2]),
        "num_attention_heads": always(HEADS, [5]), "intermediate_size": always([16, 40]),
        "hidden_act": ACT, "layer_norm_eps": NORM_EPS, "initializer_range": INIT,
        "hidden_dropout_prob": DROP, "attention_probs_dropout_prob": DROP, "qkv_bias": Key(FLAGS),
        "encoder_stride": Key([16], often=0.2), "pooler_output_size": Key([None, 12], often=0.3),
        "pooler_act": Key(ACTS, ODD_ACTS, often=0.3), "num_labels": Key([2, 3, 5]),
        "head_dim": Key([], [6], often=0)},
    "patchtst": {
        "num_input_channels": always([1, 3]), "context_length": always([32, 37]),
        "prediction_length": always([5, 8]), "patch_length": always([4, 8, 5], [40]),
        "patch_stride": always([2, 4, 8]), "d_model": always([8, 16, 12]), "num_hidden_layers": always([1, 2]),
        "num_attention_heads": always([1, 2, 4], [3]), "ffn_dim": always([16, 20]),
        "share_embedding": Key(FLAGS), "channel_attention": Key(FLAGS), "bias": Key(FLAGS),
        "norm_type": Key(["batchnorm", "layernorm"], ["rms"]), "norm_eps": NORM_EPS,
        "attention_dropout": DROP, "positional_dropout": DROP, "path_dropout": DROP, "ff_dropout": DROP,
        "head_dropout": DROP, "activation_function": ACT, "pre_norm": Key(FLAGS),
        "positional_encoding_type": Key(["sincos", "random"], ["none"]), "use_cls_token": Key(FLAGS),
        "init_std": INIT, "share_projection": Key([True, True, False]),
        "scaling": Key(["std", "mean", None, True, False], ["max"]), "loss": Key(["mse"], ["nll", None]),
        "pooling_type": Key(["mean", "max", None], ["sum"]), "do_mask_input": Key([None, False], [True], often=0.2),
        "minimum_scale": Key([1e-3], often=0.05), "default_scale": Key([1.0], often=0.05)},
}  # fmt: skip

# Classes of transformers, and what a model of each reads and gives.
CLASSES = {
    "gpt2": ["GPT2LMHeadModel"], "llama": ["LlamaForCausalLM"], "falcon": ["FalconForCausalLM"],
    "bert": ["BertModel", "BertForMaskedLM", "BertForPreTraining", "BertForNextSentencePrediction",
             "BertForSequenceClassification", "BertForTokenClassification"],
    "t5": ["T5ForConditionalGeneration"], "bart": ["BartForConditionalGeneration"],
    "mbart": ["MBartForConditionalGeneration"], "m2m_100": ["M2M100ForConditionalGeneration"],
    "marian": ["MarianMTModel"], "vit": ["ViTModel", "ViTForImageClassification"],
    "patchtst": ["PatchTSTForPrediction"]}
ROTARY = {"llama", "falcon"}


def draw(family, rng):
    keys = COMMON | SPACES[family]
    config = {"model_type": family}
    if rng.randrange(15):
        config["architectures"] = [rng.choice(CLASSES[family])]
    for key, space in keys.items():
        for value in space.draw(rng):
            config[key] = value
    if family in ROTARY:
        add_rope(rng, config)
    if (labels := config.pop("num_labels", None)) and rng.random() < 0.7:
        config["id2label"] = {str(i): f"name {i}" for i in range(labels)}
    elif labels:
        config["num_labels"] = labels
    return config
