"""Keys of config.json of what reads texts, images and series without writing, as configurations.py
draws them."""

from configuration_keys import (ACT, ACTS, DROP, FLAGS, HEADS, INIT, NORM_EPS, ODD_ACTS, SIZES, TIED, VOCAB, Key,
                                always, rope)

BERT = {
    "vocab_size": always([VOCAB]), "hidden_size": always(SIZES), "num_hidden_layers": always([1, 2, 3]),
    "num_attention_heads": always(HEADS, [5]), "intermediate_size": always([16, 40]),
    "max_position_embeddings": always([20, 40]), "type_vocab_size": Key([1, 2, 3], [0]),
    "hidden_act": ACT, "layer_norm_eps": NORM_EPS, "initializer_range": INIT,
    "hidden_dropout_prob": DROP, "attention_probs_dropout_prob": DROP,
    "classifier_dropout": Key([None, 0.1]), "pad_token_id": Key([0, 5, None], [VOCAB]),
    "tie_word_embeddings": TIED, "num_labels": Key([2, 3, 5], [1]),
    "position_embedding_type": Key(["absolute"], ["relative_key"], often=0.1)}

VIT = {
    "image_size": always([12, 16, [8, 12]], [9]), "patch_size": always([4, 2, [4, 2]], [5]),
    "num_channels": Key([1, 3, 2]), "hidden_size": always(SIZES), "num_hidden_layers": always([1, 2]),
    "num_attention_heads": always(HEADS, [5]), "intermediate_size": always([16, 40]),
    "hidden_act": ACT, "layer_norm_eps": NORM_EPS, "initializer_range": INIT,
    "hidden_dropout_prob": DROP, "attention_probs_dropout_prob": DROP, "qkv_bias": Key(FLAGS),
    "encoder_stride": Key([16], often=0.2), "pooler_output_size": Key([None, 12], often=0.3),
    "pooler_act": Key(ACTS, ODD_ACTS, often=0.3), "num_labels": Key([2, 3, 5]),
    "head_dim": Key([], [6], often=0)}

PATCHTST = {
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
    "minimum_scale": Key([1e-3], often=0.05), "default_scale": Key([1.0], often=0.05)}

DISTILBERT = {
    "vocab_size": always([VOCAB]), "dim": always(SIZES), "n_layers": always([1, 2, 3]), "n_heads": always(HEADS, [5]),
    "hidden_dim": always([16, 40]), "max_position_embeddings": always([20, 40]), "activation": ACT,
    "sinusoidal_pos_embds": Key(FLAGS, often=0.2), "dropout": DROP, "attention_dropout": DROP,
    "seq_classif_dropout": DROP, "qa_dropout": DROP, "initializer_range": INIT,
    "pad_token_id": Key([0, 5, None], [VOCAB]), "tie_word_embeddings": TIED, "num_labels": Key([2, 3, 5], [1]),
    "hidden_size": Key([], [16, 24], often=0), "num_attention_heads": Key([], [2, 4], often=0),
    "num_hidden_layers": Key([], [1, 2], often=0)}

ELECTRA = BERT | {
    "embedding_size": always([8, 12, 16, 32]), "summary_type": Key(["first"], ["last"], often=0.1),
    "summary_activation": Key(["gelu"], ["tanh"], often=0.1), "summary_use_proj": Key([True], [False], often=0.1),
    "summary_last_dropout": DROP}

MPNET = {k: v for k, v in BERT.items() if k not in ("type_vocab_size", "classifier_dropout")} | {
    "relative_attention_num_buckets": Key([32], [8, 31], often=0.3), "pad_token_id": Key([1, 0, 5], [None, VOCAB]),
    "bos_token_id": Key([0, None], often=0.2), "eos_token_id": Key([2, None], often=0.2)}

DEBERTA_V2 = BERT | {
    "type_vocab_size": Key([0, 0, 2, 3]), "relative_attention": Key([True, True, True, False]),
    "pos_att_type": Key(["p2c|c2p", ["p2c", "c2p"], "c2p", ["p2c"], "c2p|p2c"], [None, [], "P2C | C2P", "p2p"], 0.9),
    "max_relative_positions": Key([-1, 4, 20], [0, 1]), "position_buckets": Key([-1, 4, 6, 8], [0, 2, 64, 7]),
    "position_biased_input": Key(FLAGS), "share_att_key": Key(FLAGS), "norm_rel_ebd": Key(["layer_norm", "none"],
    ["batch_norm", None, "Layer_Norm|none"]), "pooler_dropout": DROP, "cls_dropout": Key([None, 0.1]),
    "pooler_hidden_act": Key(ACTS, ODD_ACTS, 0.3), "pooler_hidden_size": Key([], [8, 12], often=0),
    "legacy": Key([True], [False], often=0.2), "conv_kernel_size": Key([0], [3], often=0.1),
    "attention_head_size": Key([], [4, 6], often=0), "embedding_size": Key([8, 16], often=0.2)}

