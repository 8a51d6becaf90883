#include "app/tools/lab_pytorch.h"

namespace jogak {

const std::string_view kLabPyTorch =
    R"py("""A Transformer (@WIRING@) in PyTorch, written by `jogak export` from a jogak-lab directory.

    from @MODULE@ import load
    model = load("@DIRECTORY@")
?pair|    logits = model(input_ids, decoder_input_ids, attention_mask)  # [B, T, VOCAB]
?!pair|    logits = model(input_ids, attention_mask)  # @RESULT@

Only what this model has is in the file: its other choices are left out.
"""

import math
import os

import torch
from safetensors.torch import load_file
from torch import nn
from torch.nn import functional as F

D_MODEL, HEADS, KV_HEADS, D_K, D_V, D_FF = @SIZES@
?normed|EPS = @EPS@


?batch|class TokenNorm(nn.BatchNorm1d):
?batch|    """BatchNorm over the features of all tokens: [B, T, C]."""
?batch|
?batch|    def forward(self, x):
?batch|        return super().forward(x.flatten(0, 1)).view_as(x)
?batch|
?batch|
def make_norm():
    return @NORM@


?rope|def turned(x):
?rope|    """RoPE: element i of a head turns together with element i + D_K / 2. [B, H, T, D_K]"""
?rope|    half = D_K // 2
?rope|    speed = 10000 ** (-torch.arange(half, dtype=torch.float64) / half)
?rope|    angle = torch.arange(x.shape[2])[:, None] * speed
?rope|    cos, sin = angle.cos().to(x), angle.sin().to(x)
?rope|    a, b = x[..., :half], x[..., half:]
?rope|    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)
?rope|
?rope|
?relative|def bucket(distance, both_ways, count=32, farthest=128):
?relative|    """Near distances are a kind each; farther ones share one with their neighbours (T5)."""
?relative|    own = count // 2 if both_ways else count
?relative|    exact = own // 2
?relative|    first = own * (distance > 0).long() if both_ways else torch.zeros_like(distance)
?relative|    away = distance.abs() if both_ways else (-distance).clamp(min=0)
?relative|    grown = torch.log(away.clamp(min=1).float() / exact) / math.log(farthest / exact) * (own - exact)
?relative|    return first + torch.where(away < exact, away, (exact + grown.long()).clamp(max=own - 1))
?relative|
?relative|
class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q_proj = nn.Linear(D_MODEL, HEADS * D_K, bias=@QKV_BIAS@)
?!one|        self.k_proj = nn.Linear(D_MODEL, KV_HEADS * D_K, bias=@QKV_BIAS@)
?!one|        self.v_proj = nn.Linear(D_MODEL, KV_HEADS * D_V, bias=@QKV_BIAS@)
        self.out_proj = nn.Linear(HEADS * D_V, D_MODEL)

    def forward(self, x, memory, mask, bias=None@ROPE_ARGUMENT@):
        def heads(rows, count, width):  # [B, T, count * width] -> [B, count, T, width]
            return rows.view(*rows.shape[:2], count, width).transpose(1, 2)

        q = heads(self.q_proj(x), HEADS, D_K)
?!one|        k, v = heads(self.k_proj(memory), KV_HEADS, D_K), heads(self.v_proj(memory), KV_HEADS, D_V)
?one|        k = v = heads(self.q_proj(memory), HEADS, D_K)  # one matrix for all three
?rope|        if turn:
?rope|            q, k = turned(q), turned(k)
?groups|        k, v = (t.repeat_interleave(HEADS // KV_HEADS, 1) for t in (k, v))
?scaled|        scores = q @ k.transpose(2, 3) / math.sqrt(D_K)
?!scaled|        scores = q @ k.transpose(2, 3)
        if bias is not None:
            scores = scores + bias
        weights = scores.masked_fill(~mask, -math.inf).softmax(-1)
?adrop|        weights = F.dropout(weights, @ATTENTION_DROPOUT@, self.training)
        return self.out_proj((weights @ v).transpose(1, 2).flatten(2))


?ffn|class FeedForward(nn.Module):
?ffn|    def __init__(self):
?ffn|        super().__init__()
?ffn,gated|        self.gate = nn.Linear(D_MODEL, D_FF)
?ffn|        self.up = nn.Linear(D_MODEL, D_FF)
?ffn|        self.down = nn.Linear(D_FF, D_MODEL)
?ffn|
?ffn|    def forward(self, x):
?ffn,gated|        inside = F.silu(self.gate(x)) * self.up(x)
?ffn,!gated|        inside = F.@BEND@(self.up(x))
?ffn,idrop|        inside = F.dropout(inside, @FEED_FORWARD_DROPOUT@, self.training)
?ffn|        return self.down(inside)
?ffn|
?ffn|
class Layer(nn.Module):
    def __init__(self, crosses):
        super().__init__()
        self.self_attn, self.self_attn_norm = Attention(), make_norm()
?pair|        if crosses:
?pair|            self.cross_attn, self.cross_attn_norm = Attention(), make_norm()
?ffn|        self.ffn, self.ffn_norm = FeedForward(), make_norm()

    def around(self, norm, x, sub_layer):
?pre|        y = sub_layer(norm(x))
?!pre|        y = sub_layer(x)
?rdrop|        y = F.dropout(y, @RESIDUAL_DROPOUT@, self.training)
?pre,residual|        return x + y
?pre,!residual|        return y
?!pre,residual|        return norm(x + y)
?!pre,!residual|        return norm(y)

    def forward(self, x, mask, bias, memory=None, memory_mask=None):
        x = self.around(self.self_attn_norm, x, lambda r: self.self_attn(r, r, mask, bias@ROPE_CALL@))
?pair|        if memory is not None:
?pair|            x = self.around(self.cross_attn_norm, x, lambda r: self.cross_attn(r, memory, memory_mask))
?ffn|        x = self.around(self.ffn_norm, x, self.ffn)
        return x


class Stack(nn.Module):
    def __init__(self, layers, vocab, decodes, crosses):
        super().__init__()
        self.decodes = decodes
?!shared|        self.embed_tokens = nn.Embedding(vocab, D_MODEL)
?learned|        self.embed_positions = nn.Embedding(@CONTEXT@, D_MODEL)
?relative|        self.relative = nn.Embedding(32, HEADS)
?concatenate|        self.join_positions = nn.Linear(D_MODEL + @POSITION_WIDTH@, D_MODEL)
        self.layers = nn.ModuleList([Layer(crosses) for _ in range(layers)])
?pre|        self.norm = make_norm()

?vectors|    def positions(self, length, like):
?vectors|        place = torch.arange(length)
?learned|        return self.embed_positions(place)
?index|        return place[:, None].to(like)
?sinusoidal|        angle = place[:, None].double() / 10000 ** (torch.arange(0, D_MODEL, 2).double() / D_MODEL)
?sinusoidal|        out = torch.zeros(length, D_MODEL, dtype=torch.float64)
?sinusoidal|        out[:, 0::2], out[:, 1::2] = angle.sin(), angle.cos()[:, : D_MODEL // 2]
?sinusoidal|        return out.to(like)
?vectors|
    def bias(self, length, like):
?distances|        distance = torch.arange(length)[None] - torch.arange(length)[:, None]  # key - query
?alibi|        slopes = torch.tensor(@SLOPES@).to(like)
?alibi|        return -slopes[:, None, None] * distance.abs()
?relative|        return self.relative(bucket(distance, not self.decodes)).permute(2, 0, 1)
?!distances|        return None

    def forward(self, ids, words, mask, memories=None, memory_mask=None):
        x = words(ids)@EMBEDDING_SCALE@
?vectors,!concatenate|        x = x + self.positions(ids.shape[1], x)
?concatenate|        at = self.positions(ids.shape[1], x).expand(*ids.shape, -1)
?concatenate|        x = self.join_positions(torch.cat([x, at], -1))
?edrop|        x = F.dropout(x, @EMBEDDING_DROPOUT@, self.training)
        bias, states = self.bias(ids.shape[1], x), []
        for i, layer in enumerate(self.layers):
            memory = None if memories is None else memories[i]
            x = layer(x, mask, bias, memory, memory_mask)
            states.append(x)
?pre|        return [self.norm(x) for x in states]
?!pre|        return states


class Model(nn.Module):
    def __init__(self):
        super().__init__()
?shared|        self.shared = nn.Embedding(@VOCAB@, D_MODEL)
?reads|        self.encoder = Stack(@ENCODER_LAYERS@, @VOCAB@, decodes=False, crosses=False)
?writes|        self.decoder = Stack(@DECODER_LAYERS@, @DECODER_VOCAB@, decodes=True, crosses=@CROSSES@)
?!tied,!classifies|        self.lm_head = nn.Linear(D_MODEL, @DECODER_VOCAB@, bias=False)
?classifies|        self.classifier = nn.Linear(D_MODEL, @LABELS@)

?pair|    def forward(self, input_ids, decoder_input_ids, attention_mask=None):
?!pair|    def forward(self, input_ids, attention_mask=None):
        keys = torch.ones_like(input_ids) if attention_mask is None else attention_mask
        keys = keys.bool()[:, None, None, :]
?reads|        memories = self.encoder(input_ids, @SOURCE_WORDS@, keys)
?!reads|        T = input_ids.shape[1]
?pair|        T = decoder_input_ids.shape[1]
?writes,masked|        seen = torch.ones(T, T, dtype=torch.bool).tril()  # nothing behind itself
?writes,!masked|        seen = torch.ones(T, T, dtype=torch.bool)  # no causal mask
?pair,!same|        memories = memories[-1:] * @DECODER_LAYERS@  # every layer reads the last of the encoder
?pair|        x = self.decoder(decoder_input_ids, @TARGET_WORDS@, seen, memories, keys)[-1]
?!pair,writes|        x = self.decoder(input_ids, @TARGET_WORDS@, seen & keys)[-1]
?!pair,reads|        x = memories[-1]
?classifies|        real = keys[:, 0, 0, :, None].to(x)
?classifies|        return self.classifier((x * real).sum(1) / real.sum(1))
?!classifies,tied|        return x @ @TARGET_WORDS@.weight.T
?!classifies,!tied|        return self.lm_head(x)


def load(directory):
    model = Model()
    model.load_state_dict(load_file(os.path.join(directory, "model.safetensors")))
    return model.eval()
)py";

const std::string_view kGruPyTorch =
    R"py("""A recurrent encoder-decoder in PyTorch, written by `jogak export` from a jogak-lab directory.

