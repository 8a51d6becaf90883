"""Writes the goldens of BERT and its kin: tiny encoders and what transformers computes with them.

    python make_bert.py [--out DIR] [NAME ...]        # all of them, next to this file

As make.py: float32 on the CPU, one thread, fixed seeds; everything is computed once more in
float64, and a golden that hangs on rounding is refused. README.md lists the tensors.
"""

from dataclasses import dataclass

import torch
from transformers import (BertForMaskedLM, BertForPreTraining, BertForQuestionAnswering,
                          BertForSequenceClassification, BertForTokenClassification, BertModel,
                          DebertaV2ForMaskedLM, DebertaV2ForQuestionAnswering,
                          DebertaV2ForSequenceClassification, DebertaV2ForTokenClassification,
                          DebertaV2Model, DistilBertForMaskedLM, DistilBertForQuestionAnswering,
                          DistilBertForSequenceClassification, DistilBertForTokenClassification,
                          DistilBertModel, ElectraForMaskedLM, ElectraForPreTraining,
                          ElectraForQuestionAnswering, ElectraForSequenceClassification,
                          ElectraForTokenClassification, ElectraModel,
                          ModernBertForMaskedLM, ModernBertForQuestionAnswering,
                          ModernBertForSequenceClassification, ModernBertForTokenClassification,
                          ModernBertModel, MPNetForMaskedLM, MPNetForQuestionAnswering,
                          MPNetForSequenceClassification, MPNetForTokenClassification, MPNetModel,
                          RobertaForMaskedLM, RobertaForQuestionAnswering,
                          RobertaForSequenceClassification, RobertaForTokenClassification,
                          RobertaModel, XLMRobertaForMaskedLM,
                          XLMRobertaForSequenceClassification)  # fmt: skip

import tiny
from steps import learn

LENGTHS = (13, 6, 9)  # of the texts; what follows is padding


@dataclass
class Golden:
    seed: int
    kind: type
    config: dict
    positions: bool = False  # ids of their own
    old: bool = False  # named as the files of 2019 are, with what else stood in them
    learns: bool = False  # ten steps of AdamW
    lengths: tuple = LENGTHS

    def is_for(self, *tasks):
        return self.kind.__name__.endswith(tasks)


BASE = dict(vocab_size=61, hidden_size=24, num_hidden_layers=2, num_attention_heads=3,
            intermediate_size=40, max_position_embeddings=17)
SMALL = dict(BASE, vocab_size=37, hidden_size=16, num_attention_heads=2, intermediate_size=24)
DISTIL = dict(vocab_size=37, dim=16, n_layers=2, n_heads=2, hidden_dim=24,
              max_position_embeddings=17)
MODERN = dict(vocab_size=37, hidden_size=16, num_hidden_layers=4, num_attention_heads=2,
              intermediate_size=12, max_position_embeddings=17, local_attention=12, pad_token_id=0,
              bos_token_id=None, eos_token_id=None, cls_token_id=None, sep_token_id=None)
MPNET = dict(SMALL, max_position_embeddings=19)
DEBERTA = dict(SMALL, type_vocab_size=0, relative_attention=True, position_buckets=4,
               max_relative_positions=-1, norm_rel_ebd="layer_norm", share_att_key=True,
               pos_att_type="p2c|c2p", position_biased_input=False)
