#!/usr/bin/env python3
"""Breaks one listed line at a time and wants a test to turn red for it.

    scripts/check-mutations.py                      # the whole of tests/mutations.toml
    scripts/check-mutations.py adam-eps rope-sign   # these entries alone
    scripts/check-mutations.py --table docs/mutations.md
    scripts/check-mutations.py --places             # only: are lines and tests still there?

Works on a copy of the tree (in build-mutations/, kept for the next time), so that nothing is left
broken here. First every test that the list names must pass; then each line is changed, its test
binary built and the named tests run. They must fail; a crash is a failure, a timeout is one only
where the entry says `hangs = true`. A change that does not compile proves nothing and is an error
of the list, as is a line that is not found exactly once. Exit status: 0 every broken line was
found, 1 some was not or the list is wrong.
"""

import argparse
import fcntl
import filecmp
import fnmatch
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / "tests" / "mutations.toml"
MARK = ".copied-for-mutations.json"  # in the copy: the files that were copied into it
KEYS = {"name", "kind", "file", "was", "now", "test", "filter", "why"}
LONGEST = 120  # seconds for the tests of one entry


class ListError(Exception):
    """The list, or the tree it speaks of, is not as it should be."""


def read_list(wanted):
    entries = tomllib.loads(LIST.read_text())["line"]
    names = [entry.get("name", "") for entry in entries]
    for entry in entries:
        name = entry.get("name", "an entry without a name")
        if missing := KEYS - entry.keys():
            raise ListError(f"{name}: {', '.join(sorted(missing))} missing")
        if unknown := entry.keys() - KEYS - {"hangs"}:
            raise ListError(f"{name}: found {', '.join(sorted(unknown))}, which means nothing here")
        if names.count(name) > 1:
            raise ListError(f"{name}: two entries have this name")
    if unknown := set(wanted) - set(names):
        raise ListError(f"no entry is called {', '.join(sorted(unknown))}")
    return [entry for entry in entries if not wanted or entry["name"] in wanted]


def place_of(entry, root):
    """The file's lines and which of them is meant."""
    path = root / entry["file"]
    if not path.is_file():
        raise ListError(f"{entry['name']}: {entry['file']} does not exist")
    lines = path.read_text().splitlines(keepends=True)
    found = [i for i, line in enumerate(lines) if line.strip() == entry["was"]]
    if len(found) != 1:
        raise ListError(f"{entry['name']}: {entry['file']} has the line {len(found)} times, "
                        f"wanted once: {entry['was']}")
    if entry["was"] == entry["now"]:
        raise ListError(f"{entry['name']}: the line stays as it was")
    return path, lines, found[0]


