"""Small tokenizers in the files that published directories have, for published.py. Each maker writes into a
folder; what transformers' class over these files makes of texts is the truth."""

import io
import json
import pathlib
import sys

import sentencepiece
import transformers
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

sys.path.append(str(pathlib.Path(__file__).parent / "tokenizers"))
from spm_rules import lines  # noqa: E402

TEXTS = lines(600, 7)


def write_json(folder, name, value):
    (folder / name).write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def saved_by(name, folder, **settings):
    """tokenizer.json and the files beside it, as the class of that name writes them."""
    getattr(transformers, name).from_pretrained(folder, **settings).save_pretrained(folder)


def wordpiece(folder, kind="BertTokenizer", lower=True, modern=True, size=320, config=None, specials=None):
    """vocab.txt, and with `modern` tokenizer.json."""
    names = specials or ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    learn = Tokenizer(models.WordPiece(unk_token=names[1]))
    learn.normalizer = normalizers.BertNormalizer(lowercase=lower, strip_accents=None if lower else False)
    learn.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    learn.train_from_iterator(TEXTS, trainers.WordPieceTrainer(vocab_size=size, special_tokens=names, show_progress=False))
    vocab = sorted(learn.get_vocab().items(), key=lambda one: one[1])
    (folder / "vocab.txt").write_text("".join(word + "\n" for word, _ in vocab))
    write_json(folder, "tokenizer_config.json",
               {"do_lower_case": lower, "model_max_length": 128} | (config or {}))
    if modern:
        saved_by(kind, folder)


def bpe_files(folder, size, specials, first=True):
    learn = Tokenizer(models.BPE())
    learn.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    learn.train_from_iterator(TEXTS, trainers.BpeTrainer(
        show_progress=False, vocab_size=size, special_tokens=specials if first else [],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet())))  # fmt: skip
    model = json.loads(learn.to_str())["model"]
    vocab = model["vocab"]
    for name in specials:
        vocab.setdefault(name, len(vocab))
    return vocab, [" ".join(one) if isinstance(one, list) else one for one in model["merges"]]


def byte_bpe(folder, kind="GPT2Tokenizer", specials=("<|endoftext|>",), first=True, modern=True, size=420,
             config=None):
    """vocab.json and merges.txt, and with `modern` tokenizer.json."""
    vocab, merges = bpe_files(folder, size, list(specials), first)
    write_json(folder, "vocab.json", vocab)
    (folder / "merges.txt").write_text("#version: 0.2\n" + "".join(one + "\n" for one in merges))
    write_json(folder, "tokenizer_config.json", {"tokenizer_class": kind} | (config or {}))
    if modern:
        saved_by(kind, folder)


def byte_json(folder, specials, pattern=None, prefix=None, size=420, config=None, template=None):
    """tokenizer.json alone, as GPT-NeoX, LLaMA 3, ModernBERT and SmolLM ship it; roles and added tokens in
    tokenizer_config.json. prefix: the token that LLaMA 3's post-processor puts before a text."""
    vocab, merges = bpe_files(folder, size, [])
    out = Tokenizer(models.BPE(vocab, [tuple(one.split(" ")) for one in merges], ignore_merges=bool(pattern)))
    split = [pre_tokenizers.Split(pattern, "isolated")] if pattern else []
    out.pre_tokenizer = pre_tokenizers.Sequence(
        split + [pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=not split)])
    out.decoder = decoders.ByteLevel()
    out.add_special_tokens([AddedToken(one, special=True, normalized=False) for one in specials])
    if prefix:
        from tokenizers import processors

        number = out.token_to_id(prefix)
        out.post_processor = processors.Sequence([
            processors.ByteLevel(trim_offsets=False),
            processors.TemplateProcessing(single=f"{prefix} $A", pair=f"{prefix} $A {prefix}:1 $B:1",
                                          special_tokens=[(prefix, number)])])  # fmt: skip
    out.save(str(folder / "tokenizer.json"))
    listed = {str(out.token_to_id(one)): {"content": one, "lstrip": False, "normalized": False, "rstrip": False,
                                          "single_word": False, "special": True} for one in specials}
    settings = {"added_tokens_decoder": listed, "clean_up_tokenization_spaces": True, "model_max_length": 128,
                "tokenizer_class": "PreTrainedTokenizerFast"} | (config or {})  # fmt: skip
    write_json(folder, "tokenizer_config.json", settings | ({"chat_template": template} if template else {}))


