"""What check_configurations.py draws: for each family the keys of its config.json, with values that
people use, and odd ones that come now and then."""

import encoder_configurations as encoders
from configuration_keys import (ACT, COMMON, DROP, FLAGS, HEADS, INIT, NORM_EPS, SIZES, TIED, VOCAB, Key, add_rope,
                                always, rope)

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

LAYERDROP = Key([0.0, 0.1], [0, 1, None])  # transformers wants a point in it

BART = {
    "vocab_size": always([VOCAB]), "d_model": always(SIZES), "encoder_layers": always([1, 2]),
    "decoder_layers": always([1, 2]), "encoder_attention_heads": always([1, 2, 4], [3, 5]),
    "decoder_attention_heads": always([1, 2, 4], [3, 5]), "encoder_ffn_dim": always([16, 40]),
    "decoder_ffn_dim": always([16, 40]), "max_position_embeddings": always([40]),
    "activation_function": ACT, "dropout": DROP, "attention_dropout": DROP, "activation_dropout": DROP,
    "encoder_layerdrop": LAYERDROP, "decoder_layerdrop": LAYERDROP, "scale_embedding": Key(FLAGS),
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
}  # fmt: skip

# Decoders after LLaMA: its keys without some, and their own.
WINDOW = Key([None, 3, 5, 64], [0])
KINDS = ["sliding_attention", "full_attention"]
PADDED = Key([0, 5, None], [VOCAB], 1.1)  # the default of most is beyond a small vocabulary


def like_llama(*without, **own):
    return {k: v for k, v in LLAMA.items() if k not in (*without, "pretraining_tp")} | own


def gemma(*without, **own):
    return like_llama("mlp_bias", "hidden_act", *without, head_dim=always([4, 6, 8, 16], [5]), pad_token_id=PADDED,
                      **own)


GEMMA2 = dict(hidden_activation=ACT, query_pre_attn_scalar=Key([8, 16, 256], [0, 7.5]), sliding_window=WINDOW,
              layer_types=Key([KINDS]), final_logit_softcapping=Key([None, 2.0, 30.0], [0, 30]),
              use_bidirectional_attention=Key([False, None], [True], 0.1, 60))
