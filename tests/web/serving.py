"""What tests of the server and of the page stand on: models trained for a moment, and a server."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import time
import urllib.request

# The quickstart's job for a small model: reading dates.
DATES = """
[model]
family = "seq2seq"
preset = "tiny"
[tokenizer]
type = "char"
[data]
kind = "pairs"
make = "dates"
[train]
lr = 2e-3
"""
# Every family: a recipe, and what to change in it.
FAMILIES = {
    "quickstart": (None, []),
    "gpt2": ("sort-lines.toml", []),
    "llama": ("sort-lines.toml", ["model.family=llama", "model.max_position_embeddings=48"]),
    "falcon": ("sort-lines.toml", ["model.family=falcon", "model.max_position_embeddings=48"]),
    "bert": ("bert-mlm.toml", []),
    "labels": ("bert-cls.toml", []),
    "vit": ("vit-shapes.toml", []),
    "patchtst": ("patchtst-series.toml", []),
}
# Settings that only GPT-2 has a name for.
ONLY_GPT2 = ("n_positions", "embd_pdrop", "attn_pdrop", "resid_pdrop")


def run(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, **more)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr[-2000:]}")
    return done.stdout


def make_models(jogak, source, folder):
    """A run of each family, a few steps long."""
    runs = pathlib.Path(folder) / "runs"
    runs.mkdir(parents=True, exist_ok=True)
    for name, (recipe, changes) in FAMILIES.items():
        out = runs / name
        if (out / "config.json").exists():
            continue
        text = (pathlib.Path(source) / "recipes" / recipe).read_text() if recipe else DATES
        if changes:
            text = "\n".join(l for l in text.splitlines() if not l.startswith(ONLY_GPT2))
        own = pathlib.Path(folder) / f"{name}.toml"
        own.write_text(text)
        sets = [word for change in changes for word in ("--set", change)]
        run([jogak, "train", str(own), "--out", str(out), "--steps", "6", "--checkpoint-every", "2",
             "--keep", "3", "--eval-every", "6", "--batch", "8", "--set", "data.count=600",
             "--set", "train.log_every=1", *sets])
    return runs


def fresh_models(jogak, source, folder):
    """Directories of every family that no recipe trains, as `jogak new` makes them; docs/models.md lists the families."""
    folder, out = pathlib.Path(folder), []
    words = {"generate": "small_bpe.json", "translate": "small_bpe.json", "fill": "bert/uncased"}
    words_of = {"clip": "clip"}
    for line in (pathlib.Path(source) / "docs" / "models.md").read_text().splitlines():
        cells = [cell.strip(" `") for cell in line.split("|")]
        if len(cells) < 5 or not line.startswith("| `") or cells[2] in (*FAMILIES, "seq2seq", "--family"):
            continue
        out.append(folder / "fresh" / cells[2])
        if (out[-1] / "config.json").exists():
            continue
        tokenizer = words_of.get(cells[2], words.get(cells[3].split(",")[0]))
        parts = {"patchtsmixer": ("self_attn=true", "use_positional_encoding=true"), "timesfm": ("use_positional_embedding=true",)}.get(
            cells[2], ())  # which may have neither
        run([jogak, "new", str(out[-1]), "--family", cells[2], "--preset", "tiny", *(word for part in parts for word in ("--set", part)),
             *(("--tokenizer", f"{source}/tests/goldens/tokenizers/{tokenizer}") if tokenizer else ())])
    return out


def chat_model(runs):
    """The small GPT-2 with a template for conversations."""
    out = runs.parent / "chat"
    shutil.copytree(runs / "gpt2", out, ignore=shutil.ignore_patterns("checkpoints", "*.jsonl", "events*"), dirs_exist_ok=True)
    (out / "chat_template.jinja").write_text("{% for m in messages %}{{ m.role[0] }} {{ m.content }} {% endfor %}= ")
    return out


def text(address, raw=False):
    with urllib.request.urlopen(address, timeout=60) as reply:
        return reply.read() if raw else reply.read().decode()


class Server:
    """`jogak serve` on a free port of this machine, ended with the test."""

    def __init__(self, jogak, *arguments, lang="en", errors=os.devnull):
        environment = {**os.environ, "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "2")}
        with open(errors, "w") as log:
            self.process = subprocess.Popen([jogak, "serve", "--port", "0", "--lang", lang, *map(str, arguments)],
                                            stdout=subprocess.PIPE, stderr=log, text=True, env=environment)
        self.address = self.process.stdout.readline().strip()
        for _ in range(200):
            try:
                urllib.request.urlopen(self.address + "/health", timeout=5).read()
                return
            except OSError:
                time.sleep(0.05)
        sys.exit("the server does not get ready")

    def get(self, path):
        with urllib.request.urlopen(self.address + path, timeout=60) as reply:
            return json.load(reply)

    def post(self, path, body):
        request = urllib.request.Request(self.address + path, json.dumps(body).encode(),
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as reply:
            return json.load(reply)

    def stop(self):
        self.process.terminate()
        return self.process.wait(timeout=20)


if __name__ == "__main__":  # serving.py SOURCE JOGAK FOLDER: fresh models for the tests that follow
    shutil.rmtree(sys.argv[3], ignore_errors=True)
    print(make_models(sys.argv[2], sys.argv[1], sys.argv[3]))
