"""Runs transformers and jogak over tiny models with random settings of generation and compares.

    python3 tests/goldens/check_generation.py [--jogak build/jogak] [--count 300] [--seed 1]

Each case is a directory with a generation_config.json of its own (one in ten has the keys in
config.json, where they stood before). Greedy search and beam search must give the same tokens. Where
tokens are drawn, transformers is led along the tokens jogak drew, and the probabilities of all
candidates must be the same at each of them; beams that draw are checked for tokens transformers had
filtered out. A case that asks for what jogak does not do must be refused in one line that names the
file and the key, with exit status 65. Exit status 0 when all is so.
"""
import argparse
import collections
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import warnings

import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import (FalconConfig, FalconForCausalLM, GenerationConfig, GPT2Config,
                          GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM, MarianConfig,
                          MarianMTModel)

from generation import REFUSED, Draw

VOCAB = 60
KINDS = ["greedy", "beam", "greedy", "beam", "sample", "beam", "sample", "greedy", "beam_sample"]
CLOSE = 2e-5  # of probabilities that two programs compute in f32


def families():
    """Trained on nothing, with weights large enough that no two tokens are nearly as likely. Texts
    of those with rotary positions and ALiBi get longer than they were made for."""
    torch.manual_seed(4)
    common = dict(vocab_size=VOCAB, bos_token_id=1, eos_token_id=2)
    llama = dict(common, hidden_size=32, intermediate_size=48, num_hidden_layers=2,
                 num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=12,
                 initializer_range=0.35)
    falcon = dict(common, hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
                  max_position_embeddings=12, initializer_range=0.35)
    return {
        "gpt2": GPT2LMHeadModel(GPT2Config(n_embd=32, n_layer=2, n_head=4, n_positions=40,
                                           initializer_range=0.35, **common)),
        "llama": LlamaForCausalLM(LlamaConfig(**llama)),
        "llama-dynamic": LlamaForCausalLM(LlamaConfig(
            rope_parameters={"rope_type": "dynamic", "factor": 2.0, "rope_theta": 10000.0},
            **llama)),
        "falcon": FalconForCausalLM(FalconConfig(**falcon)),
        "falcon-alibi": FalconForCausalLM(FalconConfig(alibi=True, **falcon)),
        "marian": MarianMTModel(MarianConfig(
            vocab_size=VOCAB, d_model=32, encoder_layers=2, decoder_layers=2,
            encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=48,
            decoder_ffn_dim=48, max_position_embeddings=40, init_std=0.35, pad_token_id=3,
            eos_token_id=0, decoder_start_token_id=3, forced_eos_token_id=None)),
    }


