"""The texts and tokenizers that compare_tokenizers.py measures with, made once and kept.

Texts, 10 MB each, from $JOGAK_DATA: Korean news, reviews, reports and chat as they stand; English
plays, captions and news, there are 3 MB of it, so it comes again and again with one word in eight
exchanged for any other of its words. Tokenizers are trained on both with PyPI tokenizers.
"""

import gzip
import json
import os
import pathlib
import random
import subprocess

from tokenizers import (Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers,
                        processors, trainers)

SIZE = 10_000_000
LLAMA3 = (r"""(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|"""
          r""" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+""")


def data():
    if "JOGAK_DATA" not in os.environ:
        raise SystemExit("JOGAK_DATA: not set, wanted the folder with the texts")
    return pathlib.Path(os.environ["JOGAK_DATA"])


def read(path):
    if path.suffix == ".zst":
        return subprocess.run(["zstd", "-dc", path], stdout=subprocess.PIPE, check=True).stdout
    return gzip.open(path).read() if path.suffix == ".gz" else path.read_bytes()


def korean():
    files = sorted((data() / "text-korean").glob("*.zst")) + [
        data() / "cls-nsmc/ratings_train.txt.zst"]
    return b"".join(map(read, files)).decode()


def english():
    files = [data() / "text-tinyshakespeare/input.txt", data() / "parallel-multi30k/train.en.gz",
             *sorted((data() / "parallel-ko-en").glob("*.en"))]
    text = b"".join(map(read, files)).decode()
    words, rng, out = sorted(set(text.split())), random.Random(1), [text]
    while sum(map(len, out)) < SIZE:
        lines = [" ".join(rng.choice(words) if rng.random() < 1 / 8 else word
                          for word in line.split(" ")) for line in text.split("\n")]
        rng.shuffle(lines)
        out.append("\n".join(lines))
    return "".join(out)


def texts(folder):
    """{language: path of 10 MB of text}"""
    out = {}
    for name, make in (("English", english), ("Korean", korean)):
        path = out[name] = folder / f"{name.lower()}.txt"
        if not path.exists():
            bytes_ = make().encode()[:SIZE]
            path.write_bytes(bytes_[:bytes_.rindex(b"\n") + 1])
    return out


def train(tokenizer, trainer, files):
    tokenizer.train([str(file) for file in files], trainer)
    return tokenizer


def byte_bpe(files, vocab, cut):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = cut
    tokenizer.decoder = decoders.ByteLevel()
    return train(tokenizer, trainers.BpeTrainer(
        vocab_size=vocab, special_tokens=["<|endoftext|>"], show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet()), files)


def gpt2(files, vocab=50257):
    tokenizer = byte_bpe(files, vocab, pre_tokenizers.ByteLevel(add_prefix_space=False))
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    return tokenizer


def llama3(files, vocab=100000):
    return byte_bpe(files, vocab, pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(LLAMA3), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]))


def llama2(files, vocab=32000):
    """Words for training, but no pre-tokenizer when it is used, as in LLaMA 2's own file."""
    bytes_ = [f"<0x{b:02X}>" for b in range(256)]
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    train(tokenizer, trainers.BpeTrainer(
        vocab_size=vocab, special_tokens=["<unk>", "<s>", "</s>", *bytes_], show_progress=False,
        limit_alphabet=3000), files)
    made = json.loads(tokenizer.to_str())
    made["added_tokens"] = made["added_tokens"][:3]  # the bytes are ordinary tokens
    tokenizer = Tokenizer.from_str(json.dumps(made))
    tokenizer.pre_tokenizer = None
    tokenizer.normalizer = normalizers.Sequence([
        normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.decoder = decoders.Sequence([
        decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(),
        decoders.Strip(" ", 1, 0)])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A", pair="<s> $A <s>:1 $B:1", special_tokens=[("<s>", 1)])
    return tokenizer


def bert(files, vocab=30522):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    train(tokenizer, trainers.WordPieceTrainer(
        vocab_size=vocab, special_tokens=special, show_progress=False), files)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    return tokenizer


MAKERS = {"GPT-2": gpt2, "LLaMA": llama2, "BERT": bert, "LLaMA 3": llama3}


def tokenizer_file(name, folder, languages):
    path = folder / (name.replace(" ", "").lower() + ".json")
    if not path.exists():
        MAKERS[name](languages.values()).save(str(path))
    return path
