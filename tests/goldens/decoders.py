"""What the makers of decoders' goldens share: inputs, passes, text, and what is asked of them."""

import copy
import json
from dataclasses import dataclass, field

import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM

import tiny
from checks import check_generation, check_rounding
from steps import check_training, training

NEW_TOKENS = 12
BEAMS = 4


@dataclass
class Golden:
    seed: int
    config: dict
    family: str = ""  # model_type, where a script makes several
    shape: tuple = (2, 13)  # of input_ids
    embed: float = 0.5  # scale of the embeddings
    weights: float = 1.3  # of the matrices, times 1 / sqrt(inputs)
    gain: float = 1  # what the gains of norms are near
    inside: bool = True  # attentions and hidden states, too
    prompts: tuple = ()  # their lengths
    eos_id: int = -1  # for the beam search that can finish early
    eps: float = 0  # AdamW's; 0: no training
    clip: float = 2.0
    bf16: bool = False  # weights are in the file as bfloat16, and computed with in float32
    prefix: bool = True  # False: named as the model without its head names them
    old_config: dict = field(default_factory=dict)  # keys as older files have them; None removes
    rename: dict = field(default_factory=dict)  # parts of names: the model's, and the file's
    extra: object = None  # weights -> tensors that stand in some files and say nothing
    also: object = None  # (model, golden) -> more tensors
    convert: object = None  # tensors by the model's names -> by the file's


def fill(model, golden):
    """Weights that hide nothing: no bias is 0, no gain is 1."""
    random = torch.Generator().manual_seed(golden.seed)
    with torch.no_grad():
        for name, p in model.named_parameters():
            noise = torch.randn(p.shape, generator=random)
            if name.endswith("bias"):
                p.copy_(0.2 * noise)
            elif p.dim() == 1:
                p.copy_(golden.gain + 0.3 * noise)
            elif "embed" in name or "lm_head" in name:
                p.copy_(golden.embed * noise)
            else:
                p.copy_(noise * golden.weights / p.shape[1] ** 0.5)
            if golden.bf16:
                p.copy_(p.bfloat16())
    return model.eval()


def make_inputs(golden, seed=1000):
    random = torch.Generator().manual_seed(golden.seed + seed)
    vocab = golden.config["vocab_size"]
    ids = torch.randint(0, vocab, golden.shape, generator=random)
    ids[1, 3] = ids[1, 4] = ids[0, 6]  # an embedding row used more than once
    if (pad := golden.config.get("pad_token_id")) is not None:
        ids[0, 2] = pad  # read like any other, but never trained
    labels = ids.clone()
    labels[0, :4] = -100  # a prompt that does not count
    labels[1, 9] = -100
    return ids, labels


def run(model, golden):
    ids, labels = make_inputs(golden)
    out = model(ids, labels=labels, output_attentions=True, output_hidden_states=True,
                use_cache=False)
    model.zero_grad()
    out.loss.backward()
    layers = model.config.num_hidden_layers
    assert len(out.attentions) == layers and len(out.hidden_states) == layers + 1
    torch.testing.assert_close(capped(model, model.lm_head(out.hidden_states[-1])), out.logits)
    tensors = {"input_ids": ids, "labels": labels, "logits": out.logits, "loss": out.loss}
    if golden.inside:
        tensors |= {f"attentions.{i}": a for i, a in enumerate(out.attentions)}
        tensors |= {f"hidden_states.{i}": h for i, h in enumerate(out.hidden_states)}
    tensors |= {f"grads.{name}": p.grad for name, p in model.named_parameters()}
    return {name: t.detach().clone() for name, t in tensors.items()}


def capped(model, logits):
    cap = getattr(model.config, "final_logit_softcapping", None)
    return logits if cap is None else cap * torch.tanh(logits / cap)


def mask_of(model, mask):
    """As given; in float64, a softmax in float32 would make NaN of a row without keys."""
    if model.dtype == torch.float32 or model.config.model_type == "falcon":
        return mask
    T, config = mask.shape[1], model.config
    seen = torch.ones(T, T, dtype=torch.bool).tril() & (mask[:, None, None, :] == 1)
    window = getattr(config, "sliding_window", None) or T
    near = seen & torch.ones(T, T, dtype=torch.bool).triu(1 - window)
    full, local = (torch.where(x, 0.0, torch.finfo(torch.float32).min).double() for x in (seen, near))
    if getattr(config, "layer_types", None):
        return {"full_attention": full, "sliding_attention": local}
    return local


def padded(model, golden):
    """The same batch with the second row shorter and padded at its left, and a hole in the first.

    What a padded place computes says nothing: its logits are written as 0.
    """
    ids, labels = make_inputs(golden, 1500)
    mask = torch.ones_like(ids)
    mask[1, :5] = 0
    mask[0, 7] = 0
    labels[mask == 0] = -100
    labels[1, 5] = -100  # its logits stand at a padded place
    labels[0, 8] = -100
    places = {}
    if model.config.model_type == "opt":  # what it makes of a mask of two dimensions
        places["position_ids"] = mask.cumsum(1) * mask - 1
    out = model(ids, attention_mask=mask_of(model, mask), labels=labels, use_cache=False, **places)
    model.zero_grad()
    out.loss.backward()
    embedding = model.get_input_embeddings().weight
    tensors = {"input_ids": ids, "attention_mask": mask, "labels": labels, "loss": out.loss,
               "logits": out.logits * mask.unsqueeze(-1), "embedding_grad": embedding.grad}
    return {f"padded.{name}": t.detach().clone() for name, t in tensors.items()}