SPACES |= {
    "qwen2": like_llama("attention_bias", "mlp_bias", use_sliding_window=Key(FLAGS), sliding_window=WINDOW,
                        max_window_layers=Key([0, 1, 2, 28]), layer_types=Key([KINDS], often=0.3)),
    "qwen3": like_llama("mlp_bias", head_dim=always([4, 6, 8, 16], [5]), use_sliding_window=Key(FLAGS),
                        sliding_window=WINDOW, max_window_layers=Key([0, 1, 2, 28]),
                        layer_types=Key([KINDS], often=0.3)),
    "mistral": like_llama("attention_bias", "mlp_bias", sliding_window=WINDOW),
    "gemma": gemma(hidden_act=ACT, hidden_activation=Key([None], ["relu"], 0.2)),
    "gemma2": gemma(attn_logit_softcapping=Key([None, 1.0, 50.0], [0]), **GEMMA2),
    "gemma3_text": gemma(sliding_window_pattern=Key([1, 2, 6], often=0.3),
                         rope_local_base_freq=Key([500.0, 10000.0], often=0.2), **GEMMA2),
    "phi3": like_llama("attention_bias", "mlp_bias", "head_dim", sliding_window=WINDOW, resid_pdrop=DROP,
                       embd_pdrop=DROP, pad_token_id=PADDED, partial_rotary_factor=Key([0.5, 1.0], often=0.2),
                       original_max_position_embeddings=Key([8, 16])),
    "olmo2": like_llama("mlp_bias", "head_dim", pad_token_id=PADDED),
    "smollm3": like_llama("head_dim", use_sliding_window=Key(FLAGS), sliding_window=WINDOW,
                          no_rope_layers=Key([[1, 0, 1]], [[1], [2, 1, 0]], 0.3), pad_token_id=PADDED,
                          no_rope_layer_interval=Key([1, 2, 4]), layer_types=Key([KINDS], often=0.2)),
    "mixtral": like_llama("attention_bias", "mlp_bias", sliding_window=WINDOW,
                          num_local_experts=always([1, 2, 4, 8], [3]), num_experts_per_tok=always([1, 2], [3, 0, 9]),
                          output_router_logits=Key(FLAGS, often=0.2), router_aux_loss_coef=Key([0.001, 0.1], often=0.2),
                          router_jitter_noise=Key([0.0], [0.1], often=0.1)),
    "exaone4": like_llama("attention_bias", "mlp_bias", sliding_window=WINDOW,
                          sliding_window_pattern=Key([1, 2, 4], ["LLLG", 0, None]),
                          layer_types=Key([KINDS], often=0.3)),
    "gpt_neox": {
        "vocab_size": always([VOCAB]), "hidden_size": always(SIZES), "num_hidden_layers": always([1, 2, 3]),
        "num_attention_heads": always(HEADS, [5]), "intermediate_size": always([16, 40]),
        "max_position_embeddings": always([20, 40]), "hidden_act": ACT, "layer_norm_eps": NORM_EPS,
        "rotary_pct": Key([0.25, 0.5, 1.0], [0.1, 0]), "rotary_emb_base": Key([10000, 500.0], often=0.3),
        "hidden_dropout": DROP, "attention_dropout": DROP, "initializer_range": INIT,
        "attention_bias": Key(FLAGS), "use_parallel_residual": Key(FLAGS, [None]), "tie_word_embeddings": TIED,
        "bos_token_id": Key([1, None]), "eos_token_id": Key([2, None])},
    "starcoder2": like_llama("attention_bias", "mlp_bias", "rms_norm_eps", norm_epsilon=NORM_EPS, use_bias=Key(FLAGS),
                             sliding_window=WINDOW, residual_dropout=DROP, embedding_dropout=DROP),
    "stablelm": like_llama("attention_bias", "mlp_bias", "rms_norm_eps", layer_norm_eps=NORM_EPS, use_qkv_bias=Key(FLAGS),
                           use_parallel_residual=Key(FLAGS), qk_layernorm=Key([False], [True], often=0.2),
                           hidden_dropout=DROP),
    "opt": {
        "vocab_size": always([VOCAB]), "hidden_size": always(SIZES), "word_embed_proj_dim": Key([8, 16, None], often=0.3),
        "num_hidden_layers": always([1, 2, 3]), "num_attention_heads": always(HEADS, [5]),
        "ffn_dim": always([16, 40]), "max_position_embeddings": always([20, 40]), "activation_function": ACT,
        "do_layer_norm_before": Key(FLAGS), "_remove_final_layer_norm": Key(FLAGS, often=0.3),
        "enable_bias": Key(FLAGS), "layer_norm_elementwise_affine": Key([True], [False], often=0.2),
        "dropout": DROP, "attention_dropout": DROP, "layerdrop": DROP, "init_std": INIT,
        "pad_token_id": Key([0, 1, 5, None], [VOCAB]), "bos_token_id": Key([1, None]),
        "eos_token_id": Key([2, None]), "tie_word_embeddings": TIED},
}  # fmt: skip

SPACES |= encoders.SPACES

CLASSES = encoders.CLASSES | {
    "gpt2": ["GPT2LMHeadModel"], "llama": ["LlamaForCausalLM"], "falcon": ["FalconForCausalLM"],
    "t5": ["T5ForConditionalGeneration"], "bart": ["BartForConditionalGeneration"],
    "mbart": ["MBartForConditionalGeneration"], "m2m_100": ["M2M100ForConditionalGeneration"],
    "marian": ["MarianMTModel"], "qwen2": ["Qwen2ForCausalLM"], "qwen3": ["Qwen3ForCausalLM"],
    "mistral": ["MistralForCausalLM"], "mixtral": ["MixtralForCausalLM"], "gemma": ["GemmaForCausalLM"],
    "gemma2": ["Gemma2ForCausalLM"], "gemma3_text": ["Gemma3ForCausalLM"], "phi3": ["Phi3ForCausalLM"],
    "olmo2": ["Olmo2ForCausalLM"], "smollm3": ["SmolLM3ForCausalLM"], "exaone4": ["Exaone4ForCausalLM"],
    "gpt_neox": ["GPTNeoXForCausalLM"], "opt": ["OPTForCausalLM"], "starcoder2": ["Starcoder2ForCausalLM"],
    "stablelm": ["StableLmForCausalLM"]}
