"""Adapters of PEFT on goldens of four families: logits, and the gradients of both factors.

    python make_lora.py [NAME ..]     (in tests/goldens; versions in requirements.txt)
"""

import argparse
import json
import pathlib

import torch
from peft import LoraConfig, get_peft_model
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM, BertForSequenceClassification

HERE = pathlib.Path(__file__).resolve().parent
CAUSAL = dict(kind=AutoModelForCausalLM, task="CAUSAL_LM")
CASES = {
    "lora-gpt2": dict(base="gpt2-a", targets=["c_attn", "mlp.c_proj"], **CAUSAL),
    "lora-llama": dict(base="llama-a", targets=["q_proj", "v_proj", "down_proj"], root=True, **CAUSAL),
    "lora-falcon": dict(base="falcon-c", targets=["query_key_value"], **CAUSAL),
    "lora-bert": dict(base="bert-d", targets=["query", "value"], whole=["classifier"],
                      kind=BertForSequenceClassification, task="SEQ_CLS"),
}  # fmt: skip


def make(name, base, targets, kind, task, root=False, whole=None):
    torch.manual_seed(5)
    plain = kind.from_pretrained(HERE / base, attn_implementation="eager").eval()
    model = get_peft_model(plain, LoraConfig(
        r=3, lora_alpha=5, target_modules=targets, use_rslora=root, task_type=task,
        modules_to_save=whole, fan_in_fan_out=base.startswith("gpt2"))).eval()  # fmt: skip
    learnt = {n: p for n, p in model.named_parameters() if p.requires_grad}
    with torch.no_grad():
        for n, p in learnt.items():
            p.copy_(torch.randn(p.shape) * (0.4 if "lora_" in n else 0.2))
    ids = torch.randint(0, plain.config.vocab_size, (2, 7))
    logits = model(ids).logits
    loss = (logits * torch.linspace(-1, 1, logits.numel()).reshape(logits.shape)).sum()
    loss.backward()
    folder = HERE / name
    model.save_pretrained(folder)
    (folder / "README.md").unlink(missing_ok=True)
    config = json.loads((folder / "adapter_config.json").read_text())
    config["base_model_name_or_path"] = f"../{base}"
    (folder / "adapter_config.json").write_text(json.dumps(config, indent=1, sort_keys=True) + "\n")
    rename = lambda n: n.replace(".default", "").replace(".modules_to_save", "")
    grads = {f"grads.{rename(n)}": p.grad.contiguous() for n, p in learnt.items()}
    assert {f"grads.{n}" for n in load_file(folder / "adapter_model.safetensors")} == set(grads)
    save_file({"input_ids": ids, "logits": logits.detach().contiguous(), **grads},
              folder / "golden.safetensors")
    print(name, tuple(logits.shape), len(grads), "gradients")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=list(CASES))
    for each in parser.parse_args().names:
        make(each, **CASES[each])
