#!/usr/bin/env python3
"""Gives one line of 16 MiB to every command that reads lines, and prints what each takes.

  scripts/check-long-lines.py [--jogak build/jogak] [--bytes N]

Models are small and made here. `answer` is not among the commands: it reads all of a text, window by
window. Fails where a command takes more than 16 bytes a byte (beside what it takes for a short line),
longer than a minute of processor time, or ends otherwise than it should.
"""
import argparse
import os
import subprocess
import sys
import tempfile

WORDS = "the quick brown fox jumps over the lazy dog "


class Peak:
    """Runs a command; its peak of memory is the kernel's figure for that one child."""

    def __init__(self, jogak, folder):
        self.jogak, self.folder = jogak, folder

    def __call__(self, arguments, input_file=os.devnull):
        with open(input_file, "rb") as given:
            child = subprocess.Popen([self.jogak, *arguments], stdin=given, stdout=subprocess.DEVNULL,
                                     stderr=subprocess.PIPE, cwd=self.folder)
            said = child.stderr.read().decode(errors="replace")
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        return used.ru_maxrss * 1024, used.ru_utime + used.ru_stime, child.returncode, said


def make_models(run, folder):
    def must(*arguments):
        _, _, code, said = run(arguments)
        if code != 0:
            sys.exit(f"{arguments}: {said}")

    with open(os.path.join(folder, "a.txt"), "w") as text:
        text.write(WORDS + "= .\n")
    must("tokenizer", "train", "--type", "char", "--special", "[MASK]", "--special", "[PAD]", "--files",
         "a.txt", "--out", "words")
    heads = {"fills": "MaskedLM", "labels": "SequenceClassification", "scores": "SequenceClassification"}
    for name, head in heads.items():
        must("new", name, "--family", "bert", "--tokenizer", "words", "--set", f'architectures=["BertFor{head}"]',
             "--set", f"num_labels={1 if name == 'scores' else 2}")
    must("new", "gpt", "--preset", "tiny", "--tokenizer", "words")
    with open(os.path.join(folder, "gpt/chat_template.jinja"), "w") as template:
        template.write("{% for m in messages %}{{ m.content }}{% endfor %}")
    must("new", "pairs", "--family", "seq2seq", "--preset", "tiny", "--tokenizer", "words")


def write_inputs(folder, line):
    inputs = {"lines": "{}\n", "both.hyp": "{}\nthe fox\n", "both.ref": "{}\nthe fox\n", "one.ref": "the\nthe fox\n",
              "text.txt": "{}\n", "made.txt": "{} = the\nthe fox = dog\n", "pairs.tsv": "{}\tthe\nlazy dog\tthe fox\n",
              "targets.tsv": "the\t{}\nlazy dog\tthe fox\n",
              "labels.csv": "text,label\n{},LABEL_0\nthe fox,LABEL_1\n"}
    for name, form in inputs.items():
        with open(os.path.join(folder, name), "w") as out:
            as_text = name == "labels.csv"  # where [MASK] is no token, but characters nobody knows
            out.write(form.replace("{}", line.replace("[MASK] ", "") if as_text else line))


COMMANDS = [  # what is called, where the line comes from (standard input unless in a file), the exit code
    (["classify", "labels"], 0), (["embed", "fills"], 0), (["fill", "fills"], 0),
    (["rank", "scores", "--query", "fox"], 0),
    (["translate", "pairs"], 65), (["generate", "gpt", "-n", "2"], 2), (["chat", "gpt", "-n", "2"], None),
    (["tokenizer", "encode", "words"], 0),
    (["eval", "--hypotheses", "both.hyp", "--references", "both.ref"], 0),
    (["eval", "--hypotheses", "both.hyp", "--references", "one.ref"], 0),
    (["eval", "gpt", "--data", "text.txt", "--from", "0.999"], 0),
    (["eval", "gpt", "--data", "made.txt", "--kind", "lines"], None),
    (["eval", "fills", "--data", "text.txt", "--from", "0.999"], 0),
    (["eval", "fills", "--data", "lines", "--kind", "lines"], None),
    (["eval", "pairs", "--data", "pairs.tsv"], 0), (["eval", "pairs", "--data", "targets.tsv"], 0),
    (["eval", "labels", "--data", "labels.csv"], 0),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jogak", default="build/jogak")
    parser.add_argument("--bytes", type=int, default=(16 << 20) - 64)
    parser.add_argument("--only", default="", help="a word of the commands to try")
    options = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        run = Peak(os.path.abspath(options.jogak), folder)
        make_models(run, folder)

        line = ("[MASK] " + WORDS * (options.bytes // len(WORDS) + 1))[:options.bytes]
        print(f"{'peak MB':>8} {'short':>6} {'a byte':>7} {'cpu s':>8} {'code':>5}  command")
        for arguments, wanted in COMMANDS:
            if options.only and options.only not in arguments:
                continue
            write_inputs(folder, "the [MASK] fox")
            base = run(arguments, os.path.join(folder, "lines"))[0]
            write_inputs(folder, line)
            peak, seconds, code, said = run(arguments, os.path.join(folder, "lines"))
            each = (peak - base) / options.bytes
            wrong = each > 16 or seconds > 60 or (code != wanted if wanted is not None else code not in (0, 2, 65))
            failed += wrong
            print(f"{peak / 1e6:8.0f} {base / 1e6:6.0f} {each:7.1f} {seconds:8.1f} {code:5}  {' '.join(arguments)}"
                  f"{'   <- ' + said.strip()[:300] if wrong else ''}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
