"""Small tokenizers of every well-known kind, made with PyPI tokenizers from generated text.

    python3 tests/goldens/tokenizers/families.py DIR [--vocab 6000]     writes DIR/NAME.json
"""
import argparse
import functools
import json
import pathlib
import random
import tempfile

from tokenizers import (AddedToken, Regex, Tokenizer, decoders, models, normalizers,
                        pre_tokenizers, processors, trainers)

import patterns

SYLLABLES = ["가", "나라", "한국", "어를", "학교", "에서", "읽는", "다", "글자", "사람", "이", "는", "의", "을", "하고", "있다"]
LETTERS = ["th", "e", "ing", "king", "ra", "lo", "st", "an", "er", "Qu", "ie", "t", "ly", "un", "re", "con", "é", "ß"]
CODE = ["for (int i = 0; i < n; ++i) {", "\treturn x ** 2;", "if a == b:", "    pass", "// note", "<p class=\"a\">",
        "print('it's')", "a[i] += 10;", "https://example.com/?q=1", "2031-05-09", "3.14159", "1,000,000"]


@functools.lru_cache
def charsmap(full=True):
    """SentencePiece's table of NFKC replacements, or a small one for small goldens."""
    import sentencepiece
    from sentencepiece import sentencepiece_model_pb2
    import spm_rules
    with tempfile.TemporaryDirectory() as folder:
        rules = {"normalization_rule_name": "nmt_nfkc"}
        if not full:
            spm_rules.write_rules(f"{folder}/rules.tsv")
            rules = {"normalization_rule_tsv": f"{folder}/rules.tsv"}
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(["a b c d e f g"] * 9), model_prefix=f"{folder}/m", vocab_size=20,
            hard_vocab_limit=False, minloglevel=2, **rules)
        proto = sentencepiece_model_pb2.ModelProto()
        proto.ParseFromString(pathlib.Path(f"{folder}/m.model").read_bytes())
    return proto.normalizer_spec.precompiled_charsmap


def corpus(lines, seed=7):
    """Lines of made-up English, Korean, other scripts, code and numbers."""
    rng = random.Random(seed)
    english = ["".join(rng.choice(LETTERS) for _ in range(rng.randrange(1, 4))) for _ in range(900)]
    korean = ["".join(rng.choice(SYLLABLES) for _ in range(rng.randrange(1, 4))) for _ in range(900)]
    other = ["привет", "мир", "日本語", "漢字", "中文", "ελληνικά", "שלום", "مرحبا", "नमस्ते", "ไทย", "🙂", "👍🏽", "✈️"]
    out = []
    for _ in range(lines):
        kind = rng.random()
        if kind < 0.15:
            out.append(rng.choice(CODE))
            continue
        words = english if kind < 0.55 else korean if kind < 0.9 else other
        line = " ".join(rng.choice(words) + rng.choice(["", "", "", ",", "'s", "!"]) for _ in range(9))
        out.append(line.capitalize() + rng.choice([".", "?", "", " 12", "  "]))
    return out


def bpe(tokenizer, lines, vocab, special=(), alphabet=(), **options):
    tokenizer.train_from_iterator(lines, trainers.BpeTrainer(
        vocab_size=vocab, min_frequency=2, special_tokens=list(special), show_progress=False,
        initial_alphabet=list(alphabet), **options))
    return tokenizer


def byte_bpe(lines, vocab, pre_tokenizer, special=(), **model):
    tokenizer = Tokenizer(models.BPE(**model))
    tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.decoder = decoders.ByteLevel()
    return bpe(tokenizer, lines, vocab, special, pre_tokenizers.ByteLevel.alphabet())


