"""The encoder-decoder of 2017: training against PyTorch, translating against CTranslate2.

    python compare_seq2seq.py [--rounds 3] [--threads 2] [--only SETTING] [--jogak build/jogak]

A ratio above 1 means that jogak is faster. Writes bench/results/seq2seq.json.
"""

import pathlib
import subprocess
import sys
import tempfile

from compare import HERE, ROOT, alternate, parser, print_table, write_results

SIZE = dict(layers=6, heads=8, width=512, inner=2048, vocab=8000)
SETTINGS = {
    "train 32 x 32+32, no dropout": dict(dropout=0.0),
    "train 32 x 32+32, dropout 0.1": dict(dropout=0.1),
    "translate 32 x 25, beam 4": dict(compute="float32"),
    "translate 32 x 25, beam 4, int8": dict(compute="int8", values=16),
    "translate 32 x 25, beam 4, int8, values of 8 bits": dict(compute="int8", values=8),
}


def config_flags(**more):
    config = {"encoder_layers": SIZE["layers"], "decoder_layers": SIZE["layers"],
              "encoder_attention_heads": SIZE["heads"], "decoder_attention_heads": SIZE["heads"],
              "d_model": SIZE["width"], "encoder_ffn_dim": SIZE["inner"],
              "decoder_ffn_dim": SIZE["inner"], "vocab_size": SIZE["vocab"], **more}
    return [part for key, value in config.items() for part in ("--set", f"{key}={value}")]


def training(s, jogak, threads):
    drop = s["dropout"]
    size = [part for key, value in SIZE.items() for part in (f"--{key}", value)]
    return {
        "jogak": [jogak, "bench", "train", "--family", "seq2seq", "--preset", "base",
                  *config_flags(dropout=drop, attention_dropout=drop), "--batch", 32, "--seq", 32,
                  "--steps", 5, "--threads", threads, "--json"],
        "peer": [sys.executable, HERE / "train_seq2seq_torch.py", *size, "--batch", 32,
                 "--length", 32, "--dropout", drop, "--attention-dropout", drop, "--steps", 5,
                 "--threads", threads],
    }  # fmt: skip


def words(path, count):
    """Text with enough different words for a vocabulary of the size wanted."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    lines = []
    for i in range(count):
        lines.append(" ".join("".join(letters[(i * 7 + k * k + j) % 26] for j in range(3 + k % 5))
                              for k in range(12)))
    path.write_text("\n".join(lines) + "\n")


def our_model(s, place, jogak):
    """What `jogak bench translate` runs: fresh weights, or those of a directory in 8 bits."""
    fresh = ["--preset", "base", *config_flags(dropout=0.0)]
    if s["compute"] == "float32":
        return fresh
    floats, small = place / "floats", place / f"values-{s['values']}"
    quiet = dict(check=True, stdout=subprocess.DEVNULL)
    if not floats.exists():
        subprocess.run([jogak, "new", floats, "--family", "seq2seq", *fresh], **quiet)
    subprocess.run([jogak, "quantize", floats, small, "--values", str(s["values"])], **quiet)
    return ["--model", small]


def translating(s, place, jogak, threads):
    theirs = place / "peer"
    if not theirs.exists():
        theirs.mkdir()
        marian_directory(theirs)
    return {
        "jogak": [jogak, "bench", "translate", *our_model(s, place, jogak),
                  "--batch", 32, "--seq", 25, "--steps", 25, "--beams", 4, "--threads", threads,
                  "--json"],
        "peer": [sys.executable, HERE / "translate_ctranslate2.py", theirs, "--sentences", 32,
                 "--length", 25, "--new", 25, "--beams", 4, "--threads", threads,
                 "--compute", s["compute"]],
    }  # fmt: skip


def marian_directory(place):
    """A random model of the same size that transformers, and so the peer's converter, can read."""
    import json

    import torch
    from transformers import MarianConfig, MarianMTModel

    torch.manual_seed(1)
    v = SIZE["vocab"]
    MarianMTModel(MarianConfig(
        vocab_size=v, d_model=SIZE["width"], encoder_layers=SIZE["layers"],
        decoder_layers=SIZE["layers"], encoder_attention_heads=SIZE["heads"],
        decoder_attention_heads=SIZE["heads"], encoder_ffn_dim=SIZE["inner"],
        decoder_ffn_dim=SIZE["inner"], activation_function="relu", scale_embedding=True,
        pad_token_id=v - 1, decoder_start_token_id=v - 1, eos_token_id=0, forced_eos_token_id=0,
        max_position_embeddings=512)).save_pretrained(place)  # fmt: skip
    names = ["</s>", "<unk>"] + [f"▁w{i}" for i in range(v - 3)] + ["<pad>"]
    (place / "vocab.json").write_text(json.dumps({name: i for i, name in enumerate(names)}))
    text = place / "text.txt"
    words(text, 400)
    import sentencepiece

    for side in ("source", "target"):
        sentencepiece.SentencePieceTrainer.train(
            input=str(text), model_prefix=str(place / side), vocab_size=60, minloglevel=2,
            hard_vocab_limit=False)
        (place / f"{side}.model").rename(place / f"{side}.spm")
    (place / "tokenizer_config.json").write_text(json.dumps(
        {"tokenizer_class": "MarianTokenizer", "source_lang": "en", "target_lang": "de"}))


def best(results):
    return {"tokens_per_s": max(r["tokens_per_s"] for r in results),
            "peak_rss_mb": max(r["peak_rss_mb"] for r in results)}


def main():
    args = parser(__doc__.splitlines()[0], SETTINGS).parse_args()
    rows, report = [], {}
    with tempfile.TemporaryDirectory() as place:
        for name in args.only or SETTINGS:
            print(name, file=sys.stderr)
            s = SETTINGS[name]
            commands = (training(s, args.jogak, args.threads) if "dropout" in s
                        else translating(s, pathlib.Path(place), args.jogak, args.threads))
            rounds = alternate(commands, args.rounds, args.threads)
            ours, theirs = best(rounds["jogak"]), best(rounds["peer"])
            ratio = ours["tokens_per_s"] / theirs["tokens_per_s"]
            report[name] = {"jogak": ours, "peer": theirs, "ratio": ratio, "rounds": rounds}
            rows.append([name, f"{ours['tokens_per_s']:.0f}", f"{theirs['tokens_per_s']:.0f}",
                         f"{ratio:.2f}", f"{ours['peak_rss_mb']:.0f}",
                         f"{theirs['peak_rss_mb']:.0f}"])
    print_table(["setting", "jogak tokens/s", "peer tokens/s", "ratio", "jogak MB", "peer MB"],
                rows)
    write_results(args.out or ROOT / "bench/results/seq2seq.json", ["torch", "ctranslate2"], args,
                  report)


if __name__ == "__main__":
    main()
