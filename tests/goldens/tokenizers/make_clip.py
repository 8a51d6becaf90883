"""Writes clip/: a small vocabulary of CLIP's kind as vocab.json and merges.txt, and cases.json, what
transformers' CLIPTokenizer makes of texts with it.

    python make_clip.py
"""

import json
import pathlib

from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from transformers import CLIPTokenizer

HERE = pathlib.Path(__file__).parent / "clip"
LEARNT = ["a photo of a cat", "a photo of a dog", "two dogs and 3 cats, it's raining!",
          "한국어 글자와 고양이 사진", "café naïve façade — 日本語"] * 20  # fmt: skip
TEXTS = ["a photo of a cat", "Two  DOGS and 3 cats, it's raining!", "한국어 고양이",
         "  café — x_y 日本語 \n tab\tend", "<|endoftext|> hi", "", "e\u0301 emoji 😀 12345 don't we'll",
         "photo", "a", "!!!???", "ÀÉ İ"]  # fmt: skip


def main():
    pipeline = CLIPTokenizer()._tokenizer
    learner = Tokenizer(models.BPE(continuing_subword_prefix="", end_of_word_suffix="</w>",
                                   unk_token="<|endoftext|>"))  # fmt: skip
    learner.normalizer, learner.pre_tokenizer = pipeline.normalizer, pipeline.pre_tokenizer
    learner.train_from_iterator(LEARNT, trainers.BpeTrainer(
        vocab_size=600, end_of_word_suffix="</w>", show_progress=False,
        special_tokens=["<|startoftext|>", "<|endoftext|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))  # fmt: skip
    model = json.loads(learner.to_str())["model"]
    merges = [tuple(pair) for pair in model["merges"]]
    tokenizer = CLIPTokenizer(vocab=model["vocab"], merges=merges)
    HERE.mkdir(exist_ok=True)
    (HERE / "vocab.json").write_text(json.dumps(model["vocab"], ensure_ascii=False))
    (HERE / "merges.txt").write_text("#version: 0.2\n" + "".join(f"{a} {b}\n" for a, b in merges))
    cases = [{"text": text, "ids": tokenizer(text)["input_ids"]} for text in TEXTS]
    (HERE / "cases.json").write_text(json.dumps(cases, ensure_ascii=False, indent=1) + "\n")


if __name__ == "__main__":
    main()
