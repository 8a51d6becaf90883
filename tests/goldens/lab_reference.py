"""The laboratory model over PyTorch's own modules, every choice of its configuration: what its goldens are made
with. Where torch.nn.TransformerEncoderLayer and TransformerDecoderLayer can say the same, check_against_torch holds it to them.
"""

import math

import torch
from torch import nn
from torch.nn import functional as F

DEFAULTS = dict(
    wiring="encoder-decoder", mixer="attention", d_model=32, encoder_layers=2, decoder_layers=2, heads=4,
    max_position_embeddings=30, positions="sinusoidal", position_join="add", norm="layer",
    norm_place="post", norm_eps=1e-5, feed_forward="relu", qkv_bias=True, one_qkv_matrix=False,
    cross_attention_from="last", scale_scores=True, residual=True, causal_mask=True,
    scale_embedding=True, share_encoder_decoder_embeddings=True, tie_word_embeddings=True,
)  # fmt: skip


def complete(config):
    c = DEFAULTS | config
    c.setdefault("decoder_vocab_size", c["vocab_size"])
    c.setdefault("kv_heads", c["heads"])
    c.setdefault("d_k", c["d_model"] // c["heads"])
    c.setdefault("d_v", c["d_k"])
    c.setdefault("d_ff", 4 * c["d_model"])
    return c


class Tokenwise(nn.BatchNorm1d):
    """Over the features of tokens: [B, T, C]."""

    def forward(self, x):
        return super().forward(x.flatten(0, 1)).view_as(x)


def norm_of(c):
    kinds = {"layer": lambda n: nn.LayerNorm(n, eps=c["norm_eps"]),
             "rms": lambda n: nn.RMSNorm(n, eps=c["norm_eps"]),
             "batch": lambda n: Tokenwise(n, eps=c["norm_eps"]),
             "none": lambda n: nn.Identity()}  # fmt: skip
    return kinds[c["norm"]](c["d_model"])


def slopes(heads):
    """As the ALiBi paper, heads a power of two."""
    assert heads & (heads - 1) == 0
    return torch.tensor([2 ** (-8 * (i + 1) / heads) for i in range(heads)])


def turned(x, places):
    """RoPE over halves: [B, H, T, D]."""
    half = x.shape[-1] // 2
    angle = places[:, None].to(x.dtype) * 10000 ** (-torch.arange(half, dtype=x.dtype) / half)
    cos, sin = angle.cos(), angle.sin()
    a, b = x[..., :half], x[..., half:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)


def bucket(distance, both_ways, count=32, farthest=128):
    """T5's: of a key `distance` after the query."""
    own = count // 2 if both_ways else count
    exact = own // 2
    first = own * (distance > 0).long() if both_ways else torch.zeros_like(distance)
    away = distance.abs() if both_ways else (-distance).clamp(min=0)
    grown = torch.log(away.clamp(min=1).float() / exact) / math.log(farthest / exact) * (own - exact)
    return first + torch.where(away < exact, away, (exact + grown.long()).clamp(max=own - 1))


class Attention(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c = c
        C, H, G, D, E = c["d_model"], c["heads"], c["kv_heads"], c["d_k"], c["d_v"]
        self.q_proj = nn.Linear(C, H * D, bias=c["qkv_bias"])
        if not c["one_qkv_matrix"]:
            self.k_proj = nn.Linear(C, G * D, bias=c["qkv_bias"])
            self.v_proj = nn.Linear(C, G * E, bias=c["qkv_bias"])
        self.out_proj = nn.Linear(H * E, C)

    def forward(self, x, memory, mask, bias=None, rope=False):
        c, B = self.c, len(x)
        one = c["one_qkv_matrix"]
        q = self.q_proj(x).view(B, x.shape[1], c["heads"], c["d_k"]).transpose(1, 2)
        k = (self.q_proj if one else self.k_proj)(memory)
        v = (self.q_proj if one else self.v_proj)(memory)
        k = k.view(B, memory.shape[1], c["kv_heads"], c["d_k"]).transpose(1, 2)
        v = v.view(B, memory.shape[1], c["kv_heads"], c["d_v"]).transpose(1, 2)
        if rope:
            q, k = turned(q, torch.arange(x.shape[1])), turned(k, torch.arange(x.shape[1]))
        each = c["heads"] // c["kv_heads"]
        k, v = k.repeat_interleave(each, 1), v.repeat_interleave(each, 1)
        scores = q @ k.transpose(2, 3) * (c["d_k"] ** -0.5 if c["scale_scores"] else 1.0)
        if bias is not None:
            scores = scores + bias
        weights = scores.masked_fill(~mask, -math.inf).softmax(-1)
        return self.out_proj((weights @ v).transpose(1, 2).flatten(2)), weights


class FeedForward(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.kind = c["feed_forward"]
        if self.kind == "swiglu":
            self.gate = nn.Linear(c["d_model"], c["d_ff"])
        self.up = nn.Linear(c["d_model"], c["d_ff"])
        self.down = nn.Linear(c["d_ff"], c["d_model"])

    def forward(self, x):
        if self.kind == "swiglu":
            return self.down(F.silu(self.gate(x)) * self.up(x))
        return self.down(getattr(F, self.kind)(self.up(x)))


class Layer(nn.Module):
    def __init__(self, c, decodes):
        super().__init__()
        self.c = c
        self.self_attn, self.self_attn_norm = Attention(c), norm_of(c)
        self.crosses = decodes and c["wiring"] == "encoder-decoder"
        if self.crosses:
            self.cross_attn, self.cross_attn_norm = Attention(c), norm_of(c)
        if c["feed_forward"] != "none":
            self.ffn, self.ffn_norm = FeedForward(c), norm_of(c)

    def around(self, norm, x, sub_layer):
        pre = self.c["norm_place"] == "pre"
        y = sub_layer(norm(x) if pre else x)
        y = x + y if self.c["residual"] else y
        return y if pre else norm(y)

    def forward(self, x, mask, bias, memory=None, memory_mask=None):
        seen = []

        def look(read):
            y, weights = self.self_attn(read, read, mask, bias, self.c["positions"] == "rope")
            seen.append(weights)
            return y

        def consult(read):
            y, weights = self.cross_attn(read, memory, memory_mask)
            seen.append(weights)
            return y

        x = self.around(self.self_attn_norm, x, look)
        if self.crosses:
            x = self.around(self.cross_attn_norm, x, consult)
        if self.c["feed_forward"] != "none":
            x = self.around(self.ffn_norm, x, self.ffn)
        return x, seen


class Side(nn.Module):
    def __init__(self, c, decodes, embed=None):
        super().__init__()
        self.c, self.decodes = c, decodes
        C, kind = c["d_model"], c["positions"]
        if embed is None:
            self.embed_tokens = nn.Embedding(c["decoder_vocab_size" if decodes else "vocab_size"], C)
        if kind == "learned":
            self.embed_positions = nn.Embedding(c["max_position_embeddings"], C)
        if kind == "relative":
            self.relative = nn.Embedding(32, c["heads"])
        if c["position_join"] == "concatenate":
            self.join_positions = nn.Linear(C + (1 if kind == "index" else C), C)
        n = c["decoder_layers" if decodes else "encoder_layers"]
        self.layers = nn.ModuleList([Layer(c, decodes) for _ in range(n)])
        if c["norm_place"] == "pre":
            self.norm = norm_of(c)

    def positions(self, x):
        kind, C, place = self.c["positions"], x.shape[2], torch.arange(x.shape[1])
        if kind == "learned":
            return self.embed_positions(place)
        if kind == "index":
            return place[:, None].to(x.dtype)
        if kind != "sinusoidal":
            return None
        angle = place[:, None].double() / 10000 ** (torch.arange(0, C, 2).double() / C)
        out = torch.zeros(x.shape[1], C, dtype=torch.float64)
        out[:, 0::2], out[:, 1::2] = angle.sin(), angle.cos()[:, : C // 2]
        return out.float().to(x.dtype)

    def join(self, x):
        at = self.positions(x)
        if at is None:
            return x
        if self.c["position_join"] == "add":
            return x + at
        return self.join_positions(torch.cat([x, at.expand(*x.shape[:2], -1)], -1))

    def bias(self, x):
        distance = torch.arange(x.shape[1])[None] - torch.arange(x.shape[1])[:, None]  # key - query
        if self.c["positions"] == "alibi":
            return -slopes(self.c["heads"]).to(x.dtype)[:, None, None] * distance.abs()
        if self.c["positions"] == "relative":
            return self.relative(bucket(distance, not self.decodes)).permute(2, 0, 1)
        return None

    def forward(self, ids, mask, words, memories=None, memory_mask=None):
        x = words(ids) * (self.c["d_model"] ** 0.5 if self.c["scale_embedding"] else 1)
        x = self.join(x)
        states, attentions = [x], []
        for i, layer in enumerate(self.layers):
            memory = None if memories is None else memories[i]
            x, seen = layer(x, mask, self.bias(x), memory, memory_mask)
            states.append(x)
            attentions.append(seen)
        if self.c["norm_place"] == "pre":
            states[-1] = self.norm(x)
        return states, attentions


class Lab(nn.Module):
    """forward gives {"logits", and what happens inside, as the goldens name it}."""

    def __init__(self, config):
        super().__init__()
        self.c = c = complete(config)
        shared = c["wiring"] == "encoder-decoder" and c["share_encoder_decoder_embeddings"]
        if shared:
            self.shared = nn.Embedding(c["vocab_size"], c["d_model"])
        embed = self.shared if shared else None
        if c["wiring"] != "decoder":
            self.encoder = Side(c, False, embed)
        if c["wiring"] != "encoder":
            self.decoder = Side(c, True, embed)
        if not c["tie_word_embeddings"]:
            self.lm_head = nn.Linear(c["d_model"], self.words(self.main()).num_embeddings, bias=False)

    def main(self):
        return self.encoder if self.c["wiring"] == "encoder" else self.decoder

    def words(self, side):
        return self.shared if hasattr(self, "shared") else side.embed_tokens

    def score(self, x):
        return self.lm_head(x) if hasattr(self, "lm_head") else x @ self.words(self.main()).weight.T

    def forward(self, input_ids, attention_mask=None, decoder_input_ids=None):
        c = self.c
        ids = input_ids if decoder_input_ids is None else decoder_input_ids
        T = ids.shape[1]
        see = torch.ones(T, T, dtype=torch.bool)
        causal = see.tril() if c["causal_mask"] else see
        real = torch.ones_like(input_ids) if attention_mask is None else attention_mask
        keys = (real == 1)[:, None, None, :]
        if c["wiring"] == "decoder":
            states, seen = self.decoder(ids, causal, self.words(self.decoder))
            return {"logits": self.score(states[-1])} | inside("", states, [s[0] for s in seen])
        states, seen = self.encoder(input_ids, keys, self.words(self.encoder))
        if c["wiring"] == "encoder":
            return {"logits": self.score(states[-1])} | inside("", states, [s[0] for s in seen])
        out = inside("encoder_", states, [s[0] for s in seen])
        n = c["decoder_layers"]
        memories = [states[-1]] * n
        if c["cross_attention_from"] == "same":
            normed = [self.encoder.norm(s) if c["norm_place"] == "pre" else s for s in states[1:-1]]
            memories = [*normed, states[-1]]
        states, seen = self.decoder(ids, causal, self.words(self.decoder), memories, keys)
        out |= inside("", states, [s[0] for s in seen])
        out |= {f"cross_attentions.{i}": s[1] for i, s in enumerate(seen)}
        return {"logits": self.score(states[-1])} | out


def inside(prefix, states, attentions):
    return {f"{prefix}hidden_states.{i}": s for i, s in enumerate(states)} | {
        f"{prefix}attentions.{i}": a for i, a in enumerate(attentions)}


def check_against_torch():
    """torch's own layers with the same weights: the same numbers."""
    torch.manual_seed(0)
    for place in ("pre", "post"):
        for bend in ("relu", "gelu"):
            c = complete(dict(vocab_size=11, norm_place=place, feed_forward=bend))
            common = dict(d_model=32, nhead=4, dim_feedforward=128, dropout=0.0, activation=bend,
                          batch_first=True, norm_first=place == "pre")  # fmt: skip
            for theirs, ours in ((nn.TransformerEncoderLayer(**common), Layer(c, False)),
                                 (nn.TransformerDecoderLayer(**common), Layer(c, True))):  # fmt: skip
                copy_weights(theirs, ours)
                x, memory = torch.randn(2, 5, 32), torch.randn(2, 6, 32)
                see = torch.ones(5, 5, dtype=torch.bool)
                if ours.crosses:
                    see = see.tril()
                    want = theirs(x, memory, tgt_mask=~see)
                else:
                    want = theirs(x)
                keys = torch.ones(2, 1, 1, 6, dtype=torch.bool)
                got = ours(x, see, None, memory, keys)[0]
                torch.testing.assert_close(got, want, atol=2e-6, rtol=1e-5)


def copy_weights(theirs, ours):
    with torch.no_grad():
        pairs = [(theirs.self_attn, ours.self_attn)]
        if ours.crosses:
            pairs.append((theirs.multihead_attn, ours.cross_attn))
        for a, b in pairs:
            for i, name in enumerate(("q_proj", "k_proj", "v_proj")):
                getattr(b, name).weight.copy_(a.in_proj_weight.chunk(3)[i])
                getattr(b, name).bias.copy_(a.in_proj_bias.chunk(3)[i])
            b.out_proj.load_state_dict(a.out_proj.state_dict())
        ours.ffn.up.load_state_dict(theirs.linear1.state_dict())
        ours.ffn.down.load_state_dict(theirs.linear2.state_dict())
        norms = ["self_attn_norm", *(["cross_attn_norm"] if ours.crosses else []), "ffn_norm"]
        for i, name in enumerate(norms):
            getattr(ours, name).load_state_dict(getattr(theirs, f"norm{i + 1}").state_dict())


class Recurrent(nn.Module):
    """The GRU encoder-decoder over torch.nn.GRU, with additive attention or without."""

    def __init__(self, config):
        super().__init__()
        self.c = c = complete(config)
        C, H, n = c["d_model"], c["gru_width"], c["encoder_layers"]
        self.attends = c["mixer"] == "gru-attention"
        self.shared = nn.Embedding(c["vocab_size"], C)
        self.encoder = nn.GRU(C, H, n, batch_first=True)
        self.decoder = nn.GRU(C, H, n, batch_first=True)
        if self.attends:
            self.query, self.key = nn.Linear(H, H), nn.Linear(H, H, bias=False)
            self.score = nn.Linear(H, 1, bias=False)
        self.out = nn.Linear((2 if self.attends else 1) * H, C)

    def forward(self, input_ids, attention_mask, decoder_input_ids):
        scale = self.c["d_model"] ** 0.5
        lengths = attention_mask.sum(1)
        packed = nn.utils.rnn.pack_padded_sequence(
            self.shared(input_ids) * scale, lengths, batch_first=True, enforce_sorted=False)
        memory, last = self.encoder(packed)
        memory, _ = nn.utils.rnn.pad_packed_sequence(memory, batch_first=True, total_length=input_ids.shape[1])
        x, _ = self.decoder(self.shared(decoder_input_ids) * scale, last)
        if self.attends:
            both = torch.tanh(self.query(x)[:, :, None] + self.key(memory)[:, None])
            scores = self.score(both)[..., 0].masked_fill((attention_mask == 0)[:, None], -math.inf)
            x = torch.cat([x, scores.softmax(-1) @ memory], -1)
        return {"logits": torch.tanh(self.out(x)) @ self.shared.weight.T}

    def file_name(self, name):
        """torch's weights under the names of our file."""
        side, _, rest = name.partition(".")
        if side in ("query", "key", "score"):
            return "attention." + name
        if side not in ("encoder", "decoder"):
            return name
        what, way, layer = rest.split("_")  # weight_ih_l0
        return f"{side}.layers.{layer[1:]}.{'input' if way == 'ih' else 'state'}.{what}"
