"""Kinds 190 to 193: targets that hold something else, data that has changed since a run began,
signals outside training, lines that are too long."""

import signal
import time

from case import Case, safetensors, tensor_entries
from checkpoint_kinds import RECIPE, RESUME, copy_run
from config_kinds import TOKENIZER

USAGE, STOPPED, KILLED = 2, 75, 130


def held(what, command, file, words, golden="gpt2-a", more=None):
    """A target that is not the command's own: refused before anything is read, and still there."""
    files = {"recipe.toml": RECIPE, **(more or {})}

    def unchanged(directory, _):
        kept = (directory / "config.json").read_bytes() if golden else b"{"
        return "" if kept.startswith(b"{") else "config.json was changed"
    return Case("190", what, files, command, code=USAGE, file=file, place=words, words="--overwrite",
                golden=golden, check=unchanged)


def targets():
    notes = {"notes.txt": "mine\n"}
    return [
        held("train over a model", ("train", "@/recipe.toml", "--out", "@"), "",
             "holds a gpt2 model"),
        held("demo over a model", ("demo", "--out", "@", "--steps", "1"), "", "holds a gpt2 model"),
        held("new over a model", ("new", "@"), "", "holds a gpt2 model"),
        held("a tokenizer over a tokenizer",
             ("tokenizer", "train", "--type", "char", "--files", "@/notes.txt", "--out", "@/tok"),
             "tok", "holds a tokenizer", more={**notes, "tok/tokenizer.json": TOKENIZER}),
        held("data over a text", ("data", "make", "dates", "@/notes.txt"), "notes.txt",
             "holds a file of", more=notes),
        held("tensors over a text",
             ("forward", "@", "--input", "@/model.safetensors", "--output", "@/notes.txt"),
             "notes.txt", "holds a file of", more=notes),
        held("tensors over the weights",
             ("forward", "@", "--input", "@/model.safetensors", "--output", "@/model.safetensors"),
             "model.safetensors", "is read here"),
        held("an example over the weights",
             ("forward", "@", "--example", "@/model.safetensors"), "model.safetensors",
             "holds a file of"),
        held("tensors over those of another program",
             ("forward", "@", "--input", "@/model.safetensors", "--output", "@/theirs.safetensors"),
             "theirs.safetensors", "holds a file of",
             more={"theirs.safetensors": safetensors(*tensor_entries(
                 {"logits": ("F32", [1], b"\0\0\0\0")}))}),
        held("a picture over a photo",
             ("inspect", "attention", "@", "--text", "a", "--out", "@/photo.png"), "photo.png",
             "holds a file of", more={"photo.png": b"\x89PNG\r\n\x1a\n somebody's"}),
        held("a certificate over a configuration", ("info", "@", "--parity", "@/config.json"),
             "config.json", "holds a file of"),
        held("train over its model",
             ("train", "@/recipe.toml", "--set", "model.from=@", "--out", "@"), "", "is read here"),
    ]


def changed():
    def other(*settings):
        return Case("191", "other " + settings[0].split("=")[0], copy_run(),
                    (*RESUME, *(word for one in settings for word in ("--set", one))),
                    file="run/checkpoints/step-00000004/state.json", place="--accept-changes",
                    words=settings[0].split("=")[0], logs=True)

    def accepted(directory, done):
        return "" if '"step":6' in done.out.replace(" ", "") else "it did not go on"
    other_seed = Case("191", "other data accepted", copy_run(),
                      (*RESUME, "--set", "data.seed=77", "--accept-changes"), code=0, logs=True,
                      check=accepted)
    return [other("data.seed=77"), other("data.count=65"), other_seed]


def stopped(number):
    def drive(process, _):
        process.stdin.close()
        time.sleep(0.6)
        process.send_signal(number)
    return drive


def signals():
    out = []
    for number, code in ((signal.SIGTERM, STOPPED), (signal.SIGINT, KILLED)):
        for what, command in (
                ("making data", ("data", "make", "dates", "@/dates.txt", "--count", "10000000")),
                ("a bootstrap", ("eval", "--hypotheses", "@/a.txt", "--references", "@/a.txt",
                                 "--bootstrap", "1000000"))):
            lines = "".join(f"the cat {i % 17} sat on the mat {i}\n" for i in range(500))
            out.append(Case("192", f"{number.name} {what}", {"a.txt": lines}, command, code=code,
                            file=None, drive=stopped(number), megabytes=600,
                            check=lambda directory, _: "" if sorted(
                                one.name for one in directory.iterdir()) == ["a.txt"]
                            else "something is left behind"))
    return out


def write_long(process, _):
    process.stdin.write(b"a\n")
    for _ in range(200):
        process.stdin.write(b"a" * 1_000_000)
    process.stdin.write(b"\na\n")
    process.stdin.close()


def long_lines():
    def answered(count):
        return lambda _, done: "" if done.out.count("\n") == count else f"not {count} answers"
    return [
        Case("193", "a long line", {"tokenizer.json": TOKENIZER},
             ("tokenizer", "encode", "@", "--max-line", "10"), stdin="a\n" + "a" * 11 + "\na\n",
             file=None, words="line 2: found a line of more than 10 bytes", check=answered(2)),
        Case("193", "a line of 200 MB", {"tokenizer.json": TOKENIZER},
             ("tokenizer", "encode", "@"), drive=write_long, file=None, words="line 2: found a line of more than 16777216", check=answered(2)),
    ]


def cases():
    return targets() + changed() + signals() + long_lines()