NEAR = (13, 9, 10)  # every padding token has a real one in its window
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
    "bert-i": Golden(39, BertForQuestionAnswering, dict(BASE, num_hidden_layers=1), learns=True),
    "roberta-a": Golden(41, RobertaForMaskedLM, SMALL),
    "roberta-b": Golden(42, RobertaForSequenceClassification, dict(
        SMALL, num_labels=3, type_vocab_size=1, hidden_act="relu", num_hidden_layers=1)),
    "roberta-c": Golden(43, RobertaForMaskedLM, dict(  # padding is the last token
        SMALL, tie_word_embeddings=False, pad_token_id=3, hidden_act="silu", num_hidden_layers=1)),
    "roberta-d": Golden(44, RobertaForTokenClassification, dict(SMALL, num_labels=4), positions=True),
    "roberta-e": Golden(45, RobertaModel, SMALL),
    "roberta-f": Golden(48, RobertaForQuestionAnswering, dict(SMALL, num_hidden_layers=1)),
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
    "distilbert-f": Golden(56, DistilBertForQuestionAnswering, dict(DISTIL, n_layers=1)),
    "electra-a": Golden(61, ElectraForMaskedLM, dict(SMALL, embedding_size=10), learns=True),
    "electra-b": Golden(62, ElectraForPreTraining, dict(
        SMALL, embedding_size=16, hidden_act="relu", num_hidden_layers=1), learns=True),
    "electra-c": Golden(63, ElectraForSequenceClassification, dict(
        SMALL, embedding_size=20, num_labels=3, hidden_act="gelu_new", layer_norm_eps=1e-5,
        num_hidden_layers=1, type_vocab_size=3)),
    "electra-d": Golden(64, ElectraForMaskedLM, dict(
        SMALL, embedding_size=12, tie_word_embeddings=False, pad_token_id=5, hidden_act="silu",
        num_hidden_layers=1)),
    "electra-e": Golden(65, ElectraForTokenClassification, dict(
        SMALL, embedding_size=16, num_labels=4), positions=True),
    "electra-f": Golden(66, ElectraForQuestionAnswering, dict(SMALL, embedding_size=8)),
    "electra-g": Golden(67, ElectraModel, dict(SMALL, embedding_size=24, num_hidden_layers=1)),
    "deberta-v2-a": Golden(81, DebertaV2ForMaskedLM, DEBERTA, learns=True),
    "deberta-v2-b": Golden(82, DebertaV2ForSequenceClassification, dict(  # distances one by one
        DEBERTA, num_labels=3, position_buckets=-1, max_relative_positions=5, share_att_key=False,
        norm_rel_ebd="none", pos_att_type=["c2p"], position_biased_input=True, type_vocab_size=2,
        embedding_size=10, pooler_hidden_act="tanh", num_hidden_layers=1)),
    "deberta-v2-c": Golden(83, DebertaV2ForMaskedLM, dict(
        DEBERTA, share_att_key=False, pos_att_type="p2c", hidden_act="silu", embedding_size=12,
        pad_token_id=3, num_hidden_layers=1, layer_norm_eps=1e-5)),
    "deberta-v2-d": Golden(84, DebertaV2ForTokenClassification, dict(  # no distances at all
        DEBERTA, num_labels=4, relative_attention=False, pos_att_type=None,
        position_biased_input=True), positions=True),
    "deberta-v2-e": Golden(85, DebertaV2ForQuestionAnswering, dict(DEBERTA, num_hidden_layers=1)),
    "deberta-v2-g": Golden(87, DebertaV2ForMaskedLM, dict(  # a convolution, and DeBERTa's own head
        DEBERTA, conv_kernel_size=3, conv_act="gelu", conv_groups=2, legacy=False,
        num_hidden_layers=2), learns=True),
    "deberta-v2-h": Golden(88, DebertaV2ForSequenceClassification, dict(
        DEBERTA, conv_kernel_size=5, num_hidden_layers=1)),
    "deberta-v2-f": Golden(86, DebertaV2Model, dict(DEBERTA, share_att_key=False, num_hidden_layers=1)),
    "mpnet-a": Golden(91, MPNetForMaskedLM, MPNET, learns=True),
    "mpnet-b": Golden(92, MPNetForSequenceClassification, dict(
        MPNET, num_labels=3, hidden_act="relu", layer_norm_eps=1e-5, num_hidden_layers=1)),
    "mpnet-c": Golden(93, MPNetForTokenClassification, dict(MPNET, num_labels=4), positions=True),
    "mpnet-d": Golden(94, MPNetForQuestionAnswering, dict(MPNET, num_hidden_layers=1)),
    "mpnet-e": Golden(95, MPNetModel, dict(MPNET, num_hidden_layers=1)),
    "mpnet-f": Golden(96, MPNetForMaskedLM, dict(
        MPNET, tie_word_embeddings=False, hidden_act="silu", num_hidden_layers=1)),
    "modernbert-a": Golden(71, ModernBertForMaskedLM, MODERN, learns=True, lengths=NEAR),
    "modernbert-b": Golden(72, ModernBertForSequenceClassification, dict(
        MODERN, num_labels=3, classifier_pooling="mean", norm_bias=True, attention_bias=True,
        mlp_bias=True, hidden_activation="silu", local_attention=8, num_hidden_layers=3,
        rope_parameters={"full_attention": {"rope_type": "linear", "factor": 2.0, "rope_theta": 5000.0},
                         "sliding_attention": {"rope_type": "default", "rope_theta": 100.0}},
        layer_types=["sliding_attention", "full_attention", "sliding_attention"]),
        lengths=(13, 10, 11)),
    "modernbert-c": Golden(73, ModernBertForMaskedLM, dict(
        MODERN, tie_word_embeddings=False, decoder_bias=False, classifier_bias=True,
        classifier_activation="relu", num_hidden_layers=2, pad_token_id=None), lengths=NEAR),
    "modernbert-d": Golden(74, ModernBertForTokenClassification, dict(MODERN, num_labels=4),
                           positions=True, lengths=NEAR),
    "modernbert-e": Golden(75, ModernBertForQuestionAnswering, dict(MODERN, num_hidden_layers=2), lengths=NEAR),
    "modernbert-f": Golden(76, ModernBertModel, dict(MODERN, num_hidden_layers=2, norm_eps=1e-6), lengths=NEAR),
}  # fmt: skip


