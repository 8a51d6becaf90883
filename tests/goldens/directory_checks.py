"""What check_directories.py asks of a directory: each check runs a command of jogak and the same by
transformers, and gives how many answers were compared. One that differs raises Different."""

import json
import subprocess

import torch
from safetensors.torch import load_file, save_file

CLOSE = 1e-5  # of the largest number
PROMPTS = ["the king understand", "한국어를 읽는다", "reading  Übersetzung 2031-05-09"]
SENTENCES = ["the singing reader", "한국어를 학교에서 쓴다.", "Straße 12, e.g. 3/4", "日本語です"]
NEW_TOKENS = 10
LONGEST = 60  # seconds of one command


class Different(Exception):
    pass


class Refused(Exception):
    """What jogak said."""


class Case:
    def __init__(self, program, one, folder, tokenizer, model):
        self.program, self.one, self.folder = program, one, folder
        self.tokenizer, self.model = tokenizer, model

    def jogak(self, *args, text=""):
        done = subprocess.run([self.program, *map(str, args)], input=text, capture_output=True,
                              text=True, timeout=LONGEST)  # fmt: skip
        if done.returncode == 65:
            raise Refused(done.stderr.strip())
        if done.returncode:
            raise Different(f"jogak {args[0]}: exit status {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def rows(self, *args, text=""):
        """The JSON objects that a command prints, one a line."""
        return [json.loads(line) for line in self.jogak(*args, "--json", text=text).splitlines()]

    def encode(self, *texts, **more):
        out = self.tokenizer(*texts, return_tensors="pt", **more)
        return {k: v for k, v in out.items() if k in ("input_ids", "attention_mask", "token_type_ids")}


def close(what, ours, theirs):
    ours, theirs = torch.as_tensor(ours, dtype=torch.float64), torch.as_tensor(theirs, dtype=torch.float64)
    if ours.shape != theirs.shape:
        raise Different(f"{what}: shape {list(ours.shape)}, transformers {list(theirs.shape)}")
    far = ((ours - theirs).abs().max() / theirs.abs().max().clamp_min(1e-30)).item()
    if not far <= CLOSE:
        raise Different(f"{what}: {far:.1e} apart")


def same(what, ours, theirs):
    if ours != theirs:
        raise Different(f"{what}: {ours!r}, transformers {theirs!r}")


def run(model, inputs):
    with torch.no_grad():
        return model(**inputs)


def writing(case, tokens):
    """What decoders are given: no types of tokens, which transformers' generate refuses for most."""
    return {k: v for k, v in tokens.items() if k != "token_type_ids"}


def info(case):
    (found,) = case.rows("info", case.folder)
    own = {p.data_ptr(): p.numel() for name, p in case.model.named_parameters()
           if not ("embed_positions" in name and case.one.config.get("static_position_embeddings"))  # sines
           and not name.endswith("position_enc") and not name.endswith("mask_token")}  # which only learning of hidden patches reads
    same("info: parameters", found["parameters"], sum(own.values()))
    case.jogak("inspect", "weights", case.folder)
    return 1


def forward(case):
    """Logits, or the vectors of a model without a head."""
    if case.tokenizer:
        inputs = case.encode(SENTENCES[0])
    else:
        inputs = case.one.files["inputs"](case.model.config)
    if case.model.config.is_encoder_decoder:
        inputs = {"input_ids": inputs["input_ids"], "decoder_input_ids": inputs["input_ids"].flip(1)}
    elif hasattr(case.model, "lm_head") or hasattr(case.model, "embed_out"):
        inputs = writing(case, inputs)
    save_file({k: v.contiguous() for k, v in inputs.items()}, case.folder / "in.safetensors")
    case.jogak("forward", case.folder, "--input", case.folder / "in.safetensors", "--output",
               case.folder / "out.safetensors")  # fmt: skip
    ours, theirs = load_file(case.folder / "out.safetensors"), run(case.model, inputs)
    shared = [k for k in ours if k in theirs and isinstance(theirs[k], torch.Tensor)]
    if not shared:
        raise Different(f"forward: {sorted(ours)}, transformers {sorted(theirs)}")
    for name in shared:
        close(f"forward: {name}", ours[name], theirs[name])
    return len(shared)


def continuations(case, ids, **more):
    with torch.no_grad():
        return case.model.generate(**ids, max_new_tokens=NEW_TOKENS, do_sample=False, **more)[0].tolist()


def generate(case):
    for prompt in PROMPTS:
        inputs = writing(case, case.encode(prompt))
        theirs = continuations(case, inputs)[inputs["input_ids"].shape[1] :]
        (ours,) = case.rows("generate", case.folder, "--prompt", prompt, "--predict", NEW_TOKENS, "--temp", 0)
        same(f"generate {prompt!r}", ours["ids"], theirs)
        read, written = (case.tokenizer.decode(ids, skip_special_tokens=True)
                         for ids in (inputs["input_ids"][0].tolist(), inputs["input_ids"][0].tolist() + theirs))  # fmt: skip
        if "\ufffd" not in written:  # bytes that are no text: SentencePiece and PyPI tokenizers show them otherwise
            same(f"text of {prompt!r}", ours["text"], written[len(read) :])
    return len(PROMPTS)


def chat(case):
    """A user's words through the template."""
    for words in PROMPTS:
        told = [{"role": "user", "content": words}]
        inputs = case.tokenizer.apply_chat_template(told, add_generation_prompt=True, return_tensors="pt",
                                                    return_dict=True)  # fmt: skip
        inputs = writing(case, {k: inputs[k] for k in ("input_ids", "attention_mask")})
        theirs = continuations(case, inputs)[inputs["input_ids"].shape[1] :]
        (ours,) = case.rows("generate", case.folder, "--chat", "--prompt", words, "--predict", NEW_TOKENS, "--temp", 0)
        same(f"chat {words!r}", ours["ids"], theirs)
    return len(PROMPTS)


def translate(case):
    flags, more, tokenizer = [], {}, case.tokenizer
    if case.one.languages:
        source, target = case.one.languages
        flags = ["--source-lang", source, "--target-lang", target]
        tokenizer.src_lang = source
        if case.one.config.get("decoder_start_token_id", 0) is None:  # as mBART's first models
            more["decoder_start_token_id"] = tokenizer.convert_tokens_to_ids(target)
        else:
            more["forced_bos_token_id"] = (tokenizer.get_lang_id(target) if hasattr(tokenizer, "get_lang_id")
                                           else tokenizer.convert_tokens_to_ids(target))  # fmt: skip
    if case.one.prompt:
        flags = ["--prefix", case.one.prompt]
    lines = [*PROMPTS, *SENTENCES]
    beams = case.model.generation_config.num_beams or 1  # jogak takes four where nobody says it
    found = case.rows("translate", case.folder, *flags, "--beams", beams, "--max-length", NEW_TOKENS, text="\n".join(lines) + "\n")
    for line, one in zip(lines, found, strict=True):
        theirs = continuations(case, writing(case, case.encode(case.one.prompt + line)), **more)[1:]
        best = one["translations"][0]
        same(f"translate {line!r}", best["ids"], theirs)
        same(f"text of {line!r}", best["text"], tokenizer.decode(theirs, skip_special_tokens=True))
    return len(lines)


def fill(case):
    mask = case.tokenizer.mask_token
    texts = [f"the {mask} understand", f"한국어를 {mask} .", f"{mask} 12"]
    for text, found in zip(texts, case.rows("fill", case.folder, *texts), strict=True):
        inputs = case.encode(text)
        at = inputs["input_ids"][0].tolist().index(case.tokenizer.mask_token_id)
        best = run(case.model, inputs).logits[0, at].softmax(-1).topk(5)
        close(f"fill {text!r}", [x["score"] for x in found["predictions"]], best.values)
        words = [case.tokenizer.decode([i]).strip() for i in best.indices.tolist()]
        same(f"fill {text!r}", [x["label"].strip() for x in found["predictions"]], words)
    return len(texts)


def label_scores(config, logits):
    """As transformers' pipeline gives them."""
    if config.problem_type == "regression":
        return logits
    apart = config.problem_type == "multi_label_classification" or config.num_labels == 1
    return logits.sigmoid() if apart else logits.softmax(-1)


def compare_labels(case, what, found, logits):
    scores = label_scores(case.model.config, logits)
    theirs = {case.model.config.id2label[i]: x for i, x in enumerate(scores.tolist())}
    ours = {x["label"]: x["score"] for x in found["predictions"]}
    same(what, sorted(ours), sorted(theirs))
    close(what, [ours[k] for k in theirs], list(theirs.values()))


def classify(case):
    most = case.model.config.num_labels
    found = case.rows("classify", case.folder, "--top-k", most, *SENTENCES)
    for text, one in zip(SENTENCES, found, strict=True):
        compare_labels(case, f"classify {text!r}", one, run(case.model, case.encode(text)).logits[0])
    return len(SENTENCES)


def pairs(case):
    """Two texts at once, as models of entailment read them."""
    lines = [f"{a}\t{b}" for a, b in zip(SENTENCES, PROMPTS)]
    found = case.rows("classify", case.folder, "--pair", "--top-k", case.model.config.num_labels,
                      text="\n".join(lines) + "\n")  # fmt: skip
    for a, b, one in zip(SENTENCES, PROMPTS, found):
        compare_labels(case, f"classify {a!r} and {b!r}", one, run(case.model, case.encode(a, b)).logits[0])
    return len(found)


def rank(case):
    query = PROMPTS[0]
    (found,) = case.rows("rank", case.folder, "--query", query, *SENTENCES)
    activation = json.dumps(case.one.config.get("sentence_transformers") or case.one.config.get(
        "sbert_ce_default_activation_function") or "")  # fmt: skip
    ours = {x["text"]: x["score"] for x in found["results"]}
    scores = torch.stack([run(case.model, case.encode(query, text)).logits[0, 0] for text in SENTENCES])
    close("rank", [ours[text] for text in SENTENCES], scores if "Identity" in activation else scores.sigmoid())
    same("rank: order", [x["score"] for x in found["results"]], sorted(ours.values(), reverse=True))
    return len(SENTENCES)


def tags(case):
    """A label for each token that stands in the text."""
    for text, found in zip(SENTENCES, case.rows("classify", case.folder, *SENTENCES), strict=True):
        inputs = case.encode(text)
        scores = run(case.model, inputs).logits[0].softmax(-1)
        special = case.tokenizer(text, return_special_tokens_mask=True)["special_tokens_mask"]
        best = [scores[t] for t, other in enumerate(special) if not other]
        close(f"classify {text!r}", [x["score"] for x in found["predictions"]], [x.max().item() for x in best])
        names = [case.model.config.id2label[x.argmax().item()] for x in best]
        same(f"classify {text!r}", [x["label"] for x in found["predictions"]], names)
    return len(SENTENCES)


def spans(case):
    """The likeliest answer of a text and where it stands."""
    question, texts = "reading?", [text for text in SENTENCES if " " in text]
    for text, found in zip(texts, case.rows("answer", case.folder, "--question", question, *texts), strict=True):
        both = case.tokenizer(question, text, return_offsets_mapping=True, return_tensors="pt")
        places, side = both.pop("offset_mapping")[0].tolist(), both.sequence_ids(0)
        inputs = {k: v for k, v in both.items() if k in ("input_ids", "attention_mask", "token_type_ids")}
        out = run(case.model, inputs)
        keep = [t for t, one in enumerate(side) if one == 1]
        start, end = out.start_logits[0, keep], out.end_logits[0, keep]
        pairs = [(start[i] + end[j], i, j) for i in range(len(keep)) for j in range(i, min(len(keep), i + 15))]
        _, i, j = max(pairs, key=lambda one: one[0].item())
        words = text[places[keep[i]][0] : places[keep[j]][1]]
        same(f"answer {text!r}", found["answers"][0]["answer"].strip(), words.strip())
    return len(texts)


def pooled(case, hidden, mask):
    """What sentence-transformers' modules make of a text's vectors; without them the mean."""
    files, keep = case.one.files, mask.bool()
    modes = files.get("1_Pooling/config.json", {"pooling_mode_mean_tokens": True})
    vector = hidden[0] if modes.get("pooling_mode_cls_token") else (
        hidden[keep.nonzero()[-1, 0]] if modes.get("pooling_mode_lasttoken") else hidden[keep].mean(0))  # fmt: skip
    kinds = [one["type"].rsplit(".")[-1] for one in files.get("modules.json", [])]
    if "Dense" in kinds:
        weights = files["2_Dense/model.safetensors"]()
        vector = (vector @ weights["linear.weight"].T + weights["linear.bias"]).tanh()
    return torch.nn.functional.normalize(vector, dim=0) if "Normalize" in kinds else vector


def embed(case):
    for text, found in zip(SENTENCES, case.rows("embed", case.folder, *SENTENCES), strict=True):
        longest = case.one.files.get("sentence_bert_config.json", {}).get("max_seq_length")
        inputs = case.encode(text, **({"truncation": True, "max_length": longest} if longest else {}))
        hidden = run(case.model, inputs).last_hidden_state[0]
        close(f"embed {text!r}", found["embedding"], pooled(case, hidden, inputs["attention_mask"][0]))
    return len(SENTENCES)


def pictures(case):
    """Four files of images, and what the directory's own preparation makes of them."""
    from PIL import Image
    from transformers import AutoImageProcessor

    prepare = AutoImageProcessor.from_pretrained(case.folder, backend="pil")
    out = []
    for number, (width, height) in enumerate([(16, 16), (31, 20), (64, 40), (40, 64)]):
        values = torch.rand(height, width, 3, generator=torch.Generator().manual_seed(number))
        image = Image.fromarray((values * 255).byte().numpy())
        path = case.folder / f"{number}.png"
        image.save(path)
        out.append((path, prepare(image, return_tensors="pt")["pixel_values"]))
    return out


def image_labels(case):
    for path, pixels in pictures(case):
        (found,) = case.rows("classify", case.folder, "--top-k", case.model.config.num_labels, path)
        compare_labels(case, f"classify {path.name}", found, run(case.model, {"pixel_values": pixels}).logits[0])
    return 4


def image_vectors(case):
    for path, pixels in pictures(case):
        (found,) = case.rows("embed", case.folder, path)
        close(f"embed {path.name}", found["embedding"],
              run(case.model, {"pixel_values": pixels}).last_hidden_state[0, 0])  # fmt: skip
    return 4


def zero_shot(case):
    """Which of some sentences fits an image, and the vectors of both."""
    flags = [word for text in SENTENCES for word in ("--label", text)]
    words = case.encode(SENTENCES, padding=True)
    for path, pixels in pictures(case):
        (found,) = case.rows("classify", case.folder, *flags, "--top-k", len(SENTENCES), path)
        out = run(case.model, words | {"pixel_values": pixels})
        ours = {x["label"]: x["score"] for x in found["predictions"]}
        close(f"classify {path.name}", [ours[text] for text in SENTENCES], out.logits_per_image[0].softmax(-1))
        (vector,) = case.rows("embed", case.folder, path)
        close(f"embed {path.name}", vector["embedding"], out.image_embeds[0])
    for text, found, vector in zip(SENTENCES, case.rows("embed", case.folder, "--text", *SENTENCES), out.text_embeds):
        close(f"embed {text!r}", found["embedding"], vector)
    return 6 + len(SENTENCES)


def forecast(case):
    """The rows that follow a CSV file's."""
    config = case.model.config
    series = getattr(config, "num_input_channels", 1)
    random = torch.Generator().manual_seed(3)
    rows = torch.randn(config.context_length, series, generator=random).cumsum(0).double()
    names = [f"s{i}" for i in range(series)]
    lines = ["date," + ",".join(names)] + [
        f"2031-05-{1 + i // 24:02} {i % 24:02}:00," + ",".join(f"{x:.6f}" for x in row) for i, row in enumerate(rows.tolist())]
    (case.folder / "series.csv").write_text("\n".join(lines) + "\n")
    past = torch.tensor([[float(f"{x:.6f}") for x in row] for row in rows.tolist()])
    if type(case.model).__name__.startswith("TimesFm"):
        out = run(case.model, {"past_values": [past[:, 0]]}).mean_predictions[0, :, None]
    else:
        out = run(case.model, {"past_values": past[None]}).prediction_outputs[0]
    (found,) = case.rows("forecast", case.folder, "--input", case.folder / "series.csv")
    ours = torch.tensor([one["values"] for one in found["series"]]).T
    close("forecast", ours, out)
    return 1