def cut_then_bytes(*patterns_used, **options):
    steps = [pre_tokenizers.Split(Regex(p), "isolated", **options) for p in patterns_used]
    return pre_tokenizers.Sequence(steps + [
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


def template(single, pair, tokenizer):
    names = {w.split(":")[0] for w in (single + " " + pair).split() if not w.startswith("$")}
    return processors.TemplateProcessing(
        single=single, pair=pair, special_tokens=[(n, tokenizer.token_to_id(n)) for n in sorted(names)])


def gpt2(lines, vocab):
    tokenizer = byte_bpe(lines, vocab, pre_tokenizers.ByteLevel(add_prefix_space=False), ["<|endoftext|>"])
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    return tokenizer


def roberta(lines, vocab):
    tokenizer = byte_bpe(lines, vocab, pre_tokenizers.ByteLevel(add_prefix_space=True),
                         ["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    tokenizer.add_special_tokens([AddedToken("<mask>", lstrip=True)])
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    tokenizer.enable_truncation(40, stride=2)
    tokenizer.enable_padding(pad_id=1, pad_token="<pad>", pad_to_multiple_of=8)
    return tokenizer


def with_bytes(tokenizer, first):
    """The same BPE with <unk>, <s>, </s> and the 256 byte tokens in front, as LLaMA has it."""
    data = json.loads(tokenizer.to_str())
    model = data["model"]
    names = first + [f"<0x{b:02X}>" for b in range(256)]
    names += [t for t, _ in sorted(model["vocab"].items(), key=lambda item: item[1])]
    return models.BPE({t: i for i, t in enumerate(names)}, [tuple(m) for m in model["merges"]],
                      unk_token="<unk>", fuse_unk=True, byte_fallback=True)


def llama2_model(lines, vocab):
    trained = Tokenizer(models.BPE())
    trained.pre_tokenizer = pre_tokenizers.Metaspace()
    latin = [line for line in lines if all(ord(c) < 0x250 or c == "한" for c in line)]
    return with_bytes(bpe(trained, latin, max(vocab - 260, 50)), ["<unk>", "<s>", "</s>"])


def llama2(lines, vocab):
    tokenizer = Tokenizer(llama2_model(lines, vocab))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(),
                                           decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    tokenizer.add_special_tokens(["<unk>", "<s>", "</s>"])
    tokenizer.post_processor = template("<s> $A", "<s> $A <s>:1 $B:1", tokenizer)
    return tokenizer


def llama2_metaspace(lines, vocab):
    tokenizer = llama2(lines, vocab)
    tokenizer.normalizer = None
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    return tokenizer


def llama3(lines, vocab):
    tokenizer = byte_bpe(lines, vocab, cut_then_bytes(patterns.LLAMA3), ignore_merges=True)
    tokenizer.add_special_tokens(["<|begin_of_text|>", "<|end_of_text|>", "<|eot_id|>"])
    tokenizer.post_processor = processors.Sequence([
        processors.ByteLevel(trim_offsets=True),
        template("<|begin_of_text|> $A", "<|begin_of_text|> $A <|begin_of_text|>:1 $B:1", tokenizer)])
    return tokenizer


def o200k(lines, vocab):
    tokenizer = byte_bpe(lines, vocab, cut_then_bytes(patterns.O200K))
    tokenizer.add_special_tokens(["<|endoftext|>", "<|endofprompt|>"])
    return tokenizer


def tiktoken(lines, vocab):
    return byte_bpe(lines, vocab, cut_then_bytes(patterns.TIKTOKEN), ["<|endoftext|>"])


def deepseek(lines, vocab):
    pre = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(r"\p{N}{1,3}"), "isolated"),
        pre_tokenizers.Split(Regex(patterns.DEEPSEEK_CJK), "isolated"),
        pre_tokenizers.Split(Regex(patterns.DEEPSEEK), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    return byte_bpe(lines, vocab, pre, ["<｜end▁of▁sentence｜>"])


def bloom(lines, vocab):
    return byte_bpe(lines, vocab, cut_then_bytes(patterns.BLOOM), ["<unk>", "<s>", "</s>", "<pad>"])


def whisper(lines, vocab):
    tokenizer = byte_bpe(lines, vocab, pre_tokenizers.ByteLevel(add_prefix_space=False), ["<|endoftext|>"])
    names = ["<|startoftranscript|>", "<|en|>", "<|ko|>", "<|transcribe|>", "<|notimestamps|>"]
    names += [f"<|{t / 50:.2f}|>" for t in range(40)]
    tokenizer.add_special_tokens(names[:5])
    tokenizer.add_tokens([AddedToken(n, normalized=False) for n in names[5:]])
    order = "<|startoftranscript|> <|ko|> <|transcribe|> <|notimestamps|> $A "
    tokenizer.post_processor = template(order + "<|endoftext|>", order + "$B <|endoftext|>", tokenizer)
    return tokenizer


def clip(lines, vocab):
    tokenizer = Tokenizer(models.BPE(unk_token="<|endoftext|>", end_of_word_suffix="</w>"))
    tokenizer.normalizer = normalizers.Sequence([
        normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(patterns.CLIP), "removed", invert=True),
        pre_tokenizers.ByteLevel(add_prefix_space=False)])
    tokenizer.decoder = decoders.ByteLevel()
    bpe(tokenizer, lines, vocab, ["<|startoftext|>", "<|endoftext|>"], end_of_word_suffix="</w>")
    tokenizer.post_processor = processors.RobertaProcessing(
        ("<|endoftext|>", 1), ("<|startoftext|>", 0), trim_offsets=False, add_prefix_space=False)
    return tokenizer


def gpt1(lines, vocab):
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.BPEDecoder(suffix="</w>")
    return bpe(tokenizer, lines, vocab, ["<unk>"], limit_alphabet=60, end_of_word_suffix="</w>")


def prefixed_bpe(lines, vocab):
    tokenizer = Tokenizer(models.BPE(unk_token="[UNK]", continuing_subword_prefix="##", fuse_unk=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.decoder = decoders.WordPiece(cleanup=False)
    return bpe(tokenizer, lines, vocab, ["[UNK]"], limit_alphabet=60, continuing_subword_prefix="##")


def bert(lines, vocab, lowercase):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.train_from_iterator(lines, trainers.WordPieceTrainer(
        vocab_size=vocab, limit_alphabet=120, show_progress=False,
        special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]))
    tokenizer.post_processor = template("[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1", tokenizer)
    return tokenizer


def bert_old(lines, vocab):
    """With BertProcessing, truncation from the left, padding on the left to a fixed length."""
    tokenizer = bert(lines, vocab, True)
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.enable_truncation(24, strategy="longest_first", direction="left")
    tokenizer.enable_padding(direction="left", length=16, pad_id=0, pad_token="[PAD]")
    return tokenizer


def unigram(lines, vocab, special, unk):
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.train_from_iterator(lines, trainers.UnigramTrainer(
        vocab_size=vocab, special_tokens=special, unk_token=unk, show_progress=False))
    return tokenizer


def t5(lines, vocab):
    tokenizer = unigram(lines, vocab, ["<pad>", "</s>", "<unk>"], "<unk>")
    tokenizer.normalizer = normalizers.Sequence([
        normalizers.Precompiled(charsmap(vocab > 1000)), normalizers.Replace(Regex(" {2,}"), " ")])
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.add_special_tokens([f"<extra_id_{i}>" for i in range(5)])
    tokenizer.post_processor = template("$A </s>", "$A </s> $B </s>", tokenizer)
    return tokenizer


def xlmr(lines, vocab):
    tokenizer = unigram(lines, vocab, ["<s>", "<pad>", "</s>", "<unk>"], "<unk>")
    tokenizer.normalizer = normalizers.Sequence([
        normalizers.Strip(left=False, right=True), normalizers.Precompiled(charsmap(vocab > 1000)), normalizers.Nmt()])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.add_special_tokens([AddedToken("<mask>", lstrip=True)])
    tokenizer.post_processor = template("<s> $A </s>", "<s> $A </s> </s> $B </s>", tokenizer)
    return tokenizer


def byt5(lines, vocab):
    names = ["<pad>", "</s>", "<unk>"] + [f"<0x{b:02X}>" for b in range(256)]
    tokenizer = Tokenizer(models.BPE({t: i for i, t in enumerate(names)}, [], unk_token="<unk>",
                                     byte_fallback=True))
    tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()])
    tokenizer.add_special_tokens(["<pad>", "</s>", "<unk>", "<extra_id_0>"])
    tokenizer.post_processor = template("$A </s>", "$A </s> $B </s>", tokenizer)
    return tokenizer


def word_level(lines, vocab):
    tokenizer = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Whitespace(), pre_tokenizers.Digits(individual_digits=True)])
    tokenizer.train_from_iterator(lines, trainers.WordLevelTrainer(
        vocab_size=vocab, special_tokens=["[UNK]", "[PAD]"], show_progress=False))
    tokenizer.add_tokens([AddedToken("한국", single_word=True), AddedToken("É", single_word=True)])
    return tokenizer


