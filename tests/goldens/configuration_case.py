"""One case of check_configurations.py: a model of a drawn config.json, by transformers and by jogak."""

import json
import logging
import pathlib
import random
import re
import signal
import subprocess
import tempfile
import warnings

import torch
import transformers
from safetensors.torch import load_file, save_file
from transformers.utils.logging import disable_progress_bar, set_verbosity_error

from check_generation import write_tokenizer
from configurations import CLASSES, VOCAB, draw
from tiny import randomise

CLOSE = 1e-4
NEW_TOKENS = 7
LONGEST = 60  # seconds that one start of jogak may take
MEMORY = pathlib.Path("/dev/shm")
TYPED = ("Bert", "Electra", "Roberta", "XLMRoberta", "DebertaV2")  # classes that tell sentences apart
WRITERS = ("ForCausalLM", "LMHeadModel", "MTModel", "ForConditionalGeneration")


def build(config, folder, seed):
    """The model of a drawn config.json, its weights beside it."""
    (folder / "config.json").write_text(json.dumps(config))
    read = transformers.AutoConfig.from_pretrained(folder)
    kind = getattr(transformers, config.get("architectures", CLASSES[config["model_type"]][:1])[0])
    read._experts_implementation = "eager"  # grouped products want widths of 16 bytes
    torch.manual_seed(seed)
    model = randomise(kind(read), seed)
    model.save_pretrained(folder)
    (folder / "generation_config.json").unlink(missing_ok=True)
    (folder / "config.json").write_text(json.dumps(config))
    return kind.from_pretrained(folder, config=read).eval() if seed % 4 == 0 else model


def clip_inputs(config, random_):
    side, read = config.vision_config, config.text_config
    shape = (2, side.num_channels, side.image_size, side.image_size)
    ids = torch.randint(8, VOCAB - 10, (2, 9), generator=random_)
    ids[0, 8], ids[1, 5] = read.eos_token_id, read.eos_token_id  # a text is read up to its end
    mask = torch.ones_like(ids)
    mask[1, 6:] = 0
    return {"pixel_values": torch.randn(shape, generator=random_), "input_ids": ids, "attention_mask": mask}


def make_inputs(model, rng):
    random_ = torch.Generator().manual_seed(rng.randrange(1 << 30))
    config, name = model.config, type(model).__name__
    if name.startswith("TimesFm"):
        return {"past_values": 3 + 2 * torch.randn((2, config.context_length), generator=random_)}
    if name.startswith(("PatchTST", "PatchTSMixer")):
        shape = (2, config.context_length, config.num_input_channels)
        return {"past_values": 3 + 2 * torch.randn(shape, generator=random_)}
    if name == "CLIPModel":
        return clip_inputs(config, random_)
    if hasattr(config, "image_size"):
        height, width = config.image_size if isinstance(config.image_size, list) else 2 * [config.image_size]
        return {"pixel_values": torch.randn(2, config.num_channels, height, width, generator=random_)}
    ids = lambda: torch.randint(4, VOCAB - 10, (2, 9), generator=random_)
    out = {"input_ids": ids()}
    if rng.random() < 0.5:
        out["attention_mask"] = torch.ones_like(out["input_ids"])
        if config.is_encoder_decoder or not name.endswith(WRITERS):
            out["attention_mask"][1, 6:] = 0
        else:
            out["attention_mask"][1, :3] = 0
    if name.startswith(TYPED) and config.type_vocab_size and rng.random() < 0.5:
        out["token_type_ids"] = out["input_ids"] % config.type_vocab_size
    if config.is_encoder_decoder:
        out["decoder_input_ids"] = ids()
    return out


def outputs(model, inputs):
    with torch.no_grad():
        out = model(**inputs)
    if isinstance(out, tuple):
        raise ValueError("the model gives a tuple: config.json asks for one")
    names = {"prediction_logits": "logits"}
    return {names.get(k, k): v for k, v in out.items() if isinstance(v, torch.Tensor)}


def write_text(model, prompt):
    """Greedy; None for models that write none."""
    if not type(model).__name__.endswith(WRITERS):
        return None
    ids = torch.tensor([prompt])
    with torch.no_grad():
        row = model.generate(ids, attention_mask=torch.ones_like(ids))[0].tolist()
    return row[1:] if model.config.is_encoder_decoder else row[len(prompt):]


class Wrong(Exception):
    """An end that is neither an answer nor a refusal."""


def jogak(program, *args, text=""):
    done = subprocess.run([program, *map(str, args), "--threads", "1"], input=text, capture_output=True,
                          text=True, timeout=LONGEST)
    if done.returncode not in (0, 65):
        raise Wrong(f"jogak {args[0]}: exit status {done.returncode}: {done.stderr.strip()}")
    return done


