#!/usr/bin/env python3
"""Makes the corpus of malformed files and asks the binary about each.

    tests/malformed/run.py BINARY [--kinds 17,62-64,A10] [--sanitized] [--keep DIR] [--list]

Every case is written into a directory of its own, then the command that meets such a file in
practice is run. A malformed file must be refused with the exit code its kind says (65 malformed,
66 missing, 74 input and output) and one line that names the file, the place and the reason; what
must be accepted must be accepted. No case may end by a signal, with a report of a sanitizer, or
take more memory than it says. --sanitized is for a binary built with sanitizers: their memory is
not counted. Needs no package.
"""

import argparse
import collections
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import threading

import accepted
import checkpoint_kinds
import config_kinds
import forward_kinds
import generation_kinds
import quantized_kinds
import safetensors_kinds
import tokenizer_kinds
import use_kinds
from case import Skip, write_case

Finished = collections.namedtuple("Finished", "code out err megabytes")
WALL_SECONDS = 600  # a machine may be busy: what counts is a case's seconds of CPU
SANITIZER = ("AddressSanitizer", "runtime error:", "LeakSanitizer")


GROUPS = ((1, 64, "safetensors"), (81, 105, "config.json"), (106, 119, "tokenizer.json"),
          (160, 175, "generation_config.json"), (176, 185, "inputs of forward"),
          (190, 193, "targets, data, signals, lines"), (203, 218, "checkpoints"),
          (300, 305, "small integers"))


def all_cases():
    return (safetensors_kinds.cases() + config_kinds.cases() + tokenizer_kinds.cases()
            + generation_kinds.cases() + forward_kinds.cases() + use_kinds.cases()
            + checkpoint_kinds.cases() + quantized_kinds.cases() + accepted.cases())


def group_of(kind):
    for low, high, name in GROUPS:
        if kind.isdigit() and low <= int(kind) <= high:
            return f"{low}-{high} {name}"
    return "A1-A19 to be accepted"


def wanted_kinds(text):
    """"17,62-64,A10" as a test of kinds."""
    if not text:
        return lambda kind: True
    plain, ranges = set(), []
    for part in text.split(","):
        low, _, high = part.partition("-")
        if high:
            ranges.append((int(low), int(high)))
        else:
            plain.add(part)
    return lambda kind: kind in plain or (
        kind.isdigit() and any(low <= int(kind) <= high for low, high in ranges))