MODERNBERT = {
    "vocab_size": always([VOCAB]), "hidden_size": always(SIZES), "num_hidden_layers": always([1, 2, 3, 4]),
    "num_attention_heads": always(HEADS, [5]), "intermediate_size": always([16, 40, 33]),
    "max_position_embeddings": always([12, 40]), "hidden_activation": ACT, "norm_eps": NORM_EPS,
    "norm_bias": Key(FLAGS), "attention_bias": Key(FLAGS), "mlp_bias": Key(FLAGS), "decoder_bias": Key(FLAGS),
    "attention_dropout": DROP, "embedding_dropout": DROP, "mlp_dropout": DROP, "classifier_dropout": DROP,
    "initializer_range": INIT, "initializer_cutoff_factor": Key([2.0], often=0.2),
    "local_attention": Key([2, 4, 8, 128], [1, 3, 0]), "global_attn_every_n_layers": Key([1, 2, 3], [0, None]),
    "layer_types": Key([["sliding_attention", "full_attention"]], often=0.3),
    "classifier_pooling": Key(["cls", "mean"], ["max"]), "classifier_bias": Key(FLAGS),
    "classifier_activation": Key(ACTS, ODD_ACTS), "deterministic_flash_attn": Key([False], often=0.1),
    "sparse_prediction": Key([False], [True], 0.2), "sparse_pred_ignore_index": Key([-100], often=0.1),
    "tie_word_embeddings": TIED, "pad_token_id": Key([0, 5, None], [VOCAB], 1.1), "num_labels": Key([2, 3, 5], [1]),
    "bos_token_id": Key([1, None], often=1.1), "eos_token_id": Key([2, None], often=1.1),
    "cls_token_id": Key([1, None]), "sep_token_id": Key([2, None]), "head_dim": Key([], [4], often=0),
    "reference_compile": Key([False, None], often=0.1)}

DINOV2 = {k: v for k, v in VIT.items()
          if k not in ("intermediate_size", "encoder_stride", "pooler_output_size", "pooler_act")} | {
    "image_size": always([12, 16], [[8, 12], 9]), "patch_size": always([4, 2], [[4, 2], 5]),
    "mlp_ratio": Key([1, 2, 4], [0, 2.5]), "use_swiglu_ffn": Key(FLAGS), "layerscale_value": Key([1.0, 0.5], [0]),
    "drop_path_rate": DROP, "use_mask_token": Key(FLAGS), "apply_layernorm": Key(FLAGS, often=0.1),
    "reshape_hidden_states": Key(FLAGS, often=0.1), "out_features": Key([None], [["stage1"]], often=0.1)}

PATCHTSMIXER = {
    **{k: PATCHTST[k] for k in ("num_input_channels", "context_length", "prediction_length", "patch_length",
                                "patch_stride", "d_model", "norm_eps", "head_dropout", "init_std", "scaling", "loss")},
    "num_layers": always([1, 2, 3]), "expansion_factor": Key([1, 2, 3], [0]), "dropout": DROP,
    "mode": Key(["common_channel", "mix_channel"], ["mix"]), "gated_attn": Key(FLAGS),
    "norm_mlp": Key(["LayerNorm", "BatchNorm", "batchnorm"], ["rms", None]), "self_attn": Key(FLAGS),
    "self_attn_heads": Key([1, 2, 4], [3]), "use_positional_encoding": Key(FLAGS),
    "positional_encoding_type": Key(["sincos", "random"], ["none"]), "hidden_size": Key([], [8, 16], often=0),
    "num_hidden_layers": Key([], [1, 2], often=0), "prediction_channel_indices": Key([None], [[0]], often=0.1),
    "num_parallel_samples": Key([100], often=0.1), "post_init": Key(FLAGS, often=0.1)}

TOWER = {
    "hidden_size": always(SIZES), "intermediate_size": always([16, 40]), "num_hidden_layers": always([1, 2]),
    "num_attention_heads": always(HEADS, [5]), "hidden_act": ACT, "layer_norm_eps": NORM_EPS,
    "attention_dropout": DROP, "initializer_range": INIT, "initializer_factor": Key([1.0], often=0.1),
    "projection_dim": Key([16, 512], often=0.2)}
