"""What the makers of encoder-decoder goldens share: tiny models that learnt a little, and what
transformers computes with them. float32 on the CPU, one thread, fixed seeds; everything is computed
once more in float64, and a golden that hangs on rounding is refused. README.md lists the tensors.
"""

import copy
import json
from dataclasses import dataclass, field

import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModelForSeq2SeqLM

from checks import check_rounding

STEPS = 10
LR, BETAS, EPS, SMOOTHING, CLIP = 3e-3, (0.9, 0.98), 2e-5, 0.1, 2.0
NEW_TOKENS = 5
BEAMS = 4
SOURCES = ((9, 4, 7), (11, 2, 5))  # lengths: of the forward pass, of generation


@dataclass
class Golden:
    seed: int
    config: dict
    kinds: tuple = ()  # transformers' classes: configuration and model
    bias: bool = False  # of the logits
    head: bool = False  # of its own, where transformers would tie it
    train: bool = False
    penalties: tuple = ()  # length penalties of beam searches
    lessons: int = 150
    words: tuple = (1, 60)
    sources: tuple = SOURCES
    settings: dict = field(default_factory=dict)  # of generation_config.json
    in_config: dict = field(default_factory=dict)  # put into config.json afterwards
    twice: tuple = ()  # (name in the file, second name): as older files have shared tables


def configuration(golden):
    return golden.kinds[0](**golden.config, attn_implementation="eager")


def make_model(golden):
    torch.manual_seed(golden.seed)
    model = golden.kinds[1](configuration(golden))
    if golden.head:
        model.lm_head.weight = torch.nn.Parameter(torch.zeros_like(model.lm_head.weight))
    random = torch.Generator().manual_seed(golden.seed)
    scaled = getattr(model.config, "scale_embedding", False)
    sines = model.config.model_type in ("marian", "m2m_100")
    with torch.no_grad():
        for name, p in model.named_parameters():
            noise = torch.randn(p.shape, generator=random)
            if "embed_positions" in name and sines:
                continue
            if name.endswith("bias"):
                p.copy_(0.2 * noise)
            elif p.dim() == 1:
                p.copy_(1 + 0.3 * noise)
            elif "relative_attention_bias" in name or "embed_positions" in name:
                p.copy_(0.7 * noise)
            elif "shared" in name or "embed_tokens" in name or "lm_head" in name:
                p.copy_(noise * (1 / p.shape[1] ** 0.5 if scaled else 0.8))
            elif name.endswith("Attention.q.weight"):  # T5's scores are not scaled
                p.copy_(noise / (p.shape[1] * model.config.d_kv) ** 0.5)
            else:
                p.copy_(noise * 1.3 / p.shape[1] ** 0.5)
        if golden.bias:
            model.final_logits_bias.copy_(
                0.5 * torch.randn(model.final_logits_bias.shape, generator=random))
    if golden.penalties:
        teach(model, golden, random)
    for key, value in golden.settings.items():
        setattr(model.generation_config, key, value)
    return model.eval()


def teach(model, golden, random):
    """A little of turning sentences round: random weights would repeat one token for ever."""
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3, foreach=False)
    model.train()
    for _ in range(golden.lessons):
        n = int(torch.randint(2, 8, (), generator=random))
        words = torch.randint(*golden.words, (32, n), generator=random)
        end = torch.full((32, 1), end_of(model.config))
        labels = torch.cat([words.flip(1), end], 1)
        optimizer.zero_grad()
        model(input_ids=torch.cat([words, end], 1), use_cache=False, labels=labels,
              decoder_input_ids=decoder_input(model.config, labels)).loss.backward()
        optimizer.step()
    model.zero_grad()


def end_of(config):
    return config.eos_token_id


def decoder_input(config, labels):
    shifted = labels.roll(1, 1)
    shifted[:, 0] = config.decoder_start_token_id
    return shifted.masked_fill(shifted == -100, config.pad_token_id)


def sentences(golden, lengths, random, fill):
    """Sentences that end with the end token, filled up."""
    ids = torch.full((len(lengths), max(lengths)), fill)
    for row, n in zip(ids, lengths):
        row[: n - 1] = torch.randint(*golden.words, (n - 1,), generator=random)
        row[n - 1] = end_of(configuration(golden))
    return ids


def sources(golden, lengths, random):
    ids = sentences(golden, lengths, random, configuration(golden).pad_token_id)
    mask = torch.arange(ids.shape[1]) < torch.tensor(lengths).unsqueeze(1)
    return ids, mask.long()


def pair(golden, random, lengths=None, targets=(8, 10, 3)):
    ids, mask = sources(golden, lengths or golden.sources[0], random)
    labels = sentences(golden, targets, random, -100)
    return dict(input_ids=ids, attention_mask=mask, labels=labels,
                decoder_input_ids=decoder_input(configuration(golden), labels))


def run(model, golden):
    inputs = pair(golden, torch.Generator().manual_seed(golden.seed + 1000))
    out = model(**inputs, output_attentions=True, output_hidden_states=True, use_cache=False)
    model.zero_grad()
    out.loss.backward()
    tensors = {"logits": out.logits, "loss": out.loss}
    for name, parts in (("encoder_attentions", out.encoder_attentions),
                        ("attentions", out.decoder_attentions),
                        ("cross_attentions", out.cross_attentions),
                        ("encoder_hidden_states", out.encoder_hidden_states),
                        ("hidden_states", out.decoder_hidden_states)):  # fmt: skip
        tensors |= {f"{name}.{i}": x for i, x in enumerate(parts)}
    tensors |= {f"grads.{n}": p.grad for n, p in model.named_parameters() if p.grad is not None}
    return inputs | {name: t.detach().clone() for name, t in tensors.items()}