class Case:
    def __init__(self, family, number, seed):
        self.rng = random.Random(f"{seed} {family} {number}")
        self.number, self.config = number, draw(family, self.rng)

    def theirs(self, folder):
        """(outputs, text), or why there are none."""
        try:
            self.model = model = build(self.config, folder, self.number + 1)
            self.inputs = make_inputs(model, self.rng)
            named = outputs(model, self.inputs)
            self.prompt = [self.rng.randrange(4, VOCAB - 10) for _ in range(4)]
            # Nothing of config.json's: check_generation.py is about those.
            settings = {"max_new_tokens": NEW_TOKENS, "do_sample": False, "eos_token_id": None, "num_beams": 1}
            if model.config.is_encoder_decoder:
                settings["decoder_start_token_id"] = model.config.decoder_start_token_id
            (folder / "generation_config.json").write_text(json.dumps(settings))
            model.generation_config = transformers.GenerationConfig.from_pretrained(folder)
            return (named, write_text(model, self.prompt)), None
        except Exception as problem:  # whatever it is, it is a refusal
            return None, f"{type(problem).__name__}: {str(problem).splitlines()[0] if str(problem) else ''}"

    def ours(self, program, folder, writes):
        if not (folder / "model.safetensors").exists():  # transformers cannot even start it
            save_file({}, folder / "model.safetensors")
            done = jogak(program, "forward", folder, "--example", folder / "example.safetensors")
            return None, "starts" if "tensors do not fit the configuration" in done.stderr else done.stderr
        save_file({k: v.contiguous() for k, v in self.inputs.items()}, folder / "in.safetensors")
        done = jogak(program, "forward", folder, "--input", folder / "in.safetensors",
                     "--output", folder / "out.safetensors")
        if done.returncode:
            return None, done.stderr
        named = load_file(folder / "out.safetensors")
        if not writes:
            return (named, None), None
        prompt = " ".join(f"t{i}" for i in self.prompt)
        if self.config["model_type"] in TRANSLATORS:
            done = jogak(program, "translate", folder, "--json", text=prompt + "\n")
        else:
            done = jogak(program, "generate", folder, "--json", "--prompt", prompt)
        if done.returncode:
            return None, done.stderr
        if "the model has no positions for more" in done.stderr:
            return None, "the text ends where positions would be stretched anew"
        out = json.loads(done.stdout)
        return (named, (out["translations"][0] if "translations" in out else out)["ids"]), None

    def near_tie(self, ours, theirs):
        """Whether jogak's text leaves the other where two tokens are as likely as rounding can tell."""
        at = next((i for i, (a, b) in enumerate(zip(ours, theirs)) if a != b), None)
        if at is None:
            return False
        start = [self.model.config.decoder_start_token_id] if self.model.config.is_encoder_decoder else self.prompt
        so_far = torch.tensor([start + theirs[:at]])
        named = {"input_ids": torch.tensor([self.prompt]), "decoder_input_ids": so_far}
        with torch.no_grad():
            out = self.model(**named) if self.model.config.is_encoder_decoder else self.model(so_far)
        logits = out.logits[0, -1]
        return (logits.max() - logits[ours[at]]).item() <= CLOSE * logits.abs().max().item()

    def differs(self, ours, theirs):
        mask = self.inputs.get("attention_mask")
        if not ours[0].keys() & theirs[0].keys():
            return f"outputs {sorted(ours[0])}, transformers {sorted(theirs[0])}"
        for name, a in ours[0].items():
            b = theirs[0].get(name)
            if b is None:
                continue
            if a.shape != b.shape:
                return f"{name}: {list(a.shape)}, transformers {list(b.shape)}"
            if mask is not None and a.shape[:2] == mask.shape and "decoder_input_ids" not in self.inputs:
                a, b = a[mask.bool()], b[mask.bool()]  # padding says nothing
            if b.isnan().any() or b.isinf().any():
                if torch.equal(a.isfinite(), b.isfinite()):
                    continue
                return f"{name}: transformers is not finite"
            far = ((a - b).abs().max() / b.abs().max().clamp_min(1e-30)).item()
            if not far <= CLOSE:
                return f"{name}: {far:.1e} apart"
        if ours[1] != theirs[1] and not self.near_tie(ours[1], theirs[1]):
            return f"text {ours[1]}, transformers {theirs[1]}"
        return None

    def check(self, program, folder):
        """(how it ended, what is wrong or None)"""
        write_tokenizer(folder)
        theirs, why_theirs = self.theirs(folder)
        if theirs is None and not hasattr(self, "inputs"):
            (folder / "model.safetensors").unlink(missing_ok=True)
        try:
            ours, why_ours = self.ours(program, folder, theirs is not None and theirs[1] is not None)
        except (Wrong, subprocess.TimeoutExpired) as problem:
            return "different", str(problem)
        if theirs and ours:
            wrong = self.differs(ours, theirs)
            return "different" if wrong else "the same", wrong
        if not theirs and not ours and why_ours != "starts":
            return "refused by both", None
        if theirs:
            key = re.search(r'"(\w+)":|key "(\w+)"', why_ours)
            named = next((k for k in key.groups() if k), None) if key else None
            return f"refused by jogak: {named or why_ours.strip()[-100:]}", None
        return f"refused by transformers: {why_theirs[:90]}", None


TRANSLATORS = {"marian", "t5", "bart", "mbart", "m2m_100"}


def quiet():
    """In each process, before the first case."""
    warnings.simplefilter("ignore")
    set_verbosity_error()
    disable_progress_bar()
    logging.disable(logging.WARNING)
    torch.set_num_threads(1)


class TooLong(BaseException):
    """No refusal: nothing that catches exceptions may take it for one."""


def too_long(*_):
    raise TooLong


def check_one(program, seed, which):
    """(family, number, how it ended, what is wrong, config.json)"""
    family, number = which
    case = Case(family, number, seed)
    signal.signal(signal.SIGALRM, too_long)
    signal.alarm(2 * LONGEST)
    try:  # in memory where there is such a folder: jogak waits until its files are on the disk
        with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as place:
            what, wrong = case.check(program, pathlib.Path(place))
    except TooLong:
        what, wrong = "different", f"no answer in {2 * LONGEST} s"
    signal.alarm(0)
    return family, number, what, wrong, case.config
