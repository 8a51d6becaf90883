"""Ten steps of AdamW of a tiny causal model: what the makers of goldens share of them."""

import copy

import torch

from checks import check_rounding

SHAKE = 1e-7  # of a gradient's largest element: what another order of summation may change
STEPS = 10
LR, BETAS, DECAY = 3e-3, (0.9, 0.95), 0.1
LEARN_EPS, LEARN_CLIP = 2e-5, 2.0


def make_batches(golden):
    random = torch.Generator().manual_seed(golden.seed + 2000)
    return torch.randint(0, golden.config["vocab_size"], (STEPS, 3, 16), generator=random)


def train(model, golden, shake_seed=None):
    """AdamW: matrices and embeddings decay, vectors do not; clipped by the global norm."""
    params = list(model.parameters())
    optimizer = torch.optim.AdamW(
        [
            {"params": [p for p in params if p.dim() >= 2], "weight_decay": DECAY},
            {"params": [p for p in params if p.dim() < 2], "weight_decay": 0.0},
        ],
        lr=LR, betas=BETAS, eps=golden.eps, foreach=False,
    )  # fmt: skip
    random = torch.Generator().manual_seed(shake_seed or 0)
    model.train()
    losses, norms = [], []
    for ids in make_batches(golden):
        optimizer.zero_grad()
        loss = model(ids, labels=ids, use_cache=False).loss
        loss.backward()
        for p in params if shake_seed else []:  # an exact zero (a row never used) stays zero
            noise = torch.randn(p.shape, generator=random) * (p.grad != 0)
            p.grad += SHAKE * p.grad.abs().max() * noise
        norms.append(torch.nn.utils.clip_grad_norm_(params, golden.clip).detach())
        optimizer.step()
        losses.append(loss.detach())
    tensors = {"train.losses": torch.stack(losses), "train.grad_norms": torch.stack(norms)}
    tensors |= {f"train.final.{n}": p.detach().clone() for n, p in model.named_parameters()}
    return tensors


def training(model, golden):
    batches = make_batches(golden)
    tensors = {f"steps.{k}.input_ids": batches[k].clone() for k in range(STEPS)}
    tensors |= train(copy.deepcopy(model), golden)
    settings = {"lr": LR, "beta1": BETAS[0], "beta2": BETAS[1], "eps": golden.eps,
                "weight_decay": DECAY, "clip_norm": golden.clip}
    return tensors | {f"train.{k}": torch.tensor(v) for k, v in settings.items()}


def check_training(name, model, golden, exact):
    """The ten steps must not hang on elements whose gradient is nearly zero."""
    for seed in (1, 2, 3):
        shaken = train(copy.deepcopy(model), golden, seed)
        check_rounding(f"{name}, shaken", shaken, exact, golden.eps)


def learn(model, inputs, run):
    """Ten steps of AdamW of a tiny encoder on one batch: losses and norms before each update. A key
    bias, which softmax ignores, is left to rounding by an eps that is not tiny."""
    model = copy.deepcopy(model)
    params = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(
        [
            {"params": [p for p in params if p.dim() >= 2], "weight_decay": DECAY},
            {"params": [p for p in params if p.dim() < 2], "weight_decay": 0.0},
        ],
        lr=LR, betas=BETAS, eps=LEARN_EPS, foreach=False,
    )  # fmt: skip
    losses, norms = [], []
    for _ in range(STEPS):
        optimizer.zero_grad()
        losses.append(run(model, inputs)["loss"].detach().clone())
        norms.append(torch.nn.utils.clip_grad_norm_(params, LEARN_CLIP).detach().clone())
        optimizer.step()
    settings = {"lr": LR, "beta1": BETAS[0], "beta2": BETAS[1], "eps": LEARN_EPS,
                "weight_decay": DECAY, "clip_norm": LEARN_CLIP}
    dtype = losses[0].dtype
    return {"learn.losses": torch.stack(losses), "learn.grad_norms": torch.stack(norms)} | {
        f"learn.{k}": torch.tensor(v, dtype=dtype) for k, v in settings.items()}