def write_tokenizer(folder):
    tokenizer = Tokenizer(models.WordLevel({f"t{i}": i for i in range(VOCAB)}, unk_token="t1"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.save(str(folder / "tokenizer.json"))
    roles = {"eos_token": "t0", "pad_token": "t3", "unk_token": "t1"}
    (folder / "tokenizer_config.json").write_text(json.dumps(roles))


def case_directory(base, folder, settings, legacy):
    """The model's files beside settings of their own."""
    folder.mkdir()
    config = json.loads((base / "config.json").read_text())
    for file in base.iterdir():
        if file.name not in ("config.json", "generation_config.json"):
            (folder / file.name).symlink_to(file)
    if legacy:
        config |= settings
    else:
        (folder / "generation_config.json").write_text(json.dumps(settings))
    (folder / "config.json").write_text(json.dumps(config))


def load_settings(folder, legacy):
    if legacy:
        return GenerationConfig.from_pretrained(folder, config_file_name="config.json",
                                                _from_model_config=True)
    return GenerationConfig.from_pretrained(folder)


class Case:
    def __init__(self, number, model, name, rng):
        self.model, self.name, self.number = model, name, number
        self.translates = model.config.is_encoder_decoder
        self.prompt = [rng.randrange(4, VOCAB) for _ in range(rng.randint(1, 6))]
        draw = Draw(rng, VOCAB, 1 if self.translates else len(self.prompt))
        self.kind = KINDS[number % len(KINDS)]
        self.settings = draw.settings(self.kind)
        if self.kind == "sample" and draw.maybe(0.3):
            self.settings["num_return_sequences"] = 3
        if self.translates:
            self.settings["decoder_start_token_id"] = rng.choice([3, 3, rng.randrange(VOCAB)])
        self.refused = rng.choice(sorted(REFUSED)) if draw.maybe(0.08) else None
        if self.refused:
            self.settings[self.refused] = REFUSED[self.refused]
        self.legacy = draw.maybe(0.1)

    def run_jogak(self, program, folder):
        command = [program, "translate" if self.translates else "generate", folder, "--json",
                   "--seed", str(self.number), "--threads", "1"]
        text = " ".join(f"t{i}" for i in self.prompt)
        if self.kind == "sample":
            command += ["--candidates", str(VOCAB)]
        if not self.translates:
            command += ["--prompt", text]
        done = subprocess.run(command, input=text + "\n", capture_output=True, text=True)
        if done.returncode:
            return done.returncode, done.stderr
        out = json.loads(done.stdout)
        return 0, out["translations"] if self.translates else out.get("texts", [out])

    def generate(self, **more):
        ids = torch.tensor([self.prompt])
        with torch.no_grad():
            return self.model.generate(ids, attention_mask=torch.ones_like(ids),
                                       return_dict_in_generate=True, output_scores=True, **more)

    def new_tokens(self, row):
        """Without prompt and padding, the end token included."""
        start = 1 if self.translates else len(self.prompt)
        ends = self.settings["eos_token_id"]
        ends = [] if ends is None else [ends] if isinstance(ends, int) else ends
        out = []
        for token in row.tolist()[start:]:
            out.append(token)
            if token in ends:
                break
        return out

    def same_tokens(self, found):
        out = self.generate()
        rows = [self.new_tokens(row) for row in out.sequences]
        if self.kind == "beam":  # what has this score was never found: a place that stayed empty
            rows = [r for r, s in zip(rows, out.sequences_scores.tolist()) if s > -1e8]
        ours = [one["ids"] for one in found]
        return None if ours == rows else f"jogak {ours}, transformers {rows}"

    def same_candidates(self, found):
        """transformers draws what jogak drew; what it would have drawn from is compared."""
        seen, real = [], torch.multinomial

        def led(shares, num_samples):
            step = len(seen)
            seen.append(shares.clone())
            return torch.tensor([[t["ids"][step] if step < len(t["ids"]) else 0] for t in found])

        torch.multinomial = led
        try:
            out = self.generate()
        finally:
            torch.multinomial = real
        for row, text in enumerate(found):
            if self.new_tokens(out.sequences[row]) != text["ids"]:
                return f"text {row} ends elsewhere"
            for step, candidates in enumerate(text["candidates"]):
                ours = torch.zeros(VOCAB)
                for token, share in candidates:
                    ours[token] = share
                theirs = seen[step][row]
                if (ours - theirs).abs().max() > CLOSE or ((ours > 0) != (theirs > 0)).any():
                    return f"text {row}, token {step}: jogak {ours}, transformers {theirs}"
        return None

    def possible(self, found):
        """Each token of beams that were drawn is one that transformers leaves."""
        config, _ = self.model._prepare_generation_config(None)
        self.model._prepare_special_tokens(config, True, device="cpu")
        source = torch.tensor([self.prompt])
        start = [config.decoder_start_token_id] if self.translates else self.prompt
        config = self.model._prepare_generated_length(
            config, has_default_max_length="max_length" not in self.settings,
            has_default_min_length="min_length" not in self.settings, model_input_name="input_ids",
            input_ids_length=len(start), inputs_tensor=source)
        steps = self.model._get_logits_processor(config, input_ids_seq_length=len(start),
                                                 encoder_input_ids=source, device="cpu")
        for text in found:
            for at, token in enumerate(text["ids"]):
                so_far = torch.tensor([start + text["ids"][:at]])
                with torch.no_grad():
                    logits = (self.model(source, decoder_input_ids=so_far) if self.translates
                              else self.model(so_far)).logits[:, -1].float()
                if steps(so_far, logits.log_softmax(-1))[0, token] == -torch.inf:
                    return f"token {at} of {text['ids']} cannot come"
        return None

    def check(self, program, folder):
        """(what came out, what is wrong or None)"""
        status, found = self.run_jogak(program, folder)
        if self.refused:
            file = "config.json" if self.legacy else "generation_config.json"
            good = (status == 65 and found.count("\n") == 1 and file in found
                    and f'"{self.refused}"' in found)
            return f"refused: {self.refused}", None if good else f"status {status}: {found}"
        if status:
            return "failed", found
        self.model.generation_config = load_settings(folder, self.legacy)
        compare = {"sample": self.same_candidates, "beam_sample": self.possible}
        return self.kind, compare.get(self.kind, self.same_tokens)(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jogak", default=pathlib.Path(__file__).parents[2] / "build" / "jogak")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    counts, bad = collections.Counter(), 0
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        opened = {name: model.eval() for name, model in families().items()}
        for name, model in opened.items():
            model.save_pretrained(place / name)
            write_tokenizer(place / name)
        for number in range(args.count):
            name = list(opened)[number % len(opened)]
            case = Case(number, opened[name], name, random.Random(args.seed * 100003 + number))
            folder = place / f"case-{number}"
            case_directory(place / name, folder, case.settings, case.legacy)
            what, wrong = case.check(args.jogak, folder)
            counts[what] += 1
            if wrong:
                bad += 1
                print(f"{number} {name} {what} {json.dumps(case.settings)}\n"
                      f"  prompt {case.prompt}, legacy {case.legacy}\n  {wrong}")
    refused = sum(n for what, n in counts.items() if what.startswith("refused"))
    for what, n in sorted(counts.items()):
        print(f"{what:42} {n}")
    print(f"{args.count - bad} of {args.count} as in transformers {transformers.__version__}: "
          f"{args.count - bad - refused} the same, {refused} refused by their key")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