def make_inputs(golden, c):
    random = torch.Generator().manual_seed(golden.seed + 1000)

    def ids(high, shape):
        return torch.randint(0, high, shape, generator=random)

    shape = (len(golden.lengths), max(golden.lengths))
    real = torch.arange(shape[1]) < torch.tensor(golden.lengths).unsqueeze(1)
    inputs = {"input_ids": ids(c.vocab_size, shape), "attention_mask": real.long()}
    if getattr(c, "type_vocab_size", 0) > 0:
        inputs["token_type_ids"] = ids(c.type_vocab_size, shape)
    inputs["input_ids"][~real] = c.pad_token_id or 0
    inputs["input_ids"][0, 5] = inputs["input_ids"][0, 2]  # an embedding row used more than once
    if golden.positions:
        inputs["position_ids"] = ids(c.max_position_embeddings, shape)
    if golden.is_for("QuestionAnswering"):  # the last begins behind what is read
        inputs["start_positions"] = torch.tensor([2, 0, shape[1] + 3])
        inputs["end_positions"] = torch.tensor([7, 5, 4])
    elif golden.kind is ElectraForPreTraining:
        inputs["labels"] = ids(2, shape)
    elif golden.is_for("MaskedLM", "PreTraining"):
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
        if golden.kind in (BertModel, RobertaModel, MPNetModel):
            inputs["weights.pooler_output"] = torch.randn(shape[0], c.hidden_size, generator=random)
    return inputs


def run(model, inputs):
    given = {k: v for k, v in inputs.items() if not k.startswith("weights.")}
    out = model(**given, output_attentions=True, output_hidden_states=True)
    tensors = tiny.pieces(out)
    if type(model).__name__.endswith("Model"):
        parts, loss = tiny.weighted(out, inputs)
        tensors |= parts
    elif isinstance(model, BertForPreTraining):
        loss = out.loss
        tensors |= {"logits": out.prediction_logits, "next_sentence": out.seq_relationship_logits}
    else:
        loss = out.loss
        tensors |= {k: out[k] for k in ("logits", "start_logits", "end_logits") if k in out}
    return tensors | {"loss": loss} | tiny.gradients(model, loss)


def old_name(name):
    return name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")


def build(name, golden, folder):
    drops = dict(hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, classifier_dropout=None)
    if golden.kind.config_class.model_type == "distilbert":
        drops = dict(dropout=0.0, attention_dropout=0.0, seq_classif_dropout=0.0, qa_dropout=0.0)
    if golden.kind.config_class.model_type == "modernbert":
        drops = dict(attention_dropout=0.0)
    if golden.kind.config_class.model_type in ("deberta-v2", "mpnet"):
        drops.pop("classifier_dropout")
    c = golden.kind.config_class(**(drops | golden.config))
    model = tiny.randomise(golden.kind._from_config(c, attn_implementation="eager"), golden.seed)
    extra = {
        "bert.embeddings.position_ids": torch.arange(c.max_position_embeddings).unsqueeze(0),
        "cls.predictions.decoder.weight": model.get_input_embeddings().weight.detach().clone(),
    } if golden.old else None  # fmt: skip
    tiny.make(name, folder, model, make_inputs(golden, c), run,
              more=learn if golden.learns else None, rename=old_name if golden.old else None, extra=extra)


if __name__ == "__main__":
    tiny.main(__doc__, GOLDENS, build)