    from @MODULE@ import load
    model = load("@DIRECTORY@")
    logits = model(input_ids, decoder_input_ids, attention_mask)  # [B, T, VOCAB]
"""

import math
import os

import torch
from safetensors.torch import load_file
from torch import nn
from torch.nn import functional as F

D_MODEL, WIDTH, LAYERS = @GRU_SIZES@


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.source = nn.Embedding(@VOCAB@, D_MODEL)
        self.target = @TARGET_TABLE@
        self.encoder = nn.GRU(D_MODEL, WIDTH, LAYERS, batch_first=True, dropout=@RESIDUAL_DROPOUT@)
        self.decoder = nn.GRU(D_MODEL, WIDTH, LAYERS, batch_first=True, dropout=@RESIDUAL_DROPOUT@)
?attends|        self.query, self.key = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH, bias=False)
?attends|        self.score = nn.Linear(WIDTH, 1, bias=False)
        self.out = nn.Linear(@OUT_WIDTH@, D_MODEL)
?!tied|        self.lm_head = nn.Linear(D_MODEL, @DECODER_VOCAB@, bias=False)

    def forward(self, input_ids, decoder_input_ids, attention_mask=None):
        real = torch.ones_like(input_ids) if attention_mask is None else attention_mask
?edrop|        drop = lambda x: F.dropout(x, @EMBEDDING_DROPOUT@, self.training)
?!edrop|        drop = lambda x: x
        packed = nn.utils.rnn.pack_padded_sequence(
            drop(self.source(input_ids)@EMBEDDING_SCALE@), real.sum(1).cpu(), batch_first=True, enforce_sorted=False)
        memory, last = self.encoder(packed)
        memory, _ = nn.utils.rnn.pad_packed_sequence(memory, batch_first=True, total_length=input_ids.shape[1])
        x, _ = self.decoder(drop(self.target(decoder_input_ids)@EMBEDDING_SCALE@), last)
?attends|        # score(q, k) = v . tanh(W q + U k), of every state of the encoder
?attends|        both = torch.tanh(self.query(x)[:, :, None] + self.key(memory)[:, None])
?attends|        scores = self.score(both)[..., 0].masked_fill(real[:, None] == 0, -math.inf)
?attends|        x = torch.cat([x, scores.softmax(-1) @ memory], -1)
        x = torch.tanh(self.out(x))
?tied|        return x @ self.target.weight.T
?!tied|        return self.lm_head(x)


def torch_name(name):
    """Our names as nn.GRU has them."""
    parts = name.split(".")
    if len(parts) == 5:  # encoder.layers.0.input.weight
        return f"{parts[0]}.{parts[4]}_{'ih' if parts[3] == 'input' else 'hh'}_l{parts[2]}"
    return {"shared.weight": "source.weight", "encoder.embed_tokens.weight": "source.weight",
            "decoder.embed_tokens.weight": "target.weight"}.get(name, name.removeprefix("attention."))


def load(directory):
    model = Model()
    weights = {torch_name(n): t for n, t in load_file(os.path.join(directory, "model.safetensors")).items()}
    weights.setdefault("target.weight", weights["source.weight"])
    model.load_state_dict(weights)
    return model.eval()
)py";

}  // namespace jogak
