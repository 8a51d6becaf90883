"""Models of images and of series as people download them, and directories that are refused, for
check_directories.py: what each config.json says beside its sizes is the published file's."""

import published_tokenizers as tokens
from published import Directory
from published_encoders import LABELS

VIT = dict(attention_probs_dropout_prob=0.0, encoder_stride=4, hidden_act="gelu", hidden_dropout_prob=0.0, hidden_size=32,
           image_size=16, initializer_range=0.02, intermediate_size=48, layer_norm_eps=1e-12, num_attention_heads=4,
           num_channels=3, num_hidden_layers=2, patch_size=4, qkv_bias=True)
HALF = [0.5, 0.5, 0.5]
IMAGENET = dict(image_mean=[0.485, 0.456, 0.406], image_std=[0.229, 0.224, 0.225])
SIZE = {"height": 16, "width": 16}
CLIP_NAMES = ["<|startoftext|>", "<|endoftext|>"]
CLIP_SIDE = dict(attention_dropout=0.0, hidden_act="quick_gelu", hidden_size=32, initializer_factor=1.0, initializer_range=0.02,
                 intermediate_size=48, layer_norm_eps=1e-5, num_attention_heads=4, num_hidden_layers=2)
TST = dict(activation_function="gelu", attention_dropout=0.0, channel_attention=False, channel_consistent_masking=False, context_length=32,
           d_model=16, distribution_output="student_t", dropout=0.2, ffn_dim=24, head_dropout=0.2, loss="mse", model_type="patchtst",
           norm_eps=1e-5, norm_type="batchnorm", num_attention_heads=4, num_hidden_layers=2, num_input_channels=3,
           patch_length=4, patch_stride=4, pooling_type=None, positional_encoding_type="sincos", prediction_length=8,
           pre_norm=True, scaling="std", share_embedding=True, share_projection=True, unmasked_channel_indices=None,
           use_cls_token=False)