CLIP_TEXT = TOWER | {
    "vocab_size": always([VOCAB]), "max_position_embeddings": always([12, 40]), "eos_token_id": always([2, 7, VOCAB - 1]),
    "bos_token_id": Key([1, None]), "pad_token_id": Key([1, 0], often=1.1)}
CLIP_VISION = TOWER | {
    "image_size": always([12, 16], [9]), "patch_size": always([4, 2], [5]), "num_channels": Key([1, 3, 2])}
CLIP = {"projection_dim": always([16, 12]), "logit_scale_init_value": Key([2.6592, 1.5], [0], often=0.5),
        "initializer_factor": Key([1.0], often=0.1)}

TIMESFM = {
    "patch_length": always([4, 8, 5]), "context_length": always([40, 80], [37]), "horizon_length": always([5, 8]),
    "freq_size": Key([1, 3], [0]), "num_hidden_layers": always([1, 2, 3]), "hidden_size": always([8, 12, 16, 30], [9]),
    "intermediate_size": always([16, 20, 33]), "head_dim": always([4, 6, 5]), "num_attention_heads": always([1, 2, 3]),
    "tolerance": Key([1e-6, 1e-3], [0]), "rms_norm_eps": NORM_EPS,
    "quantiles": Key([[0.1, 0.5, 0.9], [0.5], [0.25, 0.75]], [[], [2.0], None]), "pad_val": Key([1123581321.0, -5.0]),
    "attention_dropout": DROP, "use_positional_embedding": Key(FLAGS), "initializer_range": INIT,
    "min_timescale": Key([1, 2], [0]), "max_timescale": Key([10000, 50], [0])}  # fmt: skip

SPACES = {
    "timesfm": TIMESFM,
    "bert": BERT, "vit": VIT, "patchtst": PATCHTST, "distilbert": DISTILBERT, "electra": ELECTRA,
    "roberta": BERT | {"pad_token_id": Key([0, 1, 5], [None, VOCAB])},
    "xlm-roberta": BERT | {"pad_token_id": Key([0, 1, 5], [None, VOCAB])},
    "modernbert": MODERNBERT, "mpnet": MPNET, "deberta-v2": DEBERTA_V2, "deit": VIT, "dinov2": DINOV2,
    "patchtsmixer": PATCHTSMIXER, "clip": CLIP}  # fmt: skip


def headed(name, *more):
    heads = ["Model", "ForMaskedLM", "ForSequenceClassification", "ForTokenClassification", "ForQuestionAnswering"]
    return [name + head for head in (*heads, *more)]


# Classes of transformers, and what a model of each reads and gives.
CLASSES = {
    "bert": headed("Bert", "ForPreTraining", "ForNextSentencePrediction"), "roberta": headed("Roberta"),
    "xlm-roberta": headed("XLMRoberta"), "distilbert": headed("DistilBert"),
    "electra": headed("Electra", "ForPreTraining"), "modernbert": headed("ModernBert"), "mpnet": headed("MPNet"),
    "deberta-v2": headed("DebertaV2"), "vit": ["ViTModel", "ViTForImageClassification"],
    "deit": ["DeiTModel", "DeiTForImageClassification", "DeiTForImageClassificationWithTeacher"],
    "dinov2": ["Dinov2Model", "Dinov2ForImageClassification"], "patchtst": ["PatchTSTForPrediction"],
    "patchtsmixer": ["PatchTSMixerForPrediction"], "timesfm": ["TimesFmModelForPrediction"], "clip": ["CLIPModel"]}


def add_modernbert_rope(rng, config):
    """Of each kind of layers, or in the keys of older files."""
    what, context = rng.randrange(4), config["max_position_embeddings"]
    if what == 1:
        config["global_rope_theta"] = rng.choice([160000.0, 10000, 500.0])
        if rng.random() < 0.6:
            config["local_rope_theta"] = rng.choice([10000.0, 300])
        if rng.random() < 0.3:
            config["rope_scaling"] = rng.choice([rope(rng, context), None])
    elif what > 1:
        kinds = {"full_attention": rope(rng, context), "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0}}
        if rng.randrange(10) == 0:
            del kinds[rng.choice(sorted(kinds))]
        config["rope_parameters"] = kinds


def add_clip_sides(rng, config):
    """A configuration for each of the two; heads that share the width, but for one in twelve."""
    for name, keys in (("text_config", CLIP_TEXT), ("vision_config", CLIP_VISION)):
        side = {key: value for key, space in keys.items() for value in space.draw(rng)}
        if side["num_attention_heads"] != 5 and rng.randrange(12):
            side["hidden_size"] = side["num_attention_heads"] * rng.choice([4, 6, 8, 10])
        config[name] = side
