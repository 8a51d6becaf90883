"""Kinds 81 to 105: config.json. A family's own directory, with one key otherwise."""

import json

from case import GOLDENS, Case

CONFIG = "config.json"
GENERATE = ("generate", "@", "-p", "a", "-n", "1")
TOKENIZER = '{"model":{"type":"WordLevel","unk_token":"a","vocab":{"a":0}}}'
SIZE = "an integer from 1"


def with_key(golden, key, value):
    """The golden's configuration with one key set to this text, JSON or not."""
    config = json.loads((GOLDENS / golden / CONFIG).read_text())
    config[key] = "@"
    return json.dumps(config, indent=2).replace('"@"', value)


def text(kind, what, content, words):
    return Case(kind, what, {CONFIG: content}, golden="gpt2-a", file=CONFIG, words=words)


def key(kind, golden, name, value, words, placed=True):
    """`placed`: the error names a byte of config.json; else the tensors that do not fit."""
    what = f"{golden} {name} " + value[:20].replace("-", "minus ")
    return Case(kind, what, {CONFIG: with_key(golden, name, value)}, golden=golden,
                file=CONFIG if placed else "", place="byte" if placed else "", words=words)


def nested(depth):
    return '{"model_type":"gpt2","x":' + "[" * depth + "]" * depth + "}"


def texts():
    remote = '{"AutoModel":"modeling_x.XModel"}'
    return [
        text("81", "empty", "", "wanted a JSON value"),
        text("82", "array", "[]", "wanted an object"),
        text("82", "string", '"gpt2"', "wanted an object"),
        text("83", "key twice", '{"model_type":"gpt2","n_embd":32,"n_embd":64}', "a second time"),
        text("83", "key twice, once escaped",
             r'{"model_type":"gpt2","n_embd":32,"n\u005fembd":64}', "a second time"),
        text("84", "depth 65", nested(64), "deeper than 64"),
        text("84", "depth 1,000,000", nested(1_000_000), "deeper than 64"),
        text("85", "no model_type", "{}", '"model_type" is missing'),
        text("104", "remote code of another family",
             '{"model_type":"x","auto_map":' + remote + "}", "remote code is not run"),
        key("104", "gpt2-a", "auto_map", remote, "remote code is not run"),
        key("104", "gpt2-a", "auto_map", '"modeling.py"', "wanted an object"),
    ]


def numbers():
    return [
        key("85", "gpt2-a", "model_type", '"gpt9"', "wanted one of gpt2"),
        key("85", "gpt2-a", "model_type", "3", "wanted a string"),
        key("86", "gpt2-a", "n_embd", "0", SIZE),
        key("86", "llama-a", "hidden_size", "0", SIZE),
        key("86", "falcon-a", "hidden_size", "0", SIZE),
        key("86", "bert-a", "hidden_size", "0", SIZE),
        key("86", "vit-a", "hidden_size", "0", SIZE),
        key("86", "marian-a", "d_model", "0", SIZE),
        key("86", "patchtst-a", "d_model", "0", SIZE),
        key("87", "bert-a", "hidden_size", "-24", SIZE),
        key("87", "llama-a", "vocab_size", "-1", SIZE),
        key("88", "llama-a", "hidden_size", "2147483648", SIZE + " to 16777216"),
        key("88", "gpt2-a", "n_embd", "9223372036854775808", "an integer"),
        key("88", "gpt2-a", "n_embd", "16777216", "wants [97, 16777216]", False),
        key("88", "marian-a", "max_position_embeddings", "16777216", SIZE + " to 65536"),
        key("88", "patchtst-a", "context_length", "16777216", "wants [5592", False),
        key("88", "patchtst-a", "num_input_channels", "16777216", SIZE + " to 65536"),
        key("88", "bert-a", "id2label", "null, \"num_labels\": 2147483648", SIZE),
        key("89", "gpt2-a", "n_embd", '"768"', 'found "768", wanted an integer'),
        key("89", "vit-a", "image_size", '"16"', 'found "16", wanted an integer'),
        key("90", "gpt2-a", "resid_pdrop", "NaN", "wanted a JSON value"),
        key("90", "gpt2-a", "resid_pdrop", "Infinity", "wanted a JSON value"),
        key("90", "gpt2-a", "resid_pdrop", "-Infinity", "wanted a JSON value"),
        key("91", "gpt2-a", "n_head", "5", "a divisor of n_embd 32"),
        key("91", "llama-a", "num_attention_heads", "5", "a divisor of hidden_size"),
        key("91", "falcon-a", "num_attention_heads", "5", "a divisor of hidden_size"),
        key("91", "bert-a", "num_attention_heads", "5", "a divisor of hidden_size 24"),
        key("91", "vit-a", "num_attention_heads", "5", "a divisor of hidden_size"),
        key("91", "marian-a", "decoder_attention_heads", "5", "a divisor of d_model"),
        key("91", "patchtst-a", "num_attention_heads", "5", "a divisor of d_model"),
        key("92", "llama-a", "num_key_value_heads", "3", "a divisor of num_attention_heads 4"),
        key("93", "llama-a", "num_key_value_heads", "0", SIZE),
        key("93", "falcon-c", "num_kv_heads", "0", SIZE),
        key("93", "gpt2-a", "n_head", "0", SIZE),
        key("94", "gpt2-a", "n_layer", "1000000000", SIZE + " to 10000"),
        key("94", "llama-a", "num_hidden_layers", "10000", "or more tensors do not fit", False),
    ]


