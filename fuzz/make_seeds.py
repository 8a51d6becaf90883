"""Writes the inputs that fuzzing starts from, out of the goldens and of tests/malformed.

    python3 fuzz/make_seeds.py OUT

OUT/tokenizers holds what the target `encode` chooses from, OUT/TARGET its first inputs.
"""

import json
import pathlib
import shutil
import sys

GOLDENS = pathlib.Path(__file__).parent.parent / "tests/goldens/tokenizers"
# Instead of the long ones of the families, which take a sanitized build a quarter of a second.
PATTERNS = [r"\p{L}+|\p{N}{1,3}", r"(?i:'s|'t)|\s+(?!\S)|\s+", "(?<=a|bc)d", "[^\\s&&[a-z]]{1,3}+",
            "(?>a|ab)c", r"\b\w+$", "(a+)+$", r"(?:a?){5}b", r"[\s\S]", "(?<!a)(?:b|(?=c))*?"]
LONG_PATTERN = 40
TABLES = ['date,a,b\n2020-01-01,1,"2"\n2020-01-02,-1e3,4\n', "unique_id,ds,y\nx,1,5\nz,1,7\n",
          'a\tb\r\n"1, ""2""\n",\n', "\ufeffdate,x\r2020-01-01 00:00,1\r2020-01-01 01:00,nan\r",
          "ds,unique_id,y\r\n2020-12-31,a,1e400\r\n2021-01-01,a,-0\r\n", "date,a,a\n1,2,3\n",
          'date,"a\nb"\n"2020-02-30"," 7 "\n', "date\n\n1\n"]
SMALL = {"type": "BPE", "dropout": None, "unk_token": "<unk>", "vocab": {}, "merges": ["a b"]}


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def small_model():
    letters = ["<unk>", "a", "b", "ab", "▁", "##b", "<0x0A>", "<0xED>", "<0x95>", "한", "<s>"]
    return {**SMALL, "vocab": {token: i for i, token in enumerate(letters)}}


def components(tokenizer):
    """Each part of a tokenizer and each step of its sequences, as ("normalizer", part)."""
    for kind in ("normalizer", "pre_tokenizer", "post_processor", "decoder"):
        part = tokenizer.get(kind)
        if not part:
            continue
        steps = [part] + [step for value in part.values() if isinstance(value, list)
                          for step in value if isinstance(step, dict) and "type" in step]
        for step in steps:
            yield kind, step


def longest_pattern(value):
    if isinstance(value, dict):
        return max([len(value["Regex"])] if "Regex" in value else
                   [longest_pattern(one) for one in value.values()], default=0)
    return max(map(longest_pattern, value), default=0) if isinstance(value, list) else 0


def write_tokenizers(out, tokenizers, texts):
    folder, seen = out / "tokenizer_json", set()
    for pattern in PATTERNS:
        for behavior, invert in (("Isolated", False), ("MergedWithNext", True)):
            cut = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": behavior,
                   "invert": invert}
            seen.add(compact({"pre_tokenizer": cut, "model": small_model()}))
    for number, (name, tokenizer) in enumerate(tokenizers):
        if longest_pattern(tokenizer) > LONG_PATTERN and name != "llama3":
            continue
        text = texts[number % len(texts)]
        (folder / f"{name}.json").write_bytes(compact(tokenizer).encode() + b"\0" + text.encode())
        for kind, part in components(tokenizer):
            if longest_pattern(part) > LONG_PATTERN:
                continue
            file = {"added_tokens": [{"id": 11, "content": "<t>"}], kind: part,
                    "model": small_model()}
            seen.add(compact(file))
    for number, file in enumerate(sorted(seen)):
        text = texts[number % len(texts)]
        (folder / f"part-{number}.json").write_bytes(file.encode() + b"\0" + text.encode())


def write_texts(out, texts, count):
    for number, text in enumerate(texts):
        for tokenizer in (number % count, (number * 7 + 3) % count):
            start = bytes([tokenizer, number % 16])
            (out / "encode" / f"text-{number}-{tokenizer}").write_bytes(start + text.encode()[:240])


