"""Writes generation/rules.json: what transformers' logits processors make of random scores.

    python3 tests/goldens/make_generation.py

Each case has the settings as generation_config.json has them, scores, the tokens so far, how many of
them are the prompt, what an encoder read, and the scores that the processors changed (null: cannot
come); with do_sample instead the probabilities a token is drawn with, after all filters.
"""
import json
import math
import pathlib
import random
import warnings

import torch
import transformers
from transformers import GenerationConfig, GPT2Config, GPT2LMHeadModel

from generation import Draw

VOCAB = 40
CASES = 120


def processors(model, settings, tokens, prompt, source):
    config, _ = model._prepare_generation_config(GenerationConfig(**settings))
    model._prepare_special_tokens(config, True, device="cpu")
    config = model._prepare_generated_length(
        config, has_default_max_length="max_length" not in settings,
        has_default_min_length="min_length" not in settings, model_input_name="input_ids",
        input_ids_length=prompt, inputs_tensor=tokens)
    return model._get_logits_processor(config, input_ids_seq_length=prompt,
                                       encoder_input_ids=source, device="cpu")


def case(model, draw, number, rng):
    kind = ["greedy", "greedy", "beam", "sample", "sample", "beam_sample"][number % 6]
    prompt = rng.choice([1, 1, 2, 5])
    draw.prompt = prompt
    settings = draw.settings(kind)
    settings.pop("renormalize_logits", None)  # the searches do that, not the rules
    most = settings.get("max_new_tokens", settings.get("max_length", 0) - prompt)
    fresh = rng.choice([0, most - 1, rng.randrange(most)])
    # Few different tokens, so that sequences come again.
    tokens = [rng.randrange(8) for _ in range(prompt + fresh)]
    source = [rng.randrange(10) for _ in range(6)] if number % 2 else tokens[:prompt]
    written = [round(rng.gauss(0, 2), 3) for _ in range(VOCAB)]
    if settings.get("remove_invalid_values"):
        written[3:6] = [math.nan, math.inf, -math.inf]
    scores = torch.tensor(written)
    steps = processors(model, settings, torch.tensor([tokens]), prompt, torch.tensor([source]))
    made = steps(torch.tensor([tokens]), scores[None])[0]
    out = {"settings": settings,
           "scores": [x if math.isfinite(x) else str(x) for x in written],
           "tokens": tokens, "prompt": prompt, "source": source}
    if settings["do_sample"]:
        shares = made.softmax(-1).tolist()
        out["probabilities"] = {i: float(f"{p:.6g}") for i, p in enumerate(shares) if p > 0}
    else:
        out["made"] = {i: None if x == -math.inf else float(f"{x:.9g}")
                       for i, (x, old) in enumerate(zip(made.tolist(), scores.tolist()))
                       if x != old}
    return out


def main():
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    model = GPT2LMHeadModel(GPT2Config(vocab_size=VOCAB, n_embd=8, n_layer=1, n_head=1))
    model.generation_config = GenerationConfig()
    rng = random.Random(11)
    draw = Draw(rng, VOCAB, 1)
    cases = [case(model, draw, i, rng) for i in range(CASES)]
    text = json.dumps({"transformers": transformers.__version__, "cases": cases},
                      separators=(",", ":"))
    path = pathlib.Path(__file__).with_name("generation") / "rules.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text.replace('{"settings"', '\n{"settings"') + "\n")
    print(path.name, len(text), "bytes,", len(cases), "cases")


if __name__ == "__main__":
    main()
