"""Writes the goldens of BERT and its kin: tiny encoders and what transformers computes with them.

    python make_bert.py [--out DIR] [NAME ...]        # all of them, next to this file

As make.py: float32 on the CPU, one thread, fixed seeds; everything is computed once more in
float64, and a golden that hangs on rounding is refused. README.md lists the tensors.
"""

from dataclasses import dataclass

import torch
from transformers import (BertForMaskedLM, BertForPreTraining, BertForSequenceClassification,
                          BertForTokenClassification, BertModel, DistilBertForMaskedLM,
                          DistilBertForSequenceClassification, DistilBertForTokenClassification,
                          DistilBertModel, RobertaForMaskedLM,
                          RobertaForSequenceClassification, RobertaForTokenClassification,
                          RobertaModel, XLMRobertaForMaskedLM,
                          XLMRobertaForSequenceClassification)  # fmt: skip

import tiny

LENGTHS = (13, 6, 9)  # of the texts; what follows is padding


@dataclass
class Golden:
    seed: int
    kind: type
    config: dict
    positions: bool = False  # ids of their own
    old: bool = False  # named as the files of 2019 are, with what else stood in them

    def is_for(self, *tasks):
        return self.kind.__name__.endswith(tasks)


BASE = dict(vocab_size=61, hidden_size=24, num_hidden_layers=2, num_attention_heads=3,
            intermediate_size=40, max_position_embeddings=17)
SMALL = dict(BASE, vocab_size=37, hidden_size=16, num_attention_heads=2, intermediate_size=24)
DISTIL = dict(vocab_size=37, dim=16, n_layers=2, n_heads=2, hidden_dim=24,
              max_position_embeddings=17)
GOLDENS = {
    "bert-a": Golden(31, BertForMaskedLM, BASE),
    "bert-b": Golden(32, BertForPreTraining, dict(BASE, hidden_act="gelu_new", num_hidden_layers=1),
                     old=True),
    "bert-c": Golden(33, BertForMaskedLM, dict(
        BASE, tie_word_embeddings=False, pad_token_id=None, hidden_act="tanh", layer_norm_eps=1e-5,
        hidden_size=15, num_hidden_layers=1, type_vocab_size=3)),
    "bert-d": Golden(34, BertForSequenceClassification, dict(
        BASE, id2label={0: "bad", 1: "fair", 2: "good"}, label2id={"bad": 0, "fair": 1, "good": 2},
        classifier_dropout=0.3, hidden_act="relu")),
    "bert-e": Golden(35, BertForSequenceClassification, dict(
        BASE, num_labels=4, problem_type="multi_label_classification", num_hidden_layers=1,
        hidden_act="silu")),
    "bert-f": Golden(36, BertForSequenceClassification, dict(BASE, num_labels=1, num_hidden_layers=1)),
    "bert-g": Golden(37, BertForTokenClassification, dict(
        BASE, num_labels=5, hidden_size=16, num_attention_heads=2, pad_token_id=4), positions=True),
    "bert-h": Golden(38, BertModel, dict(BASE, hidden_size=32, num_attention_heads=4,
                                         intermediate_size=33, type_vocab_size=1)),
    "roberta-a": Golden(41, RobertaForMaskedLM, SMALL),
    "roberta-b": Golden(42, RobertaForSequenceClassification, dict(
        SMALL, num_labels=3, type_vocab_size=1, hidden_act="relu", num_hidden_layers=1)),
    "roberta-c": Golden(43, RobertaForMaskedLM, dict(  # padding is the last token
        SMALL, tie_word_embeddings=False, pad_token_id=3, hidden_act="silu", num_hidden_layers=1)),
    "roberta-d": Golden(44, RobertaForTokenClassification, dict(SMALL, num_labels=4), positions=True),
    "roberta-e": Golden(45, RobertaModel, SMALL),
    "xlm-roberta-a": Golden(46, XLMRobertaForMaskedLM, dict(SMALL, layer_norm_eps=1e-5)),
    "xlm-roberta-b": Golden(47, XLMRobertaForSequenceClassification, dict(
        SMALL, num_labels=2, num_hidden_layers=1, type_vocab_size=1)),
    "distilbert-a": Golden(51, DistilBertForMaskedLM, DISTIL),
    "distilbert-b": Golden(52, DistilBertForSequenceClassification, dict(
        DISTIL, num_labels=3, activation="relu", n_layers=1)),
    "distilbert-c": Golden(53, DistilBertForMaskedLM, dict(
        DISTIL, tie_word_embeddings=False, pad_token_id=None, activation="silu", n_layers=1)),
    "distilbert-d": Golden(54, DistilBertForTokenClassification, dict(DISTIL, num_labels=4),
                           positions=True),
    "distilbert-e": Golden(55, DistilBertModel, DISTIL),
}  # fmt: skip


