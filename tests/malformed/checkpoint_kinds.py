"""Kinds 203 to 218: a checkpoint of a small run, damaged, and the run resumed."""

import hashlib
import json
import os
import pathlib
import shutil
import subprocess

from case import IO, MISSING, Case, Skip, read_safetensors, safetensors, tensor_entries

RECIPE = """schema = 1
[model]
family = "gpt2"
preset = "tiny"
n_layer = 1
n_head = 1
n_embd = 8
n_positions = 48
[tokenizer]
type = "char"
[data]
make = "sort"
count = 64
valid_count = 8
[train]
steps = 4
batch = 4
eval_every = 2
checkpoint_every = 2
keep = 2
"""
NEWEST = "run/checkpoints/step-00000004"
RESUME = ("train", "--resume", "--out", "@/run", "--steps", "6", "--json")
whole_run = {}  # where `prepare` made it


def prepare(binary, top):
    """The run that all cases begin with: four steps, checkpoints after two and four."""
    directory = pathlib.Path(top) / "whole-run"
    directory.mkdir(parents=True)
    (directory / "recipe.toml").write_text(RECIPE)
    for name, more in (("run", ()), ("sgd", ("--set", "train.optimizer=sgd",
                                             "--set", "train.momentum=0"))):
        subprocess.run([binary, "train", directory / "recipe.toml", "--out", directory / name,
                        *more], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        whole_run[name] = directory / name


def copy_run(name="run"):
    return {"run": lambda path: shutil.copytree(whole_run[name], path)}


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def dump(value):
    return json.dumps(value, indent=1, ensure_ascii=False)


def reseal(checkpoint, **changes):
    """The manifest written anew, as a program that knows the format would."""
    path = checkpoint / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest.update(changes)
    for name in manifest["files"]:
        data = (checkpoint / name).read_bytes()
        manifest["files"][name] = {"bytes": len(data), "sha256": sha256(data)}
    del manifest["sha256"]
    manifest["sha256"] = sha256(dump(manifest).encode())
    path.write_text(dump(manifest))


def edit_state(section, **changes):
    def edit(directory):
        path = directory / NEWEST / "state.json"
        state = json.loads(path.read_text())
        (state[section] if section else state).update(changes)
        path.write_text(dump(state))
        reseal(directory / NEWEST)
    return edit


def flip(directory):
    """One bit of the data of h.0.mlp.c_fc.weight."""
    path = directory / NEWEST / "weights.safetensors"
    data = bytearray(path.read_bytes())
    values = read_safetensors(path)["h.0.mlp.c_fc.weight"][2]
    data[bytes(data).index(values) + 5] ^= 4
    path.write_bytes(bytes(data))


def rename_moment(directory):
    path = directory / NEWEST / "optimizer.safetensors"
    tensors = {name.replace("wte", "wxe"): one for name, one in read_safetensors(path).items()}
    path.write_bytes(safetensors(*tensor_entries(tensors)))
    reseal(directory / NEWEST)


def replace_by_link(name):
    def edit(directory):
        path = directory / NEWEST / name if name else directory / NEWEST
        path.rename(directory / "elsewhere")
        path.symlink_to(directory / "elsewhere")
    return edit


def leave_rubbish(directory):
    (directory / "run/checkpoints/.tmp-123-4").mkdir()
    (directory / "run/checkpoints/.tmp-123-4/weights.safetensors").write_bytes(b"half")
    (directory / "run/model.safetensors.tmp-123-5").write_bytes(b"half")


def swept(directory, done):
    left = [path.name for path in (directory / "run").rglob("*.tmp-*")]
    if left:
        return f"{left} are still there"
    return "" if done.err.count("left by an unfinished run, removed") == 2 else "not in the log"


def unchanged(directory, done):
    """The last good checkpoint is as it was, and nothing half-made has a checkpoint's name."""
    for path in whole_run["run"].joinpath("checkpoints").rglob("*"):
        mine = directory / "run/checkpoints" / path.relative_to(whole_run["run"] / "checkpoints")
        if path.is_file() and (not mine.is_file() or mine.read_bytes() != path.read_bytes()):
            return f"{mine} has changed"
    return ""


def mounts(directory):
    """A mount of its own, which goes with the process."""
    if os.geteuid() == 0:
        command = ["unshare", "-m"]
    else:
        command = ["unshare", "-r", "-m"]
    if shutil.which("unshare") is None or subprocess.run(
            [*command, "mount", "-t", "tmpfs", "none", directory], capture_output=True).returncode:
        raise Skip("needs the right to mount")
    return command


def read_only(directory):
    script = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'
    return [*mounts(directory), "sh", "-c", script, str(directory / "run")]


def full_disk(directory):
    """The run on a file system that has no room for another checkpoint."""
    script = ('cp -r "$0/run" "$0/copy" && mount -t tmpfs -o size=124k none "$0/run" && '
              'cp -r "$0/copy/." "$0/run/" && { "$@"; code=$?; rm -rf "$0/copy"; '
              'cp -r "$0/run" "$0/copy"; exit $code; }')
    return [*mounts(directory), "sh", "-c", script, str(directory)]


def resume(kind, what, words, file="", place="", change=None, files=None, **more):
    """`file` is below the newest checkpoint."""
    more = {"command": RESUME, "logs": True, "check": unchanged if change is None else None, **more}
    return Case(kind, what, files or copy_run(), file=f"{NEWEST}/{file}" if file else NEWEST,
                place=place, words=words, prepare=change, **more)


def manifests():
    def manifest(edit):
        return lambda directory: edit(directory / NEWEST / "manifest.json")
    cut = manifest(lambda path: path.write_bytes(path.read_bytes()[:100]))
    newer = manifest(lambda path: path.write_text(
        path.read_text().replace('"schema": 1', '"schema": 2')))
    other_step = lambda directory: reseal(directory / NEWEST, step=2)
    missing = lambda directory: (directory / NEWEST / "optimizer.safetensors").unlink()
    extra = lambda directory: (directory / NEWEST / "extra").write_text("x")
    return [
        resume("203", "no manifest", "no such file", "manifest.json", code=MISSING,
               change=manifest(lambda path: path.unlink())),
        resume("204", "manifest truncated", "", "manifest.json", "byte 100", cut),
        resume("205", "hash mismatch", "is damaged", "weights.safetensors",
               'tensor "h.0.mlp.c_fc.weight"', flip),
        resume("206", "file missing", "no such file", "optimizer.safetensors", change=missing,
               code=MISSING),
        resume("207", "file that is not listed", "the manifest does not list", "extra",
               change=extra),
        resume("208", "newer version", "found schema 2, this version reads up to 1",
               "manifest.json", "schema", newer),
        resume("211", "manifest and state disagree on the step",
               "found step 4, the manifest says 2", "state.json", "step", other_step),
    ]


def states():
    def older(directory):  # a checkpoint under the name of another step
        shutil.rmtree(directory / NEWEST)
        shutil.copytree(directory / "run/checkpoints/step-00000002", directory / NEWEST)
    return [
        resume("209", "no processes", "wanted", "state.json", "world", edit_state("", world=0)),
        resume("210", "other model", "another configuration", "state.json", '"config_sha256"',
               command=RESUME + ("--set", "model.n_layer=2")),
        resume("211", "the directory's name disagrees on the step",
               "found step 2 in the checkpoint of step 4", "state.json", "step", older),
        resume("212", "optimizer of another tensor", "wte", "optimizer.safetensors", "tensor",
               rename_moment),
        resume("213", "random state too long", "64 bits", "state.json", "byte",
               edit_state("random", seed="18446744073709551616")),
        resume("213", "random state of another generator", "philox4x32-10", "state.json", "byte",
               edit_state("random", generator="mt19937")),
        resume("214", "position past the data", "a place among 64 examples", "state.json", "byte",
               edit_state("data", index=64)),
        resume("214", "fewer data", "data.count was 64 and is 60", "state.json",
               "data.count", command=RESUME + ("--set", "data.count=60")),
        resume("214", "other data", "tokenizer has other contents", "state.json", "tokenizer",
               edit_state("data", inputs={"tokenizer": "sha256:" + "0" * 64})),
    ]


def places():
    return [
        resume("215", "leftovers of a killed run", "", change=leave_rubbish, code=0, check=swept),
        Case("216", "read-only directory", copy_run(), RESUME, code=IO, file="run/", place="",
             words="Read-only file system", wrapper=read_only, check=unchanged, logs=True),
        resume("217", "a file that is a link", "found a symbolic link, wanted a regular file",
               "state.json", "link", replace_by_link("state.json")),
        resume("217", "a checkpoint that is a link", "symbolic link", "", "link",
               replace_by_link("")),
        Case("218", "full disk", copy_run(), RESUME, code=IO, file="run/", place="",
             words="No space left on device", wrapper=full_disk, logs=True),
    ]


def cases():
    return manifests() + states() + places()
