"""Writes ablate/: what tiny models answer without one of their parts.

    python make_ablate.py [--out DIR] [NAME ...]        # all of them, next to this file

Each forward pass is written out here, from the weights of the file alone and in float64: no line of
transformers or jogak runs. With nothing switched off it must give the golden's answers, which
transformers computed. A switch is what `jogak ablate --off` calls it; an answer is kept at every
STRIDE-th token, as float32.
"""

import json
import math
import pathlib

import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file

import tiny

STRIDE = 5
COMMON = ["head:1.2", "head:0.0", "residual:1", "residual", "norm:0", "norm", "ffn:1", "ffn",
          "attention:0", "layer:0", "layer:1", "mask", "scale", "positions",
          "head:0.1,ffn:0,scale"]  # fmt: skip
CROSS = ["cross", "cross:0", "cross:1.2", "layer:encoder.1", "head:encoder.0.3", "norm:encoder.1",
         "residual:encoder.0", "ffn:encoder"]  # fmt: skip
GOLDENS = {"gpt2-a": COMMON, "llama-b": COMMON, "falcon-b": COMMON, "falcon-c": COMMON,
           "bert-a": COMMON, "vit-a": COMMON, "patchtst-a": COMMON, "patchtst-f": COMMON,
           "marian-a": COMMON + CROSS}  # fmt: skip


class Off:
    """The parts that are switched off."""

    def __init__(self, text):
        self.parts = [part.partition(":")[::2] for part in text.split(",") if part]

    def at(self, what, layer, source=False):
        """A part of a layer: by its number, or in every layer; of an encoder-decoder a plain
        number is the decoder's."""
        own = ("encoder" if source else "decoder", str(layer))
        for name, place in self.parts:
            if name != what:
                continue
            words = place.split(".") if place else []
            side = words.pop(0) if words and words[0] in ("encoder", "decoder") else None
            if not place or (side == own[0] and not words):
                return True
            if words == [own[1]] and (side or "decoder") == own[0]:
                return True
        return False

    def heads(self, what, layer, source=False):
        out = []
        for name, place in self.parts:
            words = place.split(".")
            side = words.pop(0) if words[0] in ("encoder", "decoder") else "decoder"
            if name == what and len(words) == 2 and int(words[0]) == layer:
                if side == ("encoder" if source else "decoder"):
                    out.append(int(words[1]))
        return out

    def has(self, what):
        return any(name == what for name, _ in self.parts)