def generate(model, golden):
    random = torch.Generator().manual_seed(golden.seed + 3000)
    tensors, prompts = {}, []
    pad = golden.config["vocab_size"]  # no token
    common = dict(do_sample=False, max_new_tokens=NEW_TOKENS, pad_token_id=pad)
    for i, length in enumerate(golden.prompts):
        ids = torch.randint(0, pad, (1, length), generator=random)
        prompts.append(ids[0])
        fixed = common | dict(inputs=ids, attention_mask=torch.ones_like(ids))
        beams = dict(num_beams=BEAMS, num_return_sequences=BEAMS, length_penalty=1.0,
                     early_stopping=False, return_dict_in_generate=True, output_scores=True)
        greedy = model.generate(**fixed, eos_token_id=None)
        beam = model.generate(**fixed, **beams, eos_token_id=None)
        ended = model.generate(**fixed, **beams, eos_token_id=golden.eos_id)
        ended_ids = torch.full((BEAMS, NEW_TOKENS), -1)
        ended_ids[:, : ended.sequences.shape[1] - length] = ended.sequences[:, length:]
        tensors |= {
            f"generate.{i}.input_ids": ids[0],
            f"generate.{i}.greedy": greedy[0, length:],
            f"generate.{i}.beam.ids": beam.sequences[:, length:],
            f"generate.{i}.beam.scores": beam.sequences_scores,
            f"generate.{i}.beam_eos.ids": ended_ids.masked_fill(ended_ids == pad, -1),
            f"generate.{i}.beam_eos.scores": ended.sequences_scores,
        }
    if prompts:
        tensors["generate.eos_id"] = torch.tensor(golden.eos_id)
        if model.dtype == torch.float32:
            check_together(model, prompts, tensors, common)
    return {name: t.detach().clone().contiguous() for name, t in tensors.items()}


def is_dynamic(model):
    """Keys in the cache were turned by the length of their time: a whole pass differs."""
    return (getattr(model.config, "rope_parameters", None) or {}).get("rope_type") == "dynamic"


def check_together(model, prompts, tensors, common):
    """All prompts in one batch, padded at the left: transformers writes what each gets alone."""
    if is_dynamic(model):
        return  # there the longest text of a batch turns all of them
    longest = max(len(p) for p in prompts)
    ids, mask = torch.zeros(len(prompts), longest, dtype=torch.long), torch.zeros(len(prompts), longest)
    for i, p in enumerate(prompts):
        ids[i, longest - len(p) :] = p
        mask[i, longest - len(p) :] = 1
    out = model.generate(inputs=ids, attention_mask=mask.long(), eos_token_id=None, **common)
    for i, row in enumerate(out[:, longest:]):
        assert torch.equal(row, tensors[f"generate.{i}.greedy"]), f"prompt {i} differs in a batch"


def all_tensors(model, golden, rotary):
    tensors = run(model, golden) | padded(model, golden) | generate(model, golden)
    if golden.also:
        tensors |= golden.also(model, golden)
    if golden.eps:
        tensors |= training(model, golden)
    if rotary is not None:
        tensors |= {"rope.frequencies": rotary.inv_freq.float().clone(),
                    "rope.factor": torch.tensor(float(rotary.attention_scaling))}
    return tensors


def save(model, golden, tensors, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for ours, theirs in golden.rename.items():
        tensors = {k.replace(ours, theirs): t for k, t in tensors.items()}
    if golden.convert:
        tensors = golden.convert(tensors)
    model.save_pretrained(folder)
    if golden.old_config:
        config = json.loads((folder / "config.json").read_text())
        config |= golden.old_config
        config = {k: v for k, v in config.items() if v is not None or k not in golden.old_config}
        (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    if golden.bf16:
        weights = load_file(folder / "model.safetensors")
        save_file({k: t.bfloat16() for k, t in weights.items()}, folder / "model.safetensors",
                  metadata={"format": "pt"})
        config = json.loads((folder / "config.json").read_text())
        config["dtype"] = "bfloat16"
        (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    if golden.extra or not golden.prefix:
        weights = load_file(folder / "model.safetensors")
        weights |= golden.extra(weights) if golden.extra else {}
        if not golden.prefix:
            prefix = model.base_model_prefix + "."
            weights = {k.removeprefix(prefix): t for k, t in weights.items()}
            tensors = {k.replace("grads." + prefix, "grads."): t for k, t in tensors.items()}
        save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    save_file({k: t.contiguous() for k, t in tensors.items()}, folder / "golden.safetensors")


def check_loads(folder, tensors):
    """Loaded again, and by the default attention, which caps no scores: the same logits."""
    config = json.loads((folder / "config.json").read_text())
    kind = {"attn_implementation": "eager"} if config.get("attn_logit_softcapping") else {}
    model, info = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32,
                                                       output_loading_info=True, **kind)
    problems = {k: v for k, v in info.items() if v and k != "unexpected_keys"}
    assert not problems, f"{folder}: {problems}"
    with torch.no_grad():
        logits = model(tensors["input_ids"]).logits
    torch.testing.assert_close(logits, tensors["logits"])


def main(doc, goldens, make_model, rotary_of):
    def build(name, golden, folder):
        model = make_model(golden)
        model64 = copy.deepcopy(model).double()
        tensors = all_tensors(model, golden, rotary_of(model))
        check_generation(name, model, golden, tensors, rescore=not is_dynamic(model))
        exact = all_tensors(model64, golden, rotary_of(model64))
        check_rounding(name, tensors, exact, golden.eps)
        if golden.eps:
            check_training(name, model64, golden, exact)
        save(model, golden, tensors, folder)
        check_loads(folder, tensors)

    tiny.main(doc, goldens, build)
