"""Directories as people download them: the files of published models, small and with random weights.

A Directory has the config.json of a published model with smaller sizes, its weights in the type, the names
and the shards of the published file, and its tokenizer's files. "@WORD" in a configuration stands for the
number of that token. check_directories.py runs jogak over them."""

import json
from dataclasses import dataclass, field

import torch
import transformers
from safetensors.torch import load_file, save_file

from tiny import randomise

TYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}


@dataclass
class Directory:
    like: str  # the published one
    kind: str  # transformers' class
    config: dict
    checks: tuple  # of directory_checks.py
    tokenizer: object = None  # folder -> its files
    dtype: str = "f32"
    shards: str = ""  # "60KB": the most a file may have
    prefix: bool = True  # False: weights are named as the model without its head names them
    rename: dict = field(default_factory=dict)  # parts of names: transformers', and the file's
    extra: object = None  # weights -> tensors of the file that carry nothing
    drop: tuple = ()  # names that the published file does not have
    generation: dict | None = None  # generation_config.json
    files: dict = field(default_factory=dict)  # further files: text, JSON, or tensors of .safetensors
    languages: tuple = ()  # of the source, of the target
    prompt: str = ""  # what a T5 is told to do
    room: int = 0  # rows of the vocabulary that are no tokens
    refuses: str = ""  # the key by which jogak refuses it


def with_numbers(value, tokenizer):
    """"@WORD" becomes the number of the token."""
    if isinstance(value, dict):
        return {k: with_numbers(v, tokenizer) for k, v in value.items()}
    if isinstance(value, list):
        return [with_numbers(v, tokenizer) for v in value]
    if isinstance(value, str) and value.startswith("@") and len(value) > 1:
        number = tokenizer.convert_tokens_to_ids(value[1:])
        assert number is not None, f"no token {value[1:]}"
        return number
    return value


def write(folder, name, value):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if name.endswith(".safetensors"):
        save_file(value, path)
    else:
        path.write_text(value if isinstance(value, str) else json.dumps(value, indent=2) + "\n")


def rewrite_weights(folder, model, one):
    """The names of the published file, one file of it."""
    path = folder / "model.safetensors"
    weights = load_file(path)
    if not one.prefix:
        start = model.base_model_prefix + "."
        weights = {k.removeprefix(start): t for k, t in weights.items()}
    for ours, theirs in one.rename.items():
        weights = {k.replace(ours, theirs): t for k, t in weights.items()}
    weights |= one.extra(weights) if one.extra else {}
    weights = {k: t.contiguous() for k, t in weights.items() if k not in one.drop}
    save_file(weights, path, metadata={"format": "pt"})


def build(one, folder, seed):
    """Writes the directory; (tokenizer or None, the model that transformers reads from it, in float32)."""
    tokenizer = None
    write(folder, "config.json", {"model_type": one.config["model_type"]})  # by which tokenizers find their class
    if one.tokenizer:
        one.tokenizer(folder)
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    config = with_numbers(one.config, tokenizer)
    if tokenizer and config.get("vocab_size", 0) is None:
        config["vocab_size"] = len(tokenizer) + one.room
    text = config.get("text_config")
    if tokenizer and isinstance(text, dict) and text.get("vocab_size", 0) is None:
        text["vocab_size"] = len(tokenizer)
    write(folder, "config.json", config)
    kind = getattr(transformers, one.kind)
    read = transformers.AutoConfig.from_pretrained(folder)
    read._experts_implementation = "eager"
    torch.manual_seed(seed)
    model = randomise(kind(read), seed)
    rows = config.get("vocab_size")
    if one.room and rows:  # nothing of what is no token may be written
        with torch.no_grad():
            model.get_output_embeddings().weight[rows - one.room :] = 0
            model.get_input_embeddings().weight[rows - one.room :] = 0
    model.to(TYPES[one.dtype]).save_pretrained(folder, **({"max_shard_size": one.shards} if one.shards else {}))
    if one.rename or one.extra or one.drop or not one.prefix:
        rewrite_weights(folder, model, one)
    write(folder, "config.json", config)
    (folder / "generation_config.json").unlink(missing_ok=True)
    if one.generation is not None:
        write(folder, "generation_config.json", with_numbers(one.generation, tokenizer))
    for name, value in one.files.items():
        write(folder, name, value() if callable(value) else value)
    return tokenizer, reopened(kind, folder)


def reopened(kind, folder):
    """As transformers reads it; nothing may be missing."""
    model, info = kind.from_pretrained(folder, dtype=torch.float32, output_loading_info=True)
    for what in ("missing_keys", "mismatched_keys"):
        assert not info.get(what), f"transformers reads the directory otherwise: {what} {info[what]}"
    return model.eval()
