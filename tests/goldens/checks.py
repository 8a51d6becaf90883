"""What make.py asks of a golden before it is written."""

import torch
from transformers import AutoModelForCausalLM


class Unfit(AssertionError):
    """A golden that says too little; `ends` are tokens that would do as its end token."""

    def __init__(self, message, ends=()):
        super().__init__(message)
        self.ends = ends


ROUNDING = 3e-5  # the most a golden may differ from float64, of the largest element


def difference(key, a, b, eps):
    """max |a - b| / max |b|, less the elements that eps leaves to rounding."""
    delta = (a.double() - b).abs()
    if key.startswith("train.final.") and key.endswith("c_attn.bias") and eps < 1e-6:
        # A key bias adds one number to a whole row of scores, which softmax ignores: its gradient
        # is nothing but rounding, and Adam with a tiny eps takes full steps along it.
        C = delta.numel() // 3
        delta[C : 2 * C] = 0
    return (delta.max() / b.abs().max()).item()


def query_bias_of(key):
    """The gradient beside that of a key bias which stands by itself; None for other tensors."""
    for k, q in (("k_proj.bias", "q_proj.bias"), ("key.bias", "query.bias"), ("k_lin.bias", "q_lin.bias"),
                 ("attn.k.bias", "attn.q.bias")):
        if key.startswith("grads.") and key.endswith(k):
            return key.removesuffix(k) + q
    return None


def check_rounding(name, tensors, exact, eps):
    worst, where = 0.0, ""
    for key, a in tensors.items():
        if a.dtype == torch.int64:
            assert torch.equal(a, exact[key]), f"{name}: {key}: float64 chooses differently"
        else:
            assert a.isfinite().all(), f"{name}: {key}: not finite"
            b = exact[key]
            assert b.isfinite().all(), f"{name}: {key}: not finite in float64"
            query = query_bias_of(key)
            if query and b.abs().max() < 1e-6 * exact[query].abs().max():
                # Softmax ignores a key bias that does not turn with its position: its gradient is
                # rounding alone and is measured against that of the query bias.
                far = (a.double() - b).abs().max() / exact[query].abs().max()
                worst, where = max((worst, where), (far.item(), key))
                continue
            beside = key.removesuffix("bias") + "weight"
            if key.endswith(".bias") and beside in exact and key.startswith("grads.") and (
                    b.abs().max() < 1e-9 * exact[beside].abs().max()):
                # Softmax over all tokens ignores what is added to every score: of a bias that does no
                # more the gradient is rounding alone, measured against that of the weight beside it.
                far = (a.double() - b).abs().max() / exact[beside].abs().max()
                worst, where = max((worst, where), (far.item(), key))
                continue
            if not b.any():
                assert not a.any(), f"{name}: {key}: 0 in float64 alone"
                continue
            worst, where = max((worst, where), (difference(key, a, b, eps), key))
    print(f"{name}: {len(tensors)} tensors, at most {worst:.1e} from float64 ({where})")
    assert worst <= ROUNDING, f"{name}: {where}: {worst:.1e} is more than {ROUNDING:.1e}"


def check_hidden_states(model, tensors):
    """The last hidden state is the head's input, so the final LayerNorm is already in it."""
    layers = model.config.n_layer
    assert f"hidden_states.{layers}" in tensors and f"hidden_states.{layers + 1}" not in tensors
    logits = tensors[f"hidden_states.{layers}"] @ model.lm_head.weight.detach().T
    torch.testing.assert_close(logits, tensors["logits"])


def score(model, prompt, ids):
    """The mean log probability of what was generated, the end token included."""
    ids = ids[ids != -1]
    with torch.no_grad():
        logits = model(torch.cat([prompt, ids]).unsqueeze(0)).logits[0, len(prompt) - 1 : -1]
    return logits.log_softmax(-1)[torch.arange(len(ids)), ids].mean()


def check_generation(name, model, golden, tensors, rescore=True):
    """Text that says something, and scores that do not tie and mean what README.md says.

    rescore: one pass over the whole text gives the same scores.
    """
    ended, ends = False, []
    for i in range(len(golden.prompts)):
        here = {k: tensors[f"generate.{i}.{k}"] for k in ("input_ids", "greedy")}
        assert len(here["greedy"].unique()) >= 5, f"{name}: greedy text {i} repeats itself"
        for kind in ("beam", "beam_eos"):
            ids = tensors[f"generate.{i}.{kind}.ids"]
            scores = tensors[f"generate.{i}.{kind}.scores"]
            assert (scores[:-1] - scores[1:]).min() > 1e-4, f"{name}: scores of {kind} {i} tie"
            if rescore:
                expected = torch.stack([score(model, here["input_ids"], row) for row in ids])
                torch.testing.assert_close(scores, expected)
            ended |= (ids == -1).any().item()
            ends += ids[:, 2:8].flatten().tolist()
    if golden.prompts and not ended:
        raise Unfit(f"{name}: no beam reaches the end token", sorted(set(ends) - {-1}))


def check_loads(folder, tensors):
    model, info = AutoModelForCausalLM.from_pretrained(
        folder, attn_implementation="eager", output_loading_info=True)
    problems = {k: v for k, v in info.items() if v and k != "unexpected_keys"}
    assert not problems, f"{folder}: {problems}"
    with torch.no_grad():
        logits = model(tensors["input_ids"]).logits
    assert torch.equal(logits, tensors["logits"]), f"{folder}: loaded again, other logits"