def meanings():
    return [
        key("95", "gpt2-a", "vocab_size", "98", "has [97, 32], the model wants [98, 32]", False),
        key("96", "llama-a", "rope_parameters", '{"rope_theta":0}', "a number above 1"),
        key("96", "llama-a", "rope_parameters", '{"rope_theta":-10000.0}', "a number above 1"),
        key("96", "llama-a", "rope_parameters", 'null, "rope_theta": 0', "a number above 1"),
        key("96", "falcon-a", "rope_parameters", 'null, "rope_theta": -1', "a number above 1"),
        key("97", "gpt2-a", "layer_norm_epsilon", "0", "a small positive number"),
        key("97", "llama-a", "rms_norm_eps", "-1e-6", "a small positive number"),
        key("97", "llama-a", "rms_norm_eps", "1e400", "1e400"),
        key("98", "llama-a", "max_position_embeddings", "0", SIZE),
        key("98", "gpt2-a", "n_positions", "0", SIZE),
        key("99", "vit-a", "patch_size", "17", "patches that fill image_size"),
        key("99", "vit-a", "image_size", "17", "patches that fill image_size"),
        key("99", "vit-a", "image_size", "[16, 17]", "patches that fill image_size"),
        key("99", "vit-a", "patch_size", "0", SIZE),
        key("100", "patchtst-a", "patch_length", "23", "less than context_length 22"),
        key("100", "patchtst-a", "patch_stride", "0", SIZE),
        key("101", "gpt2-a", "attn_pdrop", "1.5", "a number from 0 up to"),
        key("101", "bert-a", "hidden_dropout_prob", "-0.1", "a number from 0 up to"),
        key("102", "llama-a", "head_dim", "7", "an even number"),
        key("102", "falcon-a", "num_attention_heads", "8", "heads of an even width"),
        key("103", "gpt2-a", "n_layer", "3", "h.2.ln_1.weight: missing", False),
        key("103", "gpt2-a", "n_layer", "1", "not used by the model", False),
        key("103", "gpt2-a", "n_inner", "129", "[32, 129]", False),
    ] + [
        Case("105", "end token " + end.replace("-", "minus "),
             {CONFIG: with_key("gpt2-a", "eos_token_id", end), "tokenizer.json": TOKENIZER,
              "generation_config.json": None}, GENERATE, golden="gpt2-a", file=CONFIG,
             words="wanted an id or a list" if end[0] == '"' else "wanted an id from 0 to 96")
        for end in ("97", "-1", "[1, 97]", '"</s>"')
    ]


def cases():
    return texts() + numbers() + meanings()
