"""Writes forward/: what transformers gives where positions, or kinds of tokens, are said.

    python make_forward.py [--out DIR]        # versions: requirements.txt

forward/NAME.safetensors holds the inputs of `jogak forward` on the model in NAME, and its logits.
"""

import argparse
import logging
import pathlib

import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM
from transformers.utils.logging import disable_progress_bar

HERE = pathlib.Path(__file__).parent
# Rotary positions plain, stretched as they grow, and lines in place of positions.
NAMES = ("gpt2-a", "llama-b", "llama-c", "falcon-a", "falcon-b")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", default=HERE / "forward", type=pathlib.Path)
    out = parser.parse_args().out
    out.mkdir(exist_ok=True)
    disable_progress_bar()
    logging.disable(logging.WARNING)
    torch.set_num_threads(1)
    for name in NAMES:
        model = AutoModelForCausalLM.from_pretrained(HERE / name, attn_implementation="sdpa")
        ids = load_file(HERE / name / "golden.safetensors")["input_ids"]
        mask = torch.ones_like(ids)
        mask[1, :4] = 0
        # The first row begins at 5 and jumps; the second counts from its first real token.
        places = torch.arange(ids.shape[1]).repeat(2, 1)
        places[0] += 5
        places[0, 6:] += 3
        places[1] = (places[1] - 4).clamp(min=0)
        inputs = {"input_ids": ids, "attention_mask": mask, "position_ids": places}
        if name.startswith("gpt2"):
            inputs["token_type_ids"] = torch.arange(ids.shape[1]).repeat(2, 1) // 5 + 3
        with torch.no_grad():
            logits = model(**inputs).logits * mask.unsqueeze(-1)  # padding says nothing
        save_file(inputs | {"logits": logits.contiguous()}, out / f"{name}.safetensors")


if __name__ == "__main__":
    main()