def batches(golden):
    random = torch.Generator().manual_seed(golden.seed + 2000)
    return [pair(golden, random, (6, 9, 5), (7, 4, 8)) for _ in range(STEPS)]


def train(model, golden):
    """Adam of 2017 (larger eps, so that no element walks along rounding), label smoothing, clip."""
    params = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.Adam(params, lr=LR, betas=BETAS, eps=EPS, foreach=False)
    model.train()
    losses, norms = [], []
    for batch in batches(golden):
        optimizer.zero_grad()
        logits = model(**{k: v for k, v in batch.items() if k != "labels"}, use_cache=False).logits
        loss = torch.nn.functional.cross_entropy(
            logits.flatten(0, 1), batch["labels"].flatten(), label_smoothing=SMOOTHING)
        loss.backward()
        norms.append(torch.nn.utils.clip_grad_norm_(params, CLIP).detach())
        optimizer.step()
        losses.append(loss.detach())
    tensors = {"train.losses": torch.stack(losses), "train.grad_norms": torch.stack(norms)}
    tensors |= {f"train.final.{n}": p.detach().clone()
                for n, p in model.named_parameters() if p.requires_grad}  # fmt: skip
    return tensors


def training(model, golden):
    tensors = {f"steps.{k}.{name}": t.clone()
               for k, batch in enumerate(batches(golden)) for name, t in batch.items()}
    settings = {"lr": LR, "beta1": BETAS[0], "beta2": BETAS[1], "eps": EPS,
                "label_smoothing": SMOOTHING, "clip_norm": CLIP}
    tensors |= {f"train.{k}": torch.tensor(v) for k, v in settings.items()}
    return tensors | train(copy.deepcopy(model), golden)


def generate(model, golden):
    tensors = {}
    random = torch.Generator().manual_seed(golden.seed + 3000)
    ids, mask = sources(golden, golden.sources[1], random)
    common = dict(input_ids=ids, attention_mask=mask, do_sample=False, max_new_tokens=NEW_TOKENS)
    tensors |= {"generate.input_ids": ids, "generate.attention_mask": mask}
    if golden.penalties:
        greedy = model.generate(**common, num_beams=1)
        tensors["generate.greedy"] = unpadded(greedy, model.config)
    for n, penalty in enumerate(golden.penalties):
        out = model.generate(**common, num_beams=BEAMS, num_return_sequences=BEAMS,
                             length_penalty=penalty, early_stopping=False,
                             return_dict_in_generate=True, output_scores=True)
        tensors |= {f"generate.{n}.length_penalty": torch.tensor(penalty),
                    f"generate.{n}.ids": unpadded(out.sequences, model.config),
                    f"generate.{n}.scores": out.sequences_scores}  # fmt: skip
        scores = out.sequences_scores.view(-1, BEAMS)
        assert (scores[:, :-1] - scores[:, 1:]).min() > 1e-4, "scores tie"
    return {name: t.detach().clone().contiguous() for name, t in tensors.items()}


def unpadded(ids, config):
    """New tokens only; -1 after the end token."""
    assert (ids[:, 0] == config.decoder_start_token_id).all()
    end = end_of(config)
    out = torch.full((len(ids), NEW_TOKENS), -1)
    out[:, : ids.shape[1] - 1] = ids[:, 1:]
    for row in out:
        if (row == end).any():
            row[(row == end).nonzero()[0, 0] + 1 :] = -1
    return out


def all_tensors(model, golden):
    tensors = run(model, golden) | generate(model, golden)
    return tensors | training(model, golden) if golden.train else tensors


def check_text(tensors, end):
    ids = tensors["generate.0.ids"]
    ended = ((ids == end).any(1) & (ids[:, -1] == -1)).sum().item()
    different = len(ids[(ids >= 0) & (ids != end)].unique())
    print(f"  {ended} of {len(ids)} beams end by themselves, {different} different tokens")
    assert 0 < ended < len(ids), f"{ended} of {len(ids)} beams end by themselves"
    assert different > 8, f"{different} different tokens"


def edit_files(folder, golden):
    if golden.in_config:
        config = json.loads((folder / "config.json").read_text()) | golden.in_config
        (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    if golden.twice:
        path = folder / "model.safetensors"
        weights = load_file(path)
        weights |= {second: weights[first].clone() for first, second in golden.twice}
        save_file(weights, path, metadata={"format": "pt"})


def make(name, golden, folder):
    model = make_model(golden)
    tensors = all_tensors(model, golden)
    check_rounding(name, tensors, all_tensors(copy.deepcopy(model).double(), golden), EPS)
    if golden.penalties:
        check_text(tensors, end_of(model.config))
    folder.mkdir(parents=True, exist_ok=True)
    model.save_pretrained(folder)
    edit_files(folder, golden)
    save_file({k: t.contiguous() for k, t in tensors.items()}, folder / "golden.safetensors")
    again = AutoModelForSeq2SeqLM.from_pretrained(folder, attn_implementation="eager").eval()
    inputs = {k: tensors[k] for k in ("input_ids", "attention_mask", "decoder_input_ids")}
    with torch.no_grad():
        torch.testing.assert_close(again(**inputs).logits, tensors["logits"])