def safetensors(header, data=b""):
    text = compact(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def write_indexes(folder):
    """Indexes of the shards a and b, which the target has, and of x, which follows."""
    whole = {"one": "a", "two": "a", "three": "b"}
    x = safetensors({"__metadata__": {"format": "pt"},
                     "four": {"dtype": "F16", "shape": [2, 1], "data_offsets": [1, 5]},
                     "five": {"dtype": "BOOL", "shape": [1], "data_offsets": [0, 1]}}, b"\1" * 5)
    indexes = [{"weight_map": whole}, {"weight_map": {}},
               {"metadata": {"total_size": 32}, "weight_map": {**whole, "four": "x", "five": "x"}},
               {"weight_map": {"four": "./x", "five": "x"}}, {"weight_map": {"four": "../x"}},
               {"weight_map": {"four": "/dev/null", "one": "A"}}]
    for number, index in enumerate(indexes):
        (folder / f"{number}.json").write_bytes(compact(index).encode() + b"\0" + x)


TENSORS = [
    {}, {"__metadata__": {"format": "pt"}},
    {"a": {"dtype": "F32", "shape": [], "data_offsets": [0, 4]}},
    {"b": {"dtype": "U8", "shape": [2], "data_offsets": [4, 6]},
     "a": {"dtype": "F16", "shape": [2, 1], "data_offsets": [0, 4]}},
    {"a": {"dtype": "I64", "shape": [0, 3], "data_offsets": [0, 0]},
     "b": {"dtype": "BOOL", "shape": [3], "data_offsets": [0, 3]},
     "c": {"dtype": "BF16", "shape": [1, 1, 1], "data_offsets": [3, 5]}},
    {"a": {"dtype": "F4", "shape": [2], "data_offsets": [0, 1]},
     "b": {"dtype": "F8_E4M3", "shape": [2], "data_offsets": [1, 3]},
     "c": {"dtype": "F64", "shape": [1], "data_offsets": [3, 11]},
     "d": {"dtype": "I32", "shape": [1], "data_offsets": [11, 15]}}]


def write_safetensors(folder):
    for number, header in enumerate(TENSORS):
        end = max((one.get("data_offsets", [0, 0])[1] for one in header.values()), default=0)
        (folder / f"{number}.safetensors").write_bytes(safetensors(header, b"\1" * end))


def write_configs(folder):
    for path in sorted(GOLDENS.parent.glob("*/config.json")):
        config = compact(json.loads(path.read_text()))
        (folder / f"{path.parent.name}.json").write_text(config)


def write_generation(folder):
    golden = json.loads((GOLDENS.parent / "generation/rules.json").read_text())
    for number, case in enumerate(golden["cases"]):
        (folder / f"{number}.json").write_text(compact(case["settings"]))


def write_recipes(folder):
    for path in sorted((GOLDENS.parent.parent.parent / "recipes").glob("*.toml")):
        (folder / path.name).write_bytes(path.read_bytes())
    for number, setting in enumerate(("train.lr=3e-4", "model.n_embd=64", "data.kind=pairs",
                                      'model.id2label={"0": "a"}', "train.off=mask")):
        (folder / f"setting-{number}").write_text(setting)


def write_corpus(out):
    """The small files of tests/malformed, under the targets that read such files."""
    sys.path.insert(0, str(GOLDENS.parent.parent / "malformed"))
    import accepted
    import config_kinds
    import forward_kinds
    import generation_kinds
    import safetensors_kinds
    import tokenizer_kinds
    targets = {"model.safetensors": "safetensors", "in": "safetensors", "in.safetensors": "safetensors",
               "config.json": "config_json", "tokenizer.json": "tokenizer_json",
               "generation_config.json": "generation_config"}
    cases = (safetensors_kinds.cases() + config_kinds.cases() + tokenizer_kinds.cases()
             + generation_kinds.cases() + forward_kinds.cases() + accepted.cases())
    for case in cases:
        for name, content in case.files.items():
            content = content.encode() if isinstance(content, str) else content
            if name in targets and isinstance(content, bytes) and len(content) <= 4096:
                (out / targets[name] / case.name).write_bytes(content)


def main():
    out = pathlib.Path(sys.argv[1])
    for name in ("tokenizers", "tokenizer_json", "spm_model", "encode", "image", "table",
                 "model_index", "safetensors", "gguf", "config_json", "generation_config", "recipe",
                 "chat_template"):
        (out / name).mkdir(parents=True, exist_ok=True)
    families = json.loads((GOLDENS / "families.json").read_text())
    variants = json.loads((GOLDENS / "variants.json").read_text())
    texts = [text for text in families["texts"] if 0 < len(text.encode()) <= 400]
    tokenizers = [(one["name"], one["tokenizer"]) for one in families["families"]]
    for name, tokenizer in tokenizers:
        (out / "tokenizers" / f"{name}.json").write_text(compact(tokenizer))
    for path in sorted((GOLDENS / "spm").glob("*.model")):
        shutil.copy(path, out / "tokenizers")
        shutil.copy(path, out / "spm_model")
    tokenizers += [(f"variant-{i}", one["tokenizer"])
                   for i, one in enumerate(variants["variants"])]
    write_tokenizers(out, tokenizers, texts)
    write_texts(out, texts, len(list((out / "tokenizers").iterdir())))
    for kind in ("*.png", "*.jpg"):
        for path in sorted((GOLDENS.parent / "images").glob(kind)):
            shutil.copy(path, out / "image")
    shutil.copy(GOLDENS.parent / "gguf/types.gguf", out / "gguf")
    for path in sorted((GOLDENS.parent / "templates").glob("*.jinja")):
        shutil.copy(path, out / "chat_template")
    write_indexes(out / "model_index")
    write_safetensors(out / "safetensors")
    write_configs(out / "config_json")
    write_generation(out / "generation_config")
    write_recipes(out / "recipe")
    write_corpus(out)
    for number, text in enumerate(TABLES):
        (out / "table" / f"{number}.csv").write_text(text)


if __name__ == "__main__":
    main()
