"""Encoder-decoders as people download them, for check_directories.py: what each config.json says beside its
sizes is the published file's."""

import pathlib
import shutil

import published_tokenizers as tokens
from published import Directory

TRANSLATES = ("info", "forward", "translate")
T5 = dict(d_model=32, d_kv=8, num_heads=4, num_layers=2, d_ff=48, decoder_start_token_id=0, dropout_rate=0.1,
          eos_token_id=1, initializer_factor=1.0, is_encoder_decoder=True, layer_norm_epsilon=1e-6, model_type="t5",
          output_past=True, pad_token_id=0, relative_attention_num_buckets=32, vocab_size=None)
BART = dict(activation_dropout=0.0, attention_dropout=0.0, d_model=32, decoder_attention_heads=4, decoder_ffn_dim=48,
            decoder_layerdrop=0.0, decoder_layers=2, dropout=0.1, encoder_attention_heads=4, encoder_ffn_dim=48,
            encoder_layerdrop=0.0, encoder_layers=2, init_std=0.02, is_encoder_decoder=True, num_hidden_layers=2,
            max_position_embeddings=128, scale_embedding=False, use_cache=True, vocab_size=None)
BART_BASE = BART | dict(activation_function="gelu", add_bias_logits=False, add_final_layer_norm=False, bos_token_id=0,
                        classifier_dropout=0.0, decoder_start_token_id=2, eos_token_id=2, forced_bos_token_id=0,
                        forced_eos_token_id=2, gradient_checkpointing=False, model_type="bart", normalize_before=False,
                        normalize_embedding=True, pad_token_id=1)
CNN = dict(early_stopping=True, length_penalty=2.0, max_length=142, min_length=5, no_repeat_ngram_size=3, num_beams=4)
MBART = BART | dict(activation_function="gelu", add_bias_logits=False, add_final_layer_norm=True, bos_token_id=0,
                    eos_token_id=2, forced_eos_token_id=2, model_type="mbart", normalize_before=True,
                    normalize_embedding=True, pad_token_id=1, scale_embedding=True, static_position_embeddings=False)
NLLB = BART | dict(activation_function="relu", architectures=["M2M100ForConditionalGeneration"], bos_token_id=0,
                   decoder_start_token_id=2, eos_token_id=2, max_length=200, model_type="m2m_100", pad_token_id=1,
                   scale_embedding=True)


def t5(modern=True):
    def make(folder):
        tokens.pieces(folder, "spiece.model", "T5Tokenizer", modern=modern, pad_id=0, eos_id=1, unk_id=2, bos_id=-1,
                      config={"extra_ids": 20, "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>",
                              "additional_special_tokens": [f"<extra_id_{i}>" for i in range(20)]})  # fmt: skip
    return make


def nllb(folder):
    """tokenizer.json with languages, which the class does not make of SentencePiece's file."""
    for file in (pathlib.Path(__file__).parent / "tokenizers" / "nllb").glob("tokenizer*.json"):
        shutil.copy(file, folder)


def bart(folder):
    tokens.byte_bpe(folder, "BartTokenizer", ("<s>", "<pad>", "</s>", "<unk>", "<mask>"))


