"""Writes the Marian goldens: tiny encoder-decoders and what transformers computes with them.

    python make_marian.py [--out DIR] [NAME ...]        # all of them, next to this file

As make.py: float32 on the CPU, one thread, fixed seeds; everything is computed once more in
float64, and a golden that hangs on rounding is refused. README.md lists the tensors.
"""

import copy
from dataclasses import dataclass

import torch
from safetensors.torch import save_file
from transformers import AutoModelForSeq2SeqLM, MarianConfig, MarianMTModel

import tiny
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
    bias: bool = False  # of the logits
    train: bool = False
    penalties: tuple = ()  # length penalties of beam searches
    lessons: int = 150


BASE = dict(vocab_size=67, d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
            decoder_attention_heads=4, encoder_ffn_dim=48, decoder_ffn_dim=48, eos_token_id=0,
            forced_eos_token_id=0, pad_token_id=66, decoder_start_token_id=66,
            max_position_embeddings=30, dropout=0.0)
GOLDENS = {
    "marian-a": Golden(seed=3, train=True, penalties=(1.0, 0.6), config=dict(
        BASE, activation_function="relu", scale_embedding=True)),
    "marian-b": Golden(seed=4, bias=True, penalties=(1.0,), config=dict(
        BASE, activation_function="swish", d_model=24, encoder_layers=3, decoder_layers=1,
        encoder_attention_heads=3, decoder_attention_heads=2, encoder_ffn_dim=40,
        share_encoder_decoder_embeddings=False, decoder_vocab_size=71, scale_embedding=True)),
    "marian-c": Golden(seed=5, bias=True, config=dict(
        BASE, activation_function="gelu", d_model=15, encoder_attention_heads=3,
        decoder_attention_heads=5, decoder_start_token_id=2, tie_word_embeddings=False,
        decoder_vocab_size=67)),
}  # fmt: skip


def make_model(golden):
    torch.manual_seed(golden.seed)
    model = MarianMTModel(MarianConfig(**golden.config, attn_implementation="eager"))
    random = torch.Generator().manual_seed(golden.seed)
    with torch.no_grad():
        for name, p in model.named_parameters():
            noise = torch.randn(p.shape, generator=random)
            if "embed_positions" in name:
                continue
            if name.endswith("bias"):
                p.copy_(0.2 * noise)
            elif p.dim() == 1:
                p.copy_(1 + 0.3 * noise)
            elif "shared" in name or "embed_tokens" in name or "lm_head" in name:
                p.copy_(noise * (1 / p.shape[1] ** 0.5 if model.config.scale_embedding else 0.8))
            else:
                p.copy_(noise * 1.3 / p.shape[1] ** 0.5)
        if golden.bias:
            model.final_logits_bias.copy_(
                0.5 * torch.randn(model.final_logits_bias.shape, generator=random))
    if golden.penalties:
        teach(model, golden, random)
    return model.eval()


def teach(model, golden, random):
    """A little of turning sentences round: random weights would repeat one token for ever."""
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3, foreach=False)
    model.train()
    for _ in range(golden.lessons):
        n = int(torch.randint(2, 8, (), generator=random))
        words = torch.randint(1, 60, (32, n), generator=random)
        end = torch.zeros(32, 1, dtype=torch.long)
        optimizer.zero_grad()
        model(input_ids=torch.cat([words, end], 1), use_cache=False,
              labels=torch.cat([words.flip(1), end], 1)).loss.backward()
        optimizer.step()
    model.zero_grad()


def target_vocab(c):
    return c.vocab_size if c.share_encoder_decoder_embeddings else c.decoder_vocab_size


def sources(golden, lengths, random):
    """Sentences that end with the end token, padded, and the mask of what is real."""
    c = MarianConfig(**golden.config)
    ids = torch.full((len(lengths), max(lengths)), c.pad_token_id)
    for row, n in zip(ids, lengths):
        row[: n - 1] = torch.randint(1, 60, (n - 1,), generator=random)
        row[n - 1] = c.eos_token_id
    mask = torch.arange(ids.shape[1]) < torch.tensor(lengths).unsqueeze(1)
    return ids, mask.long()


