"""What a case of the corpus is, and how its files are written."""

import dataclasses
import json
import os
import pathlib
import shutil
import struct
import typing

GOLDENS = pathlib.Path(__file__).resolve().parent.parent / "goldens"
MALFORMED, MISSING, IO = 65, 66, 74


class Skip(Exception):
    """A case that this machine cannot make."""


@dataclasses.dataclass
class Case:
    """Files in a fresh directory, the command that meets them, and what it must answer.

    A kind is its number in the list, or A and a number for what must be accepted. In `command`
    "@" stands for the case's directory. A refusal is "jogak: FILE: PLACE: .. words ..", FILE being
    `file` below that directory (None: of no file); `place` is "byte 12", or "byte" for any, or some
    words.
    """

    kind: str
    what: str
    files: dict
    command: tuple = ("info", "@")
    stdin: str = ""
    code: int = MALFORMED
    file: typing.Optional[str] = "model.safetensors"
    place: str = "byte"
    words: str = ""
    golden: str = ""  # whose files are there as well, unless `files` has them
    prepare: typing.Optional[typing.Callable] = None  # (directory) before the run
    drive: typing.Optional[typing.Callable] = None  # (process, directory) while it runs
    wrapper: typing.Optional[typing.Callable] = None  # (directory): words before the command
    check: typing.Optional[typing.Callable] = None  # (directory, finished) after it: a fault or ""
    logs: bool = False  # other lines of log may stand before the error
    big: bool = False  # not for a fuzzer to start from
    megabytes: int = 64  # most that the process may hold, in the plain build; of these the runner
    # itself, before it becomes the process, takes 45
    seconds: int = 60

    @property
    def name(self):
        words = "".join(c if c.isascii() and c.isalnum() else "-" for c in self.what)
        number = self.kind if self.kind.startswith("A") else self.kind.zfill(3)
        return f"{number}-{'-'.join(filter(None, words.split('-')))}"[:60]


def link_or_copy(source, target):
    try:
        os.link(source, target)
    except OSError:
        shutil.copy(source, target)


def write_case(case, directory):
    directory.mkdir(parents=True)
    for name, content in case.files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if callable(content):
            content(path)
        elif content is not None:  # None: the golden's file of this name stays away
            path.write_bytes(content.encode() if isinstance(content, str) else content)
    if case.golden:
        for source in sorted((GOLDENS / case.golden).iterdir()):
            if source.name not in case.files and not source.name.startswith("golden."):
                link_or_copy(source, directory / source.name)
    if case.prepare:
        case.prepare(directory)


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def length_bytes(count):
    return struct.pack("<Q", count)


def safetensors(header, data=b""):
    """A file with this header: bytes, text or what json.dumps takes."""
    if not isinstance(header, (str, bytes)):
        header = compact(header)
    header = header.encode() if isinstance(header, str) else header
    return length_bytes(len(header)) + header + data


def read_safetensors(path):
    """{name: (dtype, shape, bytes)}"""
    whole = pathlib.Path(path).read_bytes()
    end = 8 + struct.unpack("<Q", whole[:8])[0]
    header = json.loads(whole[8:end])
    header.pop("__metadata__", None)
    return {name: (one["dtype"], one["shape"],
                   whole[end + one["data_offsets"][0]:end + one["data_offsets"][1]])
            for name, one in header.items()}


def tensor_entries(tensors):
    """The header's entries and the data, tensors one behind the other in the order given."""
    entries, data = {}, []
    at = 0
    for name, (dtype, shape, values) in tensors.items():
        entries[name] = {"dtype": dtype, "shape": shape, "data_offsets": [at, at + len(values)]}
        data.append(values)
        at += len(values)
    return entries, b"".join(data)