def environment():
    env = {key: value for key, value in os.environ.items() if not key.startswith("LC_")}
    env.update(LANG="C", OMP_NUM_THREADS="2", NO_COLOR="1",
               ASAN_OPTIONS="abort_on_error=0:exitcode=99:allocator_may_return_null=1",
               UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1")
    return env


def finish(case, command, directory, seconds):
    """Runs the command to its end; standard output and error go through files."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))

    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, \
            tempfile.TemporaryFile() as err:
        given.write(case.stdin.encode())
        given.seek(0)
        process = subprocess.Popen(command, stdin=subprocess.PIPE if case.drive else given, stdout=out, stderr=err,
                                   env=environment(), preexec_fn=limit)
        waiting = threading.Timer(WALL_SECONDS, process.kill)  # one that waits uses no CPU
        waiting.start()
        try:
            if case.drive:
                case.drive(process, directory)
        except BaseException:
            waiting.cancel()
            process.kill()
            process.wait()
            raise
        _, status, usage = os.wait4(process.pid, 0)
        waiting.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        return Finished(process.returncode, out.read().decode("utf-8", "replace"),
                        err.read().decode("utf-8", "replace"), usage.ru_maxrss / 1024)


def line_fault(case, directory, err):
    """What is wrong with the line of error; "" when nothing is."""
    lines = err.splitlines()
    errors = [line for line in lines if line.startswith("jogak: ")]
    if len(errors) != 1 or (len(lines) != 1 and not case.logs) or lines[-1] != errors[0]:
        return f"{len(errors)} lines of error among {len(lines)}"
    if case.file is None:  # the error is of no file
        return "" if case.words in errors[0] else f"no {case.words!r}"
    start = f"jogak: {directory}" + (f"/{case.file}" if case.file else "")
    start += "" if case.file.endswith("/") else ": "  # "run/" is any file below
    if not errors[0].startswith(start):
        return f"does not start with {start!r}"
    rest = errors[0][len(start):]
    if case.place == "byte":
        number = rest[5:].partition(":")[0]
        if not rest.startswith("byte ") or not number.isdigit():
            return "no byte offset"
    elif case.place.startswith("byte ") and not rest.startswith(case.place + ": "):
        return f"not at {case.place}"
    elif case.place not in rest:
        return f"{case.place!r} is not named"
    return "" if case.words in rest else f"no {case.words!r}"


def fault_of(case, directory, done, sanitized):
    if done.code < 0:
        return f"ended by signal {-done.code}"
    if any(word in done.err for word in SANITIZER):
        return "a report of a sanitizer"
    if done.code != case.code:
        return f"exit code {done.code}, wanted {case.code}"
    if not sanitized and done.megabytes > case.megabytes:
        return f"{done.megabytes:.0f} MB, wanted at most {case.megabytes}"
    fault = line_fault(case, directory, done.err) if case.code != 0 else ""
    if case.code == 0 and not case.logs and done.err:
        fault = "something on standard error"
    return fault or (case.check(directory, done) if case.check else "")


def run_case(case, binary, directory, sanitized):
    """(fault or "", Finished)"""
    write_case(case, directory)
    words = [word.replace("@", str(directory)) for word in case.command]
    command = [*case.wrapper(directory), binary, *words] if case.wrapper else [binary, *words]
    done = finish(case, command, directory, case.seconds * (10 if sanitized else 1))
    return fault_of(case, directory, done, sanitized), done


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--kinds", default="")
    parser.add_argument("--sanitized", action="store_true")
    parser.add_argument("--keep", help="where the files are to stay")
    parser.add_argument("--list", action="store_true", help="every case with its answer")
    options = parser.parse_args()
    binary = str(pathlib.Path(options.binary).resolve())
    chosen = wanted_kinds(options.kinds)
    top = pathlib.Path(options.keep or tempfile.mkdtemp(prefix="jogak-malformed-")).resolve()
    counts, faults, skipped, kinds = collections.Counter(), [], [], set()
    checkpoint_kinds.prepare(binary, top)
    for case in all_cases():
        if not chosen(case.kind):
            continue
        directory = top / case.name
        try:
            fault, done = run_case(case, binary, directory, options.sanitized)
        except Skip as reason:
            skipped.append(f"{case.name}: {reason}")
            continue
        finally:
            if not options.keep:
                shutil.rmtree(directory, ignore_errors=True)
        counts[group_of(case.kind), case.code == 0] += not fault
        kinds.add(case.kind)
        said = done.err.strip().replace(str(directory), "@")
        if fault:
            faults.append(f"{case.name}: {fault}: {said[-1500:]!r}")
        if options.list:
            print(f"{case.name:60} {done.code:3} {done.megabytes:5.0f} MB  {said[-200:]}")
    if not options.keep:
        shutil.rmtree(top, ignore_errors=True)
    for text in skipped:
        print("skipped", text)
    for text in faults:
        print("WRONG", text)
    for group in dict.fromkeys(group for group, _ in counts):
        print(f"{group}: {counts[group, False]} refused, {counts[group, True]} accepted")
    right = [sum(n for (_, taken), n in counts.items() if taken is wanted)
             for wanted in (False, True)]
    print(f"{right[0]} refused and {right[1]} accepted as they must be, of {len(kinds)} kinds; "
          f"{len(skipped)} skipped, {len(faults)} wrong")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