def pieces(folder, name, kind, specials=None, modern=True, size=320, config=None, **options):
    """A SentencePiece file, and with `modern` tokenizer.json by the class named `kind`."""
    out = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(TEXTS), model_writer=out, num_threads=1, minloglevel=2, vocab_size=size,
        **({"model_type": "unigram"} | options))  # fmt: skip
    (folder / name).write_bytes(out.getvalue())
    write_json(folder, "tokenizer_config.json", {"tokenizer_class": kind} | (config or {}))
    if modern:
        saved_by(kind, folder)
    return out.getvalue()


LLAMA_PIECES = dict(model_type="bpe", byte_fallback=True, unk_id=0, bos_id=1, eos_id=2, pad_id=-1, size=560,
                    split_digits=True, normalization_rule_name="identity", remove_extra_whitespaces=False)  # fmt: skip


def llama2(folder, modern=True, config=None, template=None):
    roles = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "add_bos_token": True, "legacy": False}
    pieces(folder, "tokenizer.model", "LlamaTokenizer", modern=False, config=roles | (config or {}), **LLAMA_PIECES)
    if modern:
        saved_by("LlamaTokenizer", folder, **({"chat_template": template} if template else {}))


LLAMA3_PATTERN = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|"
                  r"\s*[\r\n]+|\s+(?!\S)|\s+")


def llama3_pattern():
    from tokenizers import Regex

    return Regex(LLAMA3_PATTERN)


def marian(folder):
    """source.spm, target.spm and the numbers of their pieces in vocab.json."""
    for side in ("source", "target"):
        pieces(folder, f"{side}.spm", "MarianTokenizer", modern=False)
    read = sentencepiece.SentencePieceProcessor(model_file=str(folder / "source.spm"))
    vocab = {"</s>": 0, "<unk>": 1}
    for i in range(read.get_piece_size()):
        vocab.setdefault(read.id_to_piece(i), len(vocab))
    vocab["<pad>"] = len(vocab)
    write_json(folder, "vocab.json", vocab)
    write_json(folder, "tokenizer_config.json", {"source_lang": "ko", "target_lang": "en", "separate_vocabs": False,
                                                 "tokenizer_class": "MarianTokenizer"})  # fmt: skip


def m2m(folder):
    from transformers.models.m2m_100.tokenization_m2m_100 import FAIRSEQ_LANGUAGE_CODES

    model = pieces(folder, "sentencepiece.bpe.model", "M2M100Tokenizer", modern=False)
    read = sentencepiece.SentencePieceProcessor(model_proto=model)
    vocab = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3}
    for i in range(read.get_piece_size()):
        vocab.setdefault(read.id_to_piece(i), len(vocab))
    write_json(folder, "vocab.json", vocab)
    codes = FAIRSEQ_LANGUAGE_CODES["m2m100"]
    write_json(folder, "tokenizer_config.json", {
        "tokenizer_class": "M2M100Tokenizer", "language_codes": "m2m100", "src_lang": "en", "tgt_lang": "ko",
        "additional_special_tokens": [f"__{code}__" for code in codes]})  # fmt: skip


def languages(folder, kind, source, target, **options):
    """tokenizer.json with codes of languages behind the pieces: mBART, mBART-50 and NLLB."""
    pieces(folder, "sentencepiece.bpe.model", kind, modern=False, **options)
    saved_by(kind, folder, src_lang=source, tgt_lang=target)
    (folder / "sentencepiece.bpe.model").unlink()