class Model:
    def __init__(self, folder, off, prefix=""):
        weights = load_file(folder / "model.safetensors")
        self.w = {k.removeprefix(prefix): t.double() for k, t in weights.items()}
        self.c = json.loads((folder / "config.json").read_text())
        self.off = off

    def linear(self, x, name):
        return F.linear(x, self.w[name + ".weight"], self.w.get(name + ".bias"))

    def norm(self, x, name, eps, layer=None, source=False):
        gone = self.off.has("norm") and any(n == "norm" and not p for n, p in self.off.parts)
        if gone or (layer is not None and self.off.at("norm", layer, source)):
            return x
        if name + ".running_mean" in self.w:
            mean, var = self.w[name + ".running_mean"], self.w[name + ".running_var"]
            x = (x - mean) / (var + eps).sqrt()
            return x * self.w[name + ".weight"] + self.w[name + ".bias"]
        if name + ".bias" not in self.w:
            return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * self.w[name + ".weight"]
        return F.layer_norm(x, x.shape[-1:], self.w[name + ".weight"], self.w[name + ".bias"], eps)

    def add(self, x, update, layer, source=False):
        return update if self.off.at("residual", layer, source) else x + update

    def part(self, what, layer, update, source=False):
        return torch.zeros_like(update) if self.off.at(what, layer, source) else update

    def attend(self, q, k, v, layer, causal=False, real=None, source=False, kind="head",
               lines=None):  # fmt: skip
        """Heads apart, [B, heads, T, D]; fewer key heads are repeated. Returns [B, T, heads D]."""
        k, v = (t.repeat_interleave(q.shape[1] // t.shape[1], 1) for t in (k, v))
        scale = 1 if self.off.has("scale") else 1 / math.sqrt(q.shape[-1])
        scores = q @ k.transpose(-1, -2)
        if lines is not None:
            scores = scores + lines
        scores = scores * scale
        if not self.off.has("mask"):
            if causal:
                scores = scores.masked_fill(torch.ones(scores.shape[-2:]).triu(1).bool(), -math.inf)
            if real is not None:
                scores = scores.masked_fill(~real[:, None, None, :].bool(), -math.inf)
        out = scores.softmax(-1) @ v
        for head in self.off.heads(kind, layer, source):
            out[:, head] = 0
        return out.transpose(1, 2).flatten(2)

    def layer(self, x, index, run, source=False):
        return x if self.off.at("layer", index, source) else run(x)


def split(x, heads):
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def gelu_tanh(x):
    return F.gelu(x, approximate="tanh")


def gpt2(folder, g, off):
    m = Model(folder, off, "transformer.")
    T = g["input_ids"].shape[1]
    x = m.w["wte.weight"][g["input_ids"]]
    if not off.has("positions"):
        x = x + m.w["wpe.weight"][:T]
    conv = lambda x, name: x @ m.w[name + ".weight"] + m.w[name + ".bias"]

    def block(x, i):
        p = f"h.{i}."
        rows = conv(m.norm(x, p + "ln_1", 1e-5, i), p + "attn.c_attn")
        q, k, v = (split(t, m.c["n_head"]) for t in rows.chunk(3, -1))
        a = conv(m.attend(q, k, v, i, causal=True), p + "attn.c_proj")
        x = m.add(x, m.part("attention", i, a), i)
        f = conv(gelu_tanh(conv(m.norm(x, p + "ln_2", 1e-5, i), p + "mlp.c_fc")), p + "mlp.c_proj")
        return m.add(x, m.part("ffn", i, f), i)

    for i in range(m.c["n_layer"]):
        x = m.layer(x, i, lambda x: block(x, i))
    return m.norm(x, "ln_f", 1e-5) @ m.w["wte.weight"].T


def turned(x, off, theta, factor=1.0):
    """Rotary positions in halves, [B, heads, T, D]."""
    half = x.shape[-1] // 2
    places = torch.arange(x.shape[2]).double() * (0 if off.has("positions") else 1)
    angles = places[:, None] * theta ** (-torch.arange(half).double() / half) / factor
    cos, sin = angles.cos(), angles.sin()
    a, b = x[..., :half], x[..., half:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)


def llama(folder, g, off):
    m = Model(folder, off, "model.")
    c, eps = m.c, m.c["rms_norm_eps"]
    x = m.w["embed_tokens.weight"][g["input_ids"]]

    def block(x, i):
        p = f"layers.{i}."
        h = m.norm(x, p + "input_layernorm", eps, i)
        turn = lambda t: turned(t, off, c["rope_theta"], c["rope_scaling"]["factor"])
        q = turn(split(m.linear(h, p + "self_attn.q_proj"), c["num_attention_heads"]))
        k = turn(split(m.linear(h, p + "self_attn.k_proj"), c["num_key_value_heads"]))
        v = split(m.linear(h, p + "self_attn.v_proj"), c["num_key_value_heads"])
        a = m.linear(m.attend(q, k, v, i, causal=True), p + "self_attn.o_proj")
        x = m.add(x, m.part("attention", i, a), i)
        h = m.norm(x, p + "post_attention_layernorm", eps, i)
        f = F.silu(m.linear(h, p + "mlp.gate_proj")) * m.linear(h, p + "mlp.up_proj")
        return m.add(x, m.part("ffn", i, m.linear(f, p + "mlp.down_proj")), i)

    for i in range(c["num_hidden_layers"]):
        x = m.layer(x, i, lambda x: block(x, i))
    return m.norm(x, "norm", eps) @ m.w["embed_tokens.weight"].T


def falcon_lines(heads, T):
    """Slope times place, each rounded to bf16 as Falcon was trained; heads a power of two."""
    slopes = torch.tensor([2 ** (-8 / heads * (h + 1)) for h in range(heads)]).bfloat16()
    return (slopes[:, None] * torch.arange(T)[None, :]).bfloat16().double()[:, None, :]  # [H, 1, T]


def falcon(folder, g, off):
    m = Model(folder, off, "transformer.")
    c, H = m.c, m.c["num_attention_heads"]
    G = c["num_kv_heads"] if c["new_decoder_architecture"] else H
    T = g["input_ids"].shape[1]
    x = m.w["word_embeddings.weight"][g["input_ids"]]
    lines = falcon_lines(H, T) * (0 if off.has("positions") else 1) if c["alibi"] else None

    def attention(h, p, i):
        rows = m.linear(h, p + "query_key_value")
        groups = rows.unflatten(-1, (G, H // G + 2, -1))  # for each key head: queries, key, value
        q = groups[..., :-2, :].flatten(2, 3).transpose(1, 2)
        k, v = groups[..., -2, :].transpose(1, 2), groups[..., -1, :].transpose(1, 2)
        if not c["alibi"]:
            q, k = (turned(t, off, c["rope_parameters"]["rope_theta"]) for t in (q, k))
        heads = m.attend(q, k, v, i, causal=True, lines=lines)
        return m.part("attention", i, m.linear(heads, p + "dense"))

    def mlp(h, p, i):
        inside = F.gelu(m.linear(h, p + "dense_h_to_4h"))
        return m.part("ffn", i, m.linear(inside, p + "dense_4h_to_h"))

    def block(x, i):
        p = f"h.{i}."
        if c["new_decoder_architecture"]:  # side by side, a norm for each
            a = attention(m.norm(x, p + "ln_attn", 1e-5, i), p + "self_attention.", i)
            return m.add(x, a + mlp(m.norm(x, p + "ln_mlp", 1e-5, i), p + "mlp.", i), i)
        a = attention(m.norm(x, p + "input_layernorm", 1e-5, i), p + "self_attention.", i)
        x = m.add(x, a, i)
        return m.add(x, mlp(m.norm(x, p + "post_attention_layernorm", 1e-5, i), p + "mlp.", i), i)

    for i in range(c["num_hidden_layers"]):
        x = m.layer(x, i, lambda x: block(x, i))
    return m.norm(x, "ln_f", 1e-5) @ m.w["word_embeddings.weight"].T


def bert(folder, g, off):
    m = Model(folder, off, "bert.")
    c, eps, T = m.c, m.c["layer_norm_eps"], g["input_ids"].shape[1]
    e = "embeddings."
    x = m.w[e + "word_embeddings.weight"][g["input_ids"]]
    x = x + m.w[e + "token_type_embeddings.weight"][g["token_type_ids"]]
    if not off.has("positions"):
        x = x + m.w[e + "position_embeddings.weight"][:T]
    x = m.norm(x, e + "LayerNorm", eps)

    def block(x, i):
        p = f"encoder.layer.{i}."
        q, k, v = (split(m.linear(x, p + "attention.self." + n), c["num_attention_heads"])
                   for n in ("query", "key", "value"))  # fmt: skip
        a = m.linear(m.attend(q, k, v, i, real=g["attention_mask"]), p + "attention.output.dense")
        x = m.norm(m.add(x, m.part("attention", i, a), i), p + "attention.output.LayerNorm", eps, i)
        f = m.linear(F.gelu(m.linear(x, p + "intermediate.dense")), p + "output.dense")
        return m.norm(m.add(x, m.part("ffn", i, f), i), p + "output.LayerNorm", eps, i)

    for i in range(c["num_hidden_layers"]):
        x = m.layer(x, i, lambda x: block(x, i))
    # The head is no layer: its norm stays.
    h = F.gelu(m.linear(x, "cls.predictions.transform.dense"))
    n = "cls.predictions.transform.LayerNorm"
    h = F.layer_norm(h, h.shape[-1:], m.w[n + ".weight"], m.w[n + ".bias"], eps)
    return h @ m.w[e + "word_embeddings.weight"].T + m.w["cls.predictions.bias"]


def vit(folder, g, off):
    m = Model(folder, off, "vit.")
    c, eps = m.c, m.c["layer_norm_eps"]
    e = "embeddings."
    x = F.conv2d(g["pixel_values"].double(), m.w[e + "patch_embeddings.projection.weight"],
                 m.w[e + "patch_embeddings.projection.bias"], stride=c["patch_size"])
    x = x.flatten(2).transpose(1, 2)
    x = torch.cat([m.w[e + "cls_token"].expand(len(x), -1, -1), x], 1)
    if not off.has("positions"):
        x = x + m.w[e + "position_embeddings"]

    def block(x, i):
        p = f"encoder.layer.{i}."
        h = m.norm(x, p + "layernorm_before", eps, i)
        q, k, v = (split(m.linear(h, p + "attention.attention." + n), c["num_attention_heads"])
                   for n in ("query", "key", "value"))  # fmt: skip
        a = m.linear(m.attend(q, k, v, i), p + "attention.output.dense")
        x = m.add(x, m.part("attention", i, a), i)
        h = m.norm(x, p + "layernorm_after", eps, i)
        f = m.linear(F.gelu(m.linear(h, p + "intermediate.dense")), p + "output.dense")
        return m.add(x, m.part("ffn", i, f), i)

    for i in range(c["num_hidden_layers"]):
        x = m.layer(x, i, lambda x: block(x, i))
    return m.linear(m.norm(x, "layernorm", eps)[:, 0], "classifier")


def patchtst(folder, g, off):
    m = Model(folder, off, "model.")
    c = m.c
    past = g["past_values"].double()
    loc = past.mean(1, keepdim=True)
    scale = ((past - loc) ** 2).mean(1, keepdim=True).add(1e-5).sqrt()
    x = ((past - loc) / scale).transpose(1, 2)  # [B, series, time]
    first = (c["context_length"] - c["patch_length"]) % c["patch_stride"]
    x = x[..., first:].unfold(-1, c["patch_length"], c["patch_stride"])
    x = m.linear(x, "encoder.embedder.input_embedding")
    if not off.has("positions"):
        x = x + m.w["encoder.positional_encoder.position_enc"]
    batch = ".batchnorm" if c["norm_type"] == "batchnorm" else ""
    act = F.relu if c["activation_function"] == "relu" else F.gelu

    def sublayer(x, p, i, n, run):
        norm = lambda x: m.norm(x, f"{p}norm_sublayer{n}{batch}", c["norm_eps"], i)
        return m.add(x, run(norm(x)), i) if c["pre_norm"] else norm(m.add(x, run(x), i))

    def attention(x, p, i):
        heads = c["num_attention_heads"]
        q, k, v = (split(m.linear(x, f"{p}self_attn.{n}_proj"), heads) for n in "qkv")
        return m.part("attention", i, m.linear(m.attend(q, k, v, i), p + "self_attn.out_proj"))

    def block(x, i):
        p = f"encoder.layers.{i}."
        B, M = x.shape[:2]
        x = sublayer(x.flatten(0, 1), p, i, 1, lambda h: attention(h, p, i)).unflatten(0, (B, M))
        if c["channel_attention"]:
            x = x.transpose(1, 2)
            P = x.shape[1]
            x = sublayer(x.flatten(0, 1), p, i, 2, lambda h: attention(h, p, i))
            x = x.unflatten(0, (B, P)).transpose(1, 2)
        ff = lambda h: m.part("ffn", i, m.linear(act(m.linear(h, p + "ff.0")), p + "ff.3"))
        return sublayer(x.flatten(0, 1), p, i, 3, ff).unflatten(0, (B, M))

    for i in range(c["num_hidden_layers"]):
        x = m.layer(x, i, lambda x: block(x, i))
    x = x.mean(2)
    if c["share_projection"]:
        y = m.linear(x, "head.projection")
    else:
        y = torch.stack([m.linear(x[:, s], f"head.projections.{s}") for s in range(x.shape[1])], 1)
    return y.transpose(1, 2) * scale + loc


def marian(folder, g, off):
    m = Model(folder, off, "model.")
    c = m.c
    C, H = c["d_model"], c["encoder_attention_heads"]
    table = m.w["shared.weight"]

    def embed(ids):
        x = table[ids] * math.sqrt(C)
        waves = 10000 ** (2 * torch.arange(C // 2).double() / C)
        places = torch.arange(ids.shape[1]).double()[:, None] / waves
        return x if off.has("positions") else x + torch.cat([places.sin(), places.cos()], -1)

    def attention(x, memory, p, i, **how):
        q = split(m.linear(x, p + "q_proj"), H)
        k, v = (split(m.linear(memory, p + n), H) for n in ("k_proj", "v_proj"))
        return m.linear(m.attend(q, k, v, i, **how), p + "out_proj")

    def feed(x, p, i, source=False):
        f = m.part("ffn", i, m.linear(F.relu(m.linear(x, p + "fc1")), p + "fc2"), source)
        return m.norm(m.add(x, f, i, source), p + "final_layer_norm", 1e-5, i, source)

    def encoder(x, i):
        p = f"encoder.layers.{i}."
        a = attention(x, x, p + "self_attn.", i, real=g["attention_mask"], source=True)
        x = m.add(x, m.part("attention", i, a, True), i, True)
        x = m.norm(x, p + "self_attn_layer_norm", 1e-5, i, True)
        return feed(x, p, i, True)

    def decoder(x, i, memory):
        p = f"decoder.layers.{i}."
        a = m.part("attention", i, attention(x, x, p + "self_attn.", i, causal=True))
        x = m.norm(m.add(x, a, i), p + "self_attn_layer_norm", 1e-5, i)
        a = attention(x, memory, p + "encoder_attn.", i, real=g["attention_mask"], kind="cross")
        x = m.norm(m.add(x, m.part("cross", i, a), i), p + "encoder_attn_layer_norm", 1e-5, i)
        return feed(x, p, i)

    memory = embed(g["input_ids"])
    for i in range(c["encoder_layers"]):
        memory = m.layer(memory, i, lambda x: encoder(x, i), source=True)
    x = embed(g["decoder_input_ids"])
    for i in range(c["decoder_layers"]):
        x = m.layer(x, i, lambda x: decoder(x, i, memory))
    return x @ table.T + m.w["final_logits_bias"]


def make(name, switches, folder):
    here = pathlib.Path(__file__).parent / name
    golden = load_file(here / "golden.safetensors")
    run = globals()[name.split("-")[0]]
    wanted = golden["logits"] if "logits" in golden else golden["prediction_outputs"]
    plain = run(here, golden, Off(""))
    far = (plain - wanted).abs().max() / wanted.abs().max()
    assert far < 1e-5, f"{name}: nothing is off, and the answers differ by {far}"
    tensors = {}
    for text in switches:
        if name in ("vit-a", "patchtst-a", "patchtst-f") and text == "mask":
            continue  # they have none
        out = run(here, golden, Off(text))
        moved = (out - plain).abs().max() / plain.abs().max()
        assert out.isfinite().all() and moved > 1e-3, f"{name}: {text}"
        tokens = out.dim() == 3 and "logits" in golden
        tensors[text] = (out[:, ::STRIDE] if tokens else out).float().contiguous()
    folder.parent.joinpath("ablate").mkdir(parents=True, exist_ok=True)
    save_file(tensors, folder.parent / "ablate" / f"{name}.safetensors")


if __name__ == "__main__":
    tiny.main(__doc__, GOLDENS, make)