def check_names(entry, known={}):
    """Every pattern of the filter fits a test that the sources have."""
    folder = ROOT / "tests" / entry["test"].removesuffix("_tests")
    if folder not in known:
        text = "".join(path.read_text() for path in sorted(folder.rglob("*.cpp")))
        known[folder] = [".".join(names) for names in
                         re.findall(r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", text, re.M)]
    for pattern in entry["filter"].split("-")[0].split(":"):
        inner = next(part for part in pattern.split("/") if "." in part or "*" in part)  # All/X.Y/0
        if not fnmatch.filter(known[folder], inner):
            raise ListError(f"{entry['name']}: no test of {folder.relative_to(ROOT)} fits {pattern}")


def copy_tree(to):
    """Brings the copy up to date; files that are the same keep their time, so builds are short."""
    mark = to / MARK
    if to.exists() and any(to.iterdir()) and not mark.exists():
        raise ListError(f"{to}: not empty, and not a copy made by this script")
    to.mkdir(parents=True, exist_ok=True)
    listed = subprocess.run(["git", "ls-files", "-coz", "--exclude-standard"], cwd=ROOT,
                            stdout=subprocess.PIPE, check=True).stdout.decode().split("\0")
    files = sorted(name for name in listed if name and (ROOT / name).is_file())
    held = open(mark, "a+")  # locked for as long as this runs: two would break each other's lines
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise ListError(f"{to}: another run uses this copy") from None
    for old in json.loads(mark.read_text() or "[]"):
        if old not in files and (to / old).exists():
            (to / old).unlink()
    mark.write_text(json.dumps(files))
    for name in files:
        source, target = ROOT / name, to / name
        if target.is_file() and filecmp.cmp(source, target, shallow=False):
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
        shutil.copymode(source, target)
    return held


def build(copy, targets, jobs):
    """None, or the compiler's words."""
    folder = copy / "build"
    if not (folder / "CMakeCache.txt").exists():
        subprocess.run(["cmake", "-S", copy, "-B", folder, "-G", "Ninja", "-DJOGAK_TESTS=ON", "-DJOGAK_CUDA=OFF",
                        "-DCMAKE_BUILD_TYPE=Release", "-DJOGAK_UNITY=OFF"],
                       stdout=subprocess.DEVNULL, check=True)
    done = subprocess.run(["cmake", "--build", folder, "-j", str(jobs), "--target", *targets],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return None if done.returncode == 0 else done.stdout


def run_tests(copy, entry):
    """(how it ended, the tests that failed, the output)"""
    environment = {k: v for k, v in os.environ.items() if k != "JOGAK_DATA"}  # as for everybody
    with tempfile.TemporaryDirectory() as place, tempfile.TemporaryFile() as output:
        child = subprocess.Popen(
            [copy / "build" / "tests" / entry["test"], "--gtest_filter=" + entry["filter"]],
            cwd=place, env=environment, stdout=output, stderr=subprocess.STDOUT,
            start_new_session=True)
        try:
            status = child.wait(LONGEST)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            status = "timeout"
        output.seek(0)
        text = output.read().decode(errors="replace")
    failed = list(dict.fromkeys(re.findall(r"^\[  FAILED  \] ([^ ,\n]+\.[^ ,\n]+)", text, re.M)))
    if status == 0:
        return "green", [], text
    if status == "timeout":
        return "timeout", [], text
    if status < 0:
        running = re.findall(r"^\[ RUN      \] (\S+)", text, re.M)
        return f"signal {-status}", running[-1:], text
    return "red", failed, text


def check_unbroken(copy, entries):
    seen, wrong = set(), []
    for entry in entries:
        what = entry["test"], entry["filter"]
        if what in seen:
            continue
        seen.add(what)
        ended, failed, text = run_tests(copy, entry)
        if ended != "green":
            why = f"{ended} before anything is broken: {' '.join(failed)}"
        elif not re.search(r"^\[  PASSED  \] [1-9]", text, re.M):
            why = "no test has such a name"
        elif "[  SKIPPED ]" in text:
            why = "skipped here, so it cannot fail"
        else:
            continue
        wrong.append(f"{entry['name']}: {entry['test']} {entry['filter']}: {why}")
    if wrong:
        raise ListError("\n".join(wrong))
    return len(seen)


def try_line(copy, entry, jobs):
    """(verdict, tests that saw it)"""
    path, lines, at = place_of(entry, copy)
    broken = list(lines)
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    broken[at] = indent + entry["now"] + "\n" if entry["now"] else "\n"
    path.write_text("".join(broken))
    try:
        complaint = build(copy, [entry["test"]], jobs)
        if complaint is not None:
            errors = [line for line in complaint.splitlines() if "error" in line]
            return "does not compile", errors[:1] or complaint.splitlines()[-1:]
        ended, failed, _ = run_tests(copy, entry)
    finally:
        path.write_text("".join(lines))
    if ended == "green":
        return "NOT FOUND", []
    if ended == "timeout":
        return ("found", ["(hangs)"]) if entry.get("hangs") else ("only a timeout", [])
    if not failed:
        return "ended without a failed test", []
    return "found", failed


def table_of(results, summary):
    rows = ["| broken line | what it was for | before and after | tests that turn red |",
            "|---|---|---|---|"]
    for entry, verdict, tests in results:
        def code(text):
            return "`" + text.replace("|", "\\|") + "`" if text else "(nothing)"

        shown = ", ".join(tests[:2]) + (f" and {len(tests) - 2} more" if len(tests) > 2 else "")
        rows.append(f"| {entry['name']}<br>{entry['file']} | {entry['kind']}: {entry['why']} | "
                    f"{code(entry['was'])}<br>{code(entry['now'])} | "
                    f"{shown if verdict == 'found' else '**' + verdict + '**'} |")
    return "\n".join([*rows, "", summary, ""])


def write_table(file, results, summary):
    """Replaces what stands between the two marks of the file."""
    begin, end = "<!-- table: begin -->\n", "<!-- table: end -->"
    text = file.read_text()
    if begin not in text or end not in text:
        raise ListError(f"{file}: found no lines {begin.strip()} and {end}")
    head, rest = text.split(begin, 1)
    file.write_text(head + begin + table_of(results, summary) + end + rest.split(end, 1)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="entries of the list; all of them if none is given")
    parser.add_argument("--copy", type=Path, default=ROOT / "build-mutations",
                        help="where the copy of the tree lies")
    parser.add_argument("--jobs", type=int, default=1, help="compilers at a time")
    parser.add_argument("--table", type=Path, help="write the results between the marks of a page")
    parser.add_argument("--places", action="store_true", help="look for lines and tests, and break nothing")
    args = parser.parse_args()

    entries = read_list(args.names)
    for entry in entries:
        place_of(entry, ROOT)
        check_names(entry)
    if args.places:
        print(f"{len(entries)} lines, each found once, and their tests")
        return 0
    lock = copy_tree(args.copy)
    started = time.monotonic()
    complaint = build(args.copy, sorted({entry["test"] for entry in entries}), args.jobs)
    if complaint is not None:
        raise ListError("the unbroken tree does not compile:\n" + complaint[-3000:])
    count = check_unbroken(args.copy, entries)
    print(f"unbroken: {count} sets of tests pass, {time.monotonic() - started:.0f} s", flush=True)

    results = []
    for i, entry in enumerate(entries, 1):
        began = time.monotonic()
        verdict, tests = try_line(args.copy, entry, args.jobs)
        results.append((entry, verdict, tests))
        print(f"{i:3}/{len(entries)}  {verdict:9} {time.monotonic() - began:4.0f} s  "
              f"{entry['name']:28} {' '.join(tests[:1])}", flush=True)
    found = sum(verdict == "found" for _, verdict, _ in results)
    summary = f"{found} of {len(entries)} broken lines found"
    if args.table:
        write_table(args.table, results, summary + ".")
    print(f"{summary}, {time.monotonic() - started:.0f} s")
    lock.close()
    return 0 if found == len(entries) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ListError as error:
        sys.exit(f"check-mutations: {error}")