def make_inputs(golden, c):
    random = torch.Generator().manual_seed(golden.seed + 1000)

    def ids(high, shape):
        return torch.randint(0, high, shape, generator=random)

    shape = (len(LENGTHS), max(LENGTHS))
    real = torch.arange(shape[1]) < torch.tensor(LENGTHS).unsqueeze(1)
    inputs = {"input_ids": ids(c.vocab_size, shape), "attention_mask": real.long()}
    if hasattr(c, "type_vocab_size"):
        inputs["token_type_ids"] = ids(c.type_vocab_size, shape)
    inputs["input_ids"][~real] = c.pad_token_id or 0
    inputs["input_ids"][0, 5] = inputs["input_ids"][0, 2]  # an embedding row used more than once
    if golden.positions:
        inputs["position_ids"] = ids(c.max_position_embeddings, shape)
    if golden.is_for("MaskedLM", "PreTraining"):
        chosen = real & (torch.rand(shape, generator=random) < 0.4)
        inputs["labels"] = ids(c.vocab_size, shape).masked_fill(~chosen, -100)
        if golden.kind is BertForPreTraining:
            inputs["next_sentence_label"] = ids(2, shape[:1])
    elif golden.is_for("TokenClassification"):
        inputs["labels"] = ids(c.num_labels, shape).masked_fill(~real, -100)
    elif golden.is_for("SequenceClassification"):
        if c.problem_type == "multi_label_classification":
            inputs["labels"] = ids(2, (shape[0], c.num_labels)).float()
        elif c.num_labels == 1:
            inputs["labels"] = torch.randn(shape[0], generator=random)
        else:
            inputs["labels"] = ids(c.num_labels, shape[:1])
    else:  # no head: any number made of both results
        inputs["weights.last_hidden_state"] = torch.randn(*shape, c.hidden_size, generator=random)
        if golden.kind is not DistilBertModel:
            inputs["weights.pooler_output"] = torch.randn(shape[0], c.hidden_size, generator=random)
    return inputs


def run(model, inputs):
    given = {k: v for k, v in inputs.items() if not k.startswith("weights.")}
    out = model(**given, output_attentions=True, output_hidden_states=True)
    tensors = tiny.pieces(out)
    if type(model).__name__.endswith("Model"):
        parts = {k[8:]: out[k[8:]] for k in inputs if k.startswith("weights.")}
        loss = sum((inputs["weights." + k] * x).sum() for k, x in parts.items())
        tensors |= parts
    elif isinstance(model, BertForPreTraining):
        loss = out.loss
        tensors |= {"logits": out.prediction_logits, "next_sentence": out.seq_relationship_logits}
    else:
        loss = out.loss
        tensors["logits"] = out.logits
    return tensors | {"loss": loss} | tiny.gradients(model, loss)


def old_name(name):
    return name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")


def build(name, golden, folder):
    drops = dict(hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, classifier_dropout=None)
    if golden.kind.config_class.model_type == "distilbert":
        drops = dict(dropout=0.0, attention_dropout=0.0, seq_classif_dropout=0.0)
    c = golden.kind.config_class(**(drops | golden.config))
    model = tiny.randomise(golden.kind._from_config(c, attn_implementation="eager"), golden.seed)
    extra = {
        "bert.embeddings.position_ids": torch.arange(c.max_position_embeddings).unsqueeze(0),
        "cls.predictions.decoder.weight": model.get_input_embeddings().weight.detach().clone(),
    } if golden.old else None  # fmt: skip
    tiny.make(name, folder, model, make_inputs(golden, c), run,
              rename=old_name if golden.old else None, extra=extra)


if __name__ == "__main__":
    tiny.main(__doc__, GOLDENS, build)