def pair(golden, random, lengths=SOURCES[0], targets=(8, 10, 3)):
    c = MarianConfig(**golden.config)
    ids, mask = sources(golden, lengths, random)
    labels = torch.full((len(targets), max(targets)), -100)
    for row, n in zip(labels, targets):
        row[: n - 1] = torch.randint(1, 60, (n - 1,), generator=random)
        row[n - 1] = c.eos_token_id
    shifted = labels.roll(1, 1)
    shifted[:, 0] = c.decoder_start_token_id
    decoder_ids = shifted.masked_fill(shifted == -100, c.pad_token_id)
    return dict(input_ids=ids, attention_mask=mask, decoder_input_ids=decoder_ids, labels=labels)


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
    ids, mask = sources(golden, SOURCES[1], torch.Generator().manual_seed(golden.seed + 3000))
    start, pad = model.config.decoder_start_token_id, model.config.pad_token_id
    common = dict(input_ids=ids, attention_mask=mask, do_sample=False, max_new_tokens=NEW_TOKENS)
    tensors |= {"generate.input_ids": ids, "generate.attention_mask": mask}
    if golden.penalties:
        greedy = model.generate(**common, num_beams=1)
        tensors["generate.greedy"] = unpadded(greedy, start, pad)
    for n, penalty in enumerate(golden.penalties):
        out = model.generate(**common, num_beams=BEAMS, num_return_sequences=BEAMS,
                             length_penalty=penalty, early_stopping=False,
                             return_dict_in_generate=True, output_scores=True)
        tensors |= {f"generate.{n}.length_penalty": torch.tensor(penalty),
                    f"generate.{n}.ids": unpadded(out.sequences, start, pad),
                    f"generate.{n}.scores": out.sequences_scores}  # fmt: skip
        scores = out.sequences_scores.view(-1, BEAMS)
        assert (scores[:, :-1] - scores[:, 1:]).min() > 1e-4, "scores tie"
    return {name: t.detach().clone().contiguous() for name, t in tensors.items()}


def unpadded(ids, start, pad):
    """New tokens only; -1 after the end token."""
    assert (ids[:, 0] == start).all()
    out = torch.full((len(ids), NEW_TOKENS), -1)
    out[:, : ids.shape[1] - 1] = ids[:, 1:]
    for row in out:
        if (row == 0).any():
            row[(row == 0).nonzero()[0, 0] + 1 :] = -1
    return out


def all_tensors(model, golden):
    tensors = run(model, golden) | generate(model, golden)
    return tensors | training(model, golden) if golden.train else tensors


def make(name, golden, folder):
    model = make_model(golden)
    tensors = all_tensors(model, golden)
    model64 = copy.deepcopy(model).double()
    check_rounding(name, tensors, all_tensors(model64, golden), EPS)
    if golden.penalties:
        ids = tensors["generate.0.ids"]
        ended = ((ids == 0).any(1) & (ids[:, -1] == -1)).sum().item()
        print(f"  {ended} of {len(ids)} beams end by themselves, "
              f"{len(ids[ids > 0].unique())} different tokens")
        assert 0 < ended < len(ids) and len(ids[ids > 0].unique()) > 8
    folder.mkdir(parents=True, exist_ok=True)
    model.save_pretrained(folder)
    save_file({k: t.contiguous() for k, t in tensors.items()}, folder / "golden.safetensors")
    again = AutoModelForSeq2SeqLM.from_pretrained(folder, attn_implementation="eager").eval()
    inputs = {k: tensors[k] for k in ("input_ids", "attention_mask", "decoder_input_ids")}
    with torch.no_grad():
        torch.testing.assert_close(again(**inputs).logits, tensors["logits"])


if __name__ == "__main__":
    tiny.main(__doc__, GOLDENS, make)