def ctc(lines, vocab):
    names = ["<pad>", "<s>", "</s>", "<unk>", "|"] + list("abcdefghijklmnopqrstuvwxyz'.") + list("가나다라한국어")
    tokenizer = Tokenizer(models.WordLevel({t: i for i, t in enumerate(names)}, unk_token="<unk>"))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Lowercase(), normalizers.Replace(" ", "|")])
    tokenizer.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    tokenizer.decoder = decoders.CTC()
    return tokenizer


def everything(lines, vocab):
    tokenizer = llama2_metaspace(lines, vocab)
    n, p = normalizers, pre_tokenizers
    tokenizer.normalizer = n.Sequence([
        n.Nmt(), n.NFKD(), n.StripAccents(), n.NFC(), n.BertNormalizer(False, True, False, False),
        n.Lowercase(), n.Replace("ing", "in'"), n.Replace(Regex(r"[^\S ]+"), " "), n.Strip(), n.Prepend(" ")])
    tokenizer.pre_tokenizer = p.Sequence([
        p.Split(Regex(r"[,;]"), "merged_with_previous"), p.Punctuation("isolated"), p.Digits(False),
        p.UnicodeScripts(), p.CharDelimiterSplit("_"), p.Metaspace(prepend_scheme="first", split=True)])
    tokenizer.decoder = decoders.Sequence([
        decoders.ByteFallback(), decoders.Metaspace(prepend_scheme="first"), decoders.Fuse(),
        decoders.Replace(Regex("  +"), " "), decoders.Strip("x", 1, 0), decoders.Replace("king", "KING")])
    tokenizer.add_tokens([AddedToken("TheKing", normalized=True), AddedToken("읽다", lstrip=True, rstrip=True),
                          AddedToken("e", single_word=True)])
    return tokenizer


FAMILIES = {
    "gpt2": gpt2, "roberta": roberta, "llama2": llama2, "llama2-metaspace": llama2_metaspace,
    "llama3": llama3, "o200k": o200k, "tiktoken": tiktoken, "deepseek": deepseek, "bloom": bloom,
    "whisper": whisper, "clip": clip, "gpt1": gpt1, "prefixed-bpe": prefixed_bpe,
    "bert-uncased": lambda lines, vocab: bert(lines, vocab, True),
    "bert-cased": lambda lines, vocab: bert(lines, vocab, False), "bert-old": bert_old,
    "t5": t5, "xlmr": xlmr, "byt5": byt5, "word-level": word_level, "ctc": ctc,
    "everything": everything,
}


def family(name, vocab=6000, lines=6000):
    return FAMILIES[name](corpus(lines), vocab)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder")
    options.add_argument("--vocab", type=int, default=6000)
    given = options.parse_args()
    folder = pathlib.Path(given.folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name in FAMILIES:
        tokenizer = family(name, given.vocab)
        tokenizer.save(str(folder / f"{name}.json"))
        print(name, tokenizer.get_vocab_size())


if __name__ == "__main__":
    main()