def clip_tokenizer(folder):
    """As openai's: words end with </w>, two special tokens stand last."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    import json

    learn = Tokenizer(models.BPE(end_of_word_suffix="</w>"))
    learn.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.ByteLevel(add_prefix_space=False)])
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    learn.train_from_iterator([line.lower() for line in tokens.TEXTS], trainers.BpeTrainer(
        vocab_size=700, end_of_word_suffix="</w>", initial_alphabet=alphabet, show_progress=False))
    model = json.loads(learn.to_str())["model"]
    vocab = model["vocab"]
    for letter in alphabet:
        vocab.setdefault(letter + "</w>", len(vocab))
    for name in CLIP_NAMES:
        vocab[name] = len(vocab)
    tokens.write_json(folder, "vocab.json", vocab)
    merges = [" ".join(one) if isinstance(one, list) else one for one in model["merges"]]
    (folder / "merges.txt").write_text("#version: 0.2\n" + "".join(one + "\n" for one in merges))
    tokens.write_json(folder, "tokenizer_config.json", {
        "tokenizer_class": "CLIPTokenizer", "bos_token": CLIP_NAMES[0], "eos_token": CLIP_NAMES[1],
        "unk_token": CLIP_NAMES[1], "pad_token": CLIP_NAMES[1], "model_max_length": 24, "do_lower_case": True})  # fmt: skip


OTHERS = [
    Directory("google/vit-base-patch16-224", "ViTForImageClassification", VIT | LABELS | dict(
        architectures=["ViTForImageClassification"], model_type="vit"), ("info", "image_labels"), prefix=True,
        files={"preprocessor_config.json": dict(do_normalize=True, do_resize=True, image_mean=HALF, image_std=HALF, size=SIZE,
                                                image_processor_type="ViTImageProcessor")}),
    Directory("google/vit-base-patch16-224-in21k", "ViTModel", VIT | dict(architectures=["ViTModel"], model_type="vit"),
              ("info", "image_vectors"), files={"preprocessor_config.json": dict(
                  do_normalize=True, do_resize=True, image_mean=HALF, image_std=HALF, size=16,
                  feature_extractor_type="ViTFeatureExtractor", resample=2)}),
    Directory("facebook/deit-base-distilled-patch16-224", "DeiTForImageClassificationWithTeacher", VIT | LABELS | dict(
        architectures=["DeiTForImageClassificationWithTeacher"], model_type="deit"), ("info", "image_labels"),
        files={"preprocessor_config.json": dict(crop_size=SIZE, do_center_crop=True, do_normalize=True, do_resize=True,
                                                feature_extractor_type="DeiTFeatureExtractor", resample=3,
                                                size={"height": 20, "width": 20}) | IMAGENET}),
    Directory("facebook/dinov2-base", "Dinov2Model", dict(
        apply_layernorm=True, architectures=["Dinov2Model"], attention_probs_dropout_prob=0.0, drop_path_rate=0.0, hidden_act="gelu",
        hidden_dropout_prob=0.0, hidden_size=32, image_size=16, initializer_range=0.02, layer_norm_eps=1e-6,
        layerscale_value=1.0, mlp_ratio=2, model_type="dinov2", num_attention_heads=4, num_channels=3, num_hidden_layers=2,
        out_features=["stage2"], out_indices=[2], patch_size=4, qkv_bias=True, reshape_hidden_states=True,
        stage_names=["stem", "stage1", "stage2"], use_swiglu_ffn=False), ("info", "image_vectors"),
        files={"preprocessor_config.json": dict(
            crop_size=SIZE, do_center_crop=True, do_convert_rgb=True, do_normalize=True, do_rescale=True, do_resize=True,
            image_processor_type="BitImageProcessor", resample=3, rescale_factor=1 / 255, size={"shortest_edge": 18}) | IMAGENET}),
    Directory("openai/clip-vit-base-patch32", "CLIPModel", dict(
        architectures=["CLIPModel"], initializer_factor=1.0, logit_scale_init_value=2.6592, model_type="clip", projection_dim=24,
        text_config=CLIP_SIDE | dict(bos_token_id="@<|startoftext|>", eos_token_id="@<|endoftext|>", max_position_embeddings=24,
                                     model_type="clip_text_model", vocab_size=None),
        vision_config=CLIP_SIDE | dict(image_size=16, patch_size=4, model_type="clip_vision_model")),
        ("info", "zero_shot"), clip_tokenizer,
        files={"preprocessor_config.json": dict(
            crop_size=16, do_center_crop=True, do_normalize=True, do_resize=True, feature_extractor_type="CLIPFeatureExtractor",
            image_mean=[0.48145466, 0.4578275, 0.40821073], image_std=[0.26862954, 0.26130258, 0.27577711], resample=3, size=16)}),
    Directory("ibm-granite/granite-timeseries-patchtst", "PatchTSTForPrediction", TST | dict(
        architectures=["PatchTSTForPrediction"], bias=True, do_mask_input=None, init_std=0.02, mask_type="random",
        mask_value=0, path_dropout=0.0, positional_dropout=0.0, random_mask_ratio=0.5),
        ("info", "forecast")),
    Directory("ibm-granite/granite-timeseries-patchtsmixer", "PatchTSMixerForPrediction", dict(
        architectures=["PatchTSMixerForPrediction"], channel_consistent_masking=True, context_length=32, d_model=12, distribution_output="student_t",
        dropout=0.2, expansion_factor=2, gated_attn=True, head_aggregation=None, head_dropout=0.2, loss="mse", mask_mode="mask_before_encoder",
        mask_type="random", mode="common_channel", model_type="patchtsmixer", norm_mlp="LayerNorm", num_input_channels=3,
        num_layers=2, output_range=None, patch_length=4, patch_stride=4, prediction_length=8, scaling="std",
        self_attn=False, use_positional_encoding=False), ("info", "forecast")),
    Directory("google/timesfm-2.0-500m-pytorch", "TimesFmModelForPrediction", dict(
        architectures=["TimesFmModelForPrediction"], attention_dropout=0.0, context_length=32, freq_size=3, head_dim=8, hidden_size=32,
        horizon_length=8, initializer_range=0.02, intermediate_size=48, max_timescale=10000, min_timescale=1,
        model_type="timesfm", num_attention_heads=4, num_hidden_layers=2, pad_val=1123581321.0, patch_length=4,
        quantiles=[0.1, 0.5, 0.9], rms_norm_eps=1e-6, tolerance=1e-6, use_positional_embedding=False),
        ("info", "forecast")),
    Directory("google/timesfm-2.5-200m-transformers", "TimesFm2_5ModelForPrediction", dict(
        architectures=["TimesFm2_5ModelForPrediction"], context_length=32, head_dim=8, hidden_size=32, horizon_length=8,
        intermediate_size=48, model_type="timesfm2_5", num_attention_heads=4, num_hidden_layers=1, num_key_value_heads=4,
        output_quantile_len=8, patch_length=4), ("info",), refuses="timesfm2_5"),
    Directory("meta-llama/Llama for labels of texts", "LlamaForSequenceClassification", dict(
        architectures=["LlamaForSequenceClassification"], model_type="llama", num_hidden_layers=1, hidden_size=16, intermediate_size=16,
        num_attention_heads=2, num_key_value_heads=2, vocab_size=None, tie_word_embeddings=True, pad_token_id=0),
        ("info", "generate"), tokens.llama2, refuses="architectures"),
    Directory("facebook/bart-large-mnli", "BartForSequenceClassification", dict(
        architectures=["BartForSequenceClassification"], model_type="bart", d_model=16, decoder_layers=1, encoder_layers=1,
        encoder_attention_heads=2, decoder_attention_heads=2, encoder_ffn_dim=16, decoder_ffn_dim=16, vocab_size=None,
        max_position_embeddings=64, bos_token_id=0, eos_token_id=2, pad_token_id=1, decoder_start_token_id=2),
        ("info", "translate"), lambda folder: tokens.byte_bpe(folder, "BartTokenizer", ("<s>", "<pad>", "</s>", "<unk>", "<mask>")),
        refuses="architectures"),
]  # fmt: skip