TRANSLATORS = [
    Directory("google-t5/t5-small", "T5ForConditionalGeneration", T5 | dict(
        architectures=["T5ForConditionalGeneration"], n_positions=512, task_specific_params={"summarization": {
            "early_stopping": True, "length_penalty": 2.0, "max_length": 200, "min_length": 30,
            "no_repeat_ngram_size": 3, "num_beams": 4, "prefix": "summarize: "}}),
        TRANSLATES, t5(), prompt="translate English to German: ", room=8,
        generation=dict(_from_model_config=True, decoder_start_token_id=0, eos_token_id=1, pad_token_id=0)),
    Directory("t5 with spiece.model alone", "T5ForConditionalGeneration", T5 | dict(
        architectures=["T5ForConditionalGeneration"], n_positions=512), TRANSLATES, t5(False), room=3),
    Directory("google/flan-t5-base", "T5ForConditionalGeneration", T5 | dict(
        architectures=["T5ForConditionalGeneration"], feed_forward_proj="gated-gelu", num_decoder_layers=2,
        relative_attention_max_distance=128, tie_word_embeddings=False, n_positions=512), TRANSLATES, t5(), prompt="summarize: ",
        extra=lambda weights: {"lm_head.weight": weights["shared.weight"].flip(0) / 3}),
    Directory("facebook/bart-large-cnn", "BartForConditionalGeneration", BART_BASE | CNN | dict(
        _num_labels=3, architectures=["BartForConditionalGeneration"], output_past=True, prefix=" ",
        task_specific_params={"summarization": CNN}), TRANSLATES, bart),
    Directory("sshleifer/distilbart-cnn-12-6", "BartForConditionalGeneration", BART_BASE | dict(
        architectures=["BartForConditionalGeneration"], decoder_layers=1, extra_pos_embeddings=2, force_bos_token_to_be_generated=True,
        static_position_embeddings=False, save_step=58), TRANSLATES, bart, "f16", generation=CNN | dict(
            bos_token_id=0, decoder_start_token_id=2, eos_token_id=2, forced_bos_token_id=0, forced_eos_token_id=2,
            pad_token_id=1)),
    Directory("gogamza/kobart-base-v2", "BartForConditionalGeneration", BART_BASE | dict(
        architectures=["BartForConditionalGeneration"], author="Heewon Jeon", kobart_version=2.0, do_blenderbot_90_layernorm=False,
        tokenizer_class="PreTrainedTokenizerFast"), TRANSLATES, bart),
    Directory("facebook/mbart-large-50-many-to-many-mmt", "MBartForConditionalGeneration", MBART | dict(
        architectures=["MBartForConditionalGeneration"], decoder_start_token_id=2, early_stopping=True, max_length=200,
        num_beams=5, output_past=True, tokenizer_class="MBart50Tokenizer"),
        TRANSLATES, lambda folder: tokens.languages(folder, "MBart50Tokenizer", "en_XX", "ko_KR"),
        languages=("en_XX", "ko_KR")),
    Directory("facebook/mbart-large-en-ro", "MBartForConditionalGeneration", MBART | dict(
        architectures=["MBartForConditionalGeneration"], decoder_start_token_id="@ro_RO", max_length=200, num_beams=5),
        TRANSLATES, lambda folder: tokens.languages(folder, "MBartTokenizer", "en_XX", "ro_RO")),
    Directory("facebook/nllb-200-distilled-600M", "M2M100ForConditionalGeneration", NLLB,
              TRANSLATES, nllb,
              languages=("kor_Hang", "eng_Latn")),
    Directory("facebook/m2m100_418M", "M2M100ForConditionalGeneration", NLLB | dict(
        early_stopping=True, num_beams=5, gradient_checkpointing=False), TRANSLATES, tokens.m2m, languages=("en", "ko")),
    Directory("Helsinki-NLP/opus-mt-ko-en", "MarianMTModel", BART | dict(
        _num_labels=3, activation_function="swish", add_bias_logits=False, add_final_layer_norm=False,
        architectures=["MarianMTModel"], bad_words_ids=[["@<pad>"]], bos_token_id=0, classif_dropout=0.0, classifier_dropout=0.0,
        decoder_start_token_id="@<pad>", decoder_vocab_size=None, eos_token_id=0, forced_eos_token_id=0, max_length=128,
        model_type="marian", normalize_before=False, normalize_embedding=False, num_beams=4, pad_token_id="@<pad>",
        scale_embedding=True, share_encoder_decoder_embeddings=True, static_position_embeddings=True),
        TRANSLATES, tokens.marian),
]  # fmt: skip