ROTARY = {"llama", "falcon", "qwen2", "qwen3", "mistral", "mixtral", "gemma", "gemma2", "olmo2", "smollm3", "exaone4",
          "gpt_neox", "starcoder2", "stablelm"}


def fit_heads(rng, config):
    """Heads that share the width, and keys that heads share, but for one in twelve."""
    width = next((k for k in ("hidden_size", "n_embd", "dim", "d_model") if k in config), None)
    heads = config.get("num_attention_heads", config.get("n_head", config.get("n_heads")))
    if config["model_type"] == "timesfm" or not heads or heads == 5 or rng.randrange(12) == 0:
        return
    config[width] = heads * rng.choice([4, 6, 8, 10, 16])
    usual = SPACES[config["model_type"]]
    for key in ("num_key_value_heads", "num_kv_heads"):
        if config.get(key) in (1, 2, 4) or key in usual and key not in config and rng.randrange(8):
            config[key] = rng.choice([n for n in (1, 2, 3, 4, 6) if heads % n == 0])


def fit_layers(rng, config):
    """Lists of layers as long as the model, but for one in twenty."""
    for key in ("layer_types", "no_rope_layers"):
        if key in config and rng.randrange(20):
            config[key] = [rng.choice(config[key]) for _ in range(config["num_hidden_layers"])]
    if "sliding_attention" in config.get("layer_types", ()) and rng.randrange(12):  # which want a window
        config["sliding_window"] = rng.choice([3, 5, 64])
        config |= {"use_sliding_window": True} if "use_sliding_window" in SPACES[config["model_type"]] else {}


def add_gemma3_rope(rng, config):
    """Of each kind of layers, or as older files have it."""
    context = config["max_position_embeddings"]
    if rng.random() < 0.5:
        return add_rope(rng, config) if rng.random() < 0.3 else None
    kinds = {"full_attention": rope(rng, context), "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0}}
    config["rope_parameters"] = kinds


def add_phi3_rope(rng, config):
    """Factors of each pair."""
    if rng.random() < 0.4:
        return
    share = config.get("partial_rotary_factor", 1.0)
    pairs = int(config["hidden_size"] // config["num_attention_heads"] * share) // 2 + (rng.randrange(25) == 0)
    factors = {f"{kind}_factor": [round(1 + 3 * rng.random(), 3) for _ in range(pairs)] for kind in ("short", "long")}
    key = rng.choice(["rope_scaling", "rope_parameters"])
    config[key] = {"type": rng.choice(["longrope", "longrope", "su", "yarn", "linear"])} | factors


def draw(family, rng):
    keys = COMMON | SPACES[family]
    config = {"model_type": family}
    if rng.randrange(15):
        config["architectures"] = [rng.choice(CLASSES[family])]
    for key, space in keys.items():
        for value in space.draw(rng):
            config[key] = value
    fit_heads(rng, config)
    if family in ROTARY:
        add_rope(rng, config)
    elif family in OWN_KEYS:
        OWN_KEYS[family](rng, config)
    if config.get("alibi"):
        config.pop("attn_implementation", None)  # transformers adds ALiBi twice when it is "eager"
    fit_layers(rng, config)
    if (labels := config.pop("num_labels", None)) and rng.random() < 0.7:
        config["id2label"] = {str(i): f"name {i}" for i in range(labels)}
    elif labels:
        config["num_labels"] = labels
    return config


OWN_KEYS = {"clip": encoders.add_clip_sides, "gemma3_text": add_gemma3_rope, "phi3": add_phi3_rope, "modernbert": encoders.add_modernbert_rope}
