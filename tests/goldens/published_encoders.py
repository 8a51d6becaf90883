"""Encoders as people download them, for check_directories.py: what each config.json says beside its sizes is
the published file's."""

import torch

import published_tokenizers as tokens
from published import Directory

SIZES = dict(num_hidden_layers=2, hidden_size=32, intermediate_size=48, num_attention_heads=4,
             max_position_embeddings=128, vocab_size=None, attention_probs_dropout_prob=0.1,
             hidden_dropout_prob=0.1, initializer_range=0.02)
BERT = SIZES | dict(hidden_act="gelu", layer_norm_eps=1e-12, model_type="bert", pad_token_id=0,
                    position_embedding_type="absolute", type_vocab_size=2)
ROBERTA = SIZES | dict(bos_token_id=0, eos_token_id=2, hidden_act="gelu", layer_norm_eps=1e-5, model_type="roberta",
                       pad_token_id=1, type_vocab_size=1, position_embedding_type="absolute")
XLMR = ROBERTA | dict(model_type="xlm-roberta", output_past=True)
READS = ("info", "forward")
BYTE_NAMES = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
MODULES = [{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
           {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
           {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}]
DENSE = {"idx": 2, "name": "2", "path": "2_Dense", "type": "sentence_transformers.models.Dense"}


def pooling(mode, width=32):
    modes = ("cls_token", "mean_tokens", "max_tokens", "mean_sqrt_len_tokens")
    return {"word_embedding_dimension": width} | {f"pooling_mode_{one}": one == mode for one in modes}


def sentences(mode, modules=MODULES, longest=24, **more):
    """sentence-transformers' files."""
    return {"modules.json": modules, "1_Pooling/config.json": pooling(mode),
            "sentence_bert_config.json": {"max_seq_length": longest, "do_lower_case": False},
            "config_sentence_transformers.json": {"__version__": {"sentence_transformers": "2.0.0"}}} | more


def dense():
    random = torch.Generator().manual_seed(5)
    return {"linear.weight": torch.randn(20, 32, generator=random) / 6, "linear.bias": torch.randn(20, generator=random)}


def uncased(folder):
    tokens.wordpiece(folder)


def cased(folder):
    tokens.wordpiece(folder, lower=False)


def koelectra(folder):
    tokens.wordpiece(folder, "ElectraTokenizer", lower=False, modern=False)


def klue_roberta(folder):
    """BERT's words under a RoBERTa."""
    tokens.wordpiece(folder, lower=False, config={
        "tokenizer_class": "BertTokenizer", "bos_token": "[CLS]", "eos_token": "[SEP]"})  # fmt: skip


def bytes_of(kind, modern=True):
    def make(folder):
        tokens.byte_bpe(folder, kind, BYTE_NAMES, modern=modern, config={"model_max_length": 120})
    return make


def bytes_alone(folder):
    """vocab.json and merges.txt and nothing beside them, as many classifiers of 2020 and 2021."""
    tokens.byte_bpe(folder, "RobertaTokenizer", BYTE_NAMES, modern=False)
    (folder / "tokenizer_config.json").unlink()
    tokens.write_json(folder, "special_tokens_map.json", {
        "bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "sep_token": "</s>", "pad_token": "<pad>",
        "cls_token": "<s>", "mask_token": "<mask>"})  # fmt: skip


def xlmr(folder):
    tokens.pieces(folder, "sentencepiece.bpe.model", "XLMRobertaTokenizer")


def mpnet(folder):
    tokens.wordpiece(folder, "MPNetTokenizer", modern=False, specials=["<s>", "[UNK]", "<pad>", "</s>", "<unk>", "<mask>"],
                     config={"tokenizer_class": "MPNetTokenizer"})  # fmt: skip
    tokens.saved_by("MPNetTokenizer", folder)


def deberta(modern):
    def make(folder):
        tokens.pieces(folder, "spm.model", "DebertaV2Tokenizer", modern=modern, pad_id=0, bos_id=1, eos_id=2, unk_id=3,
                      pad_piece="[PAD]", bos_piece="[CLS]", eos_piece="[SEP]", unk_piece="[UNK]",
                      config={"do_lower_case": False, "vocab_type": "spm"})  # fmt: skip
    return make


def modernbert(folder):
    from tokenizers import Tokenizer, processors

    tokens.byte_json(folder, ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"], config={
        "cls_token": "[CLS]", "mask_token": "[MASK]", "pad_token": "[PAD]", "sep_token": "[SEP]", "unk_token": "[UNK]",
        "model_input_names": ["input_ids", "attention_mask"]})  # fmt: skip
    read = Tokenizer.from_file(str(folder / "tokenizer.json"))
    read.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(one, read.token_to_id(one)) for one in ("[CLS]", "[SEP]")])
    read.save(str(folder / "tokenizer.json"))


def position_ids(name):
    return lambda weights: {name: torch.arange(128).expand(1, -1).contiguous()}


LABELS = dict(id2label={"0": "negative", "1": "neutral", "2": "positive"},
              label2id={"negative": 0, "neutral": 1, "positive": 2})
TAGS = dict(id2label={"0": "O", "1": "B-PER", "2": "I-PER"}, label2id={"O": 0, "B-PER": 1, "I-PER": 2})
ENCODERS = [
    Directory("google-bert/bert-base-uncased", "BertForMaskedLM", BERT | dict(
        architectures=["BertForMaskedLM"], gradient_checkpointing=False, transformers_version="4.6.0.dev0", use_cache=True),
        (*READS, "fill"), uncased, extra=position_ids("bert.embeddings.position_ids")),
    Directory("klue/bert-base", "BertForMaskedLM", BERT | dict(architectures=["BertForMaskedLM"]), (*READS, "fill"), cased),
    Directory("nlptown/bert-base-multilingual-uncased-sentiment", "BertForSequenceClassification", BERT | LABELS | dict(
        architectures=["BertForSequenceClassification"], _num_labels=3, directionality="bidi", finetuning_task="sentiment-analysis",
        output_past=True, pooler_fc_size=768, pooler_num_attention_heads=12, pooler_num_fc_layers=3,
        pooler_size_per_head=128, pooler_type="first_token_transform"),
        (*READS, "classify", "pairs"), uncased),
    Directory("dslim/bert-base-NER", "BertForTokenClassification", BERT | TAGS | dict(
        architectures=["BertForTokenClassification"], max_length=512), (*READS, "tags"), cased),
    Directory("deepset/bert-base-cased-squad2", "BertForQuestionAnswering", BERT | dict(
        architectures=["BertForQuestionAnswering"], language="english"), (*READS, "spans"), cased),
    Directory("cross-encoder/ms-marco-MiniLM-L6-v2", "BertForSequenceClassification", BERT | dict(
        architectures=["BertForSequenceClassification"], id2label={"0": "LABEL_0"}, label2id={"LABEL_0": 0},
        sbert_ce_default_activation_function="torch.nn.modules.linear.Identity", transformers_version="4.4.0"),
        (*READS, "rank"), uncased),
    Directory("cross-encoder/ms-marco-MiniLM-L6-v2, its newer file", "BertForSequenceClassification", BERT | dict(
        architectures=["BertForSequenceClassification"], id2label={"0": "LABEL_0"}, label2id={"LABEL_0": 0},
        sentence_transformers={"activation_fn": "torch.nn.modules.linear.Identity", "version": "4.1.0.dev0"}),
        (*READS, "rank"), uncased),
    Directory("sentence-transformers/all-MiniLM-L6-v2", "BertModel", BERT | dict(
        _name_or_path="nreimers/MiniLM-L6-H384-uncased", architectures=["BertModel"], gradient_checkpointing=False),
        (*READS, "embed"), uncased, prefix=False, extra=position_ids("embeddings.position_ids"),
        files=sentences("mean_tokens")),
    Directory("BAAI/bge-base-en-v1.5", "BertModel", BERT | dict(
        architectures=["BertModel"], id2label={"0": "LABEL_0"}, label2id={"LABEL_0": 0}),
        (*READS, "embed"), uncased, files=sentences("cls_token")),
    Directory("BM-K/KoSimCSE-roberta", "RobertaModel", ROBERTA | dict(
        architectures=["RobertaModel"], tokenizer_class="BertTokenizer", bos_token_id=0, eos_token_id=2,
        gradient_checkpointing=False, pad_token_id="@[PAD]"),
        (*READS, "embed"), klue_roberta),
    Directory("klue/roberta-base", "RobertaForMaskedLM", ROBERTA | dict(
        architectures=["RobertaForMaskedLM"], tokenizer_class="BertTokenizer", pad_token_id="@[PAD]"),
        (*READS, "fill"), klue_roberta, extra=position_ids("roberta.embeddings.position_ids")),
    Directory("FacebookAI/roberta-base", "RobertaForMaskedLM", ROBERTA | dict(architectures=["RobertaForMaskedLM"]),
              (*READS, "fill"), bytes_of("RobertaTokenizer"),
              extra=lambda w: {"lm_head.decoder.weight": w["roberta.embeddings.word_embeddings.weight"].clone(),
                               "lm_head.decoder.bias": w["lm_head.bias"].clone()}),
    Directory("cardiffnlp/twitter-roberta-base-sentiment-latest", "RobertaForSequenceClassification", ROBERTA | LABELS | dict(
        architectures=["RobertaForSequenceClassification"], gradient_checkpointing=False, classifier_dropout=None),
        (*READS, "classify"), bytes_alone),
    Directory("FacebookAI/roberta-large-mnli", "RobertaForSequenceClassification", ROBERTA | LABELS | dict(
        architectures=["RobertaForSequenceClassification"], _num_labels=3),
        (*READS, "classify", "pairs"), bytes_of("RobertaTokenizer")),
    Directory("Jean-Baptiste/roberta-large-ner-english", "RobertaForTokenClassification", ROBERTA | TAGS | dict(
        architectures=["RobertaForTokenClassification"]), (*READS, "tags"), bytes_of("RobertaTokenizer")),
    Directory("deepset/roberta-base-squad2", "RobertaForQuestionAnswering", ROBERTA | dict(
        architectures=["RobertaForQuestionAnswering"], language="english", name="Roberta"),
        (*READS, "spans"), bytes_of("RobertaTokenizer")),
    Directory("FacebookAI/xlm-roberta-base", "XLMRobertaForMaskedLM", XLMR | dict(architectures=["XLMRobertaForMaskedLM"]),
              (*READS, "fill"), xlmr),
    Directory("BAAI/bge-m3", "XLMRobertaModel", XLMR | dict(architectures=["XLMRobertaModel"], torch_dtype="float32"),
              (*READS, "embed"), xlmr, files=sentences("cls_token")),
    Directory("intfloat/multilingual-e5-base", "XLMRobertaModel", XLMR | dict(architectures=["XLMRobertaModel"]),
              (*READS, "embed"), xlmr, files=sentences("mean_tokens"), extra=position_ids("embeddings.position_ids"),
              prefix=False),
    Directory("BAAI/bge-reranker-base", "XLMRobertaForSequenceClassification", XLMR | dict(
        architectures=["XLMRobertaForSequenceClassification"], id2label={"0": "LABEL_0"}, label2id={"LABEL_0": 0}),
        (*READS, "rank"), xlmr),
    Directory("cardiffnlp/twitter-xlm-roberta-base-sentiment", "XLMRobertaForSequenceClassification", XLMR | LABELS | dict(
        architectures=["XLMRobertaForSequenceClassification"]), (*READS, "classify"), xlmr),
    Directory("Davlan/xlm-roberta-base-ner-hrl", "XLMRobertaForTokenClassification", XLMR | TAGS | dict(
        architectures=["XLMRobertaForTokenClassification"]), (*READS, "tags"), xlmr),
    Directory("deepset/xlm-roberta-base-squad2", "XLMRobertaForQuestionAnswering", XLMR | dict(
        architectures=["XLMRobertaForQuestionAnswering"]), (*READS, "spans"), xlmr),
    Directory("distilbert/distilbert-base-uncased", "DistilBertForMaskedLM", dict(
        activation="gelu", architectures=["DistilBertForMaskedLM"], attention_dropout=0.1, dim=32, dropout=0.1, hidden_dim=48,
        initializer_range=0.02, max_position_embeddings=128, model_type="distilbert", n_heads=4, n_layers=2, pad_token_id=0,
        qa_dropout=0.1, seq_classif_dropout=0.2, sinusoidal_pos_embds=False, tie_weights_=True, vocab_size=None),
        (*READS, "fill"), uncased),
    Directory("distilbert/distilbert-base-uncased-finetuned-sst-2-english", "DistilBertForSequenceClassification", dict(
        activation="gelu", architectures=["DistilBertForSequenceClassification"], attention_dropout=0.1, dim=32, dropout=0.1,
        finetuning_task="sst-2", hidden_dim=48, id2label={"0": "NEGATIVE", "1": "POSITIVE"}, initializer_range=0.02,
        label2id={"NEGATIVE": 0, "POSITIVE": 1}, max_position_embeddings=128, model_type="distilbert", n_heads=4,
        n_layers=2, output_past=True, pad_token_id=0, qa_dropout=0.1, seq_classif_dropout=0.2,
        sinusoidal_pos_embds=False, tie_weights_=True, vocab_size=None),
        (*READS, "classify"), lambda folder: tokens.wordpiece(folder, "DistilBertTokenizer", modern=False)),
    Directory("distilbert/distilbert-base-cased-distilled-squad", "DistilBertForQuestionAnswering", dict(
        activation="gelu", architectures=["DistilBertForQuestionAnswering"], dim=32, hidden_dim=48, max_position_embeddings=128,
        model_type="distilbert", n_heads=4, n_layers=2, pad_token_id=0, vocab_size=None, tie_weights_=True),
        (*READS, "spans"), lambda folder: tokens.wordpiece(folder, "DistilBertTokenizer", lower=False)),
    Directory("sentence-transformers/distiluse-base-multilingual-cased-v2", "DistilBertModel", dict(
        activation="gelu", architectures=["DistilBertModel"], dim=32, hidden_dim=48, max_position_embeddings=128,
        model_type="distilbert", n_heads=4, n_layers=2, pad_token_id=0, vocab_size=None, tie_weights_=True),
        (*READS, "embed"), lambda folder: tokens.wordpiece(folder, "DistilBertTokenizer", lower=False), prefix=False,
        files=sentences("mean_tokens", [*MODULES[:2], DENSE], **{
            "2_Dense/config.json": {"in_features": 32, "out_features": 20, "bias": True,
                                    "activation_function": "torch.nn.modules.activation.Tanh"},
            "2_Dense/model.safetensors": dense})),
    Directory("monologg/koelectra-base-v3-discriminator", "ElectraForPreTraining", SIZES | dict(
        architectures=["ElectraForPreTraining"], embedding_size=32, hidden_act="gelu", layer_norm_eps=1e-12,
        model_type="electra", pad_token_id=0, summary_activation="gelu", summary_last_dropout=0.1, summary_type="first",
        summary_use_proj=True, type_vocab_size=2), READS, koelectra),
    Directory("monologg/koelectra-base-v3-generator", "ElectraForMaskedLM", SIZES | dict(
        architectures=["ElectraForMaskedLM"], embedding_size=24, hidden_act="gelu", layer_norm_eps=1e-12,
        model_type="electra", pad_token_id=0, type_vocab_size=2), (*READS, "fill"), koelectra),
    Directory("monologg/koelectra-base-finetuned-nsmc", "ElectraForSequenceClassification", SIZES | LABELS | dict(
        architectures=["ElectraForSequenceClassification"], embedding_size=32, hidden_act="gelu", layer_norm_eps=1e-12,
        model_type="electra", pad_token_id=0, type_vocab_size=2), (*READS, "classify"), koelectra),
    Directory("monologg/koelectra-base-v3-finetuned-korquad", "ElectraForQuestionAnswering", SIZES | dict(
        architectures=["ElectraForQuestionAnswering"], embedding_size=32, hidden_act="gelu", layer_norm_eps=1e-12,
        model_type="electra", pad_token_id=0, type_vocab_size=2), (*READS, "spans"), koelectra),
    Directory("Leo97/KoELECTRA-small-v3-modu-ner", "ElectraForTokenClassification", SIZES | TAGS | dict(
        architectures=["ElectraForTokenClassification"], embedding_size=16, hidden_act="gelu", layer_norm_eps=1e-12,
        model_type="electra", pad_token_id=0, type_vocab_size=2), (*READS, "tags"), koelectra),
    Directory("sentence-transformers/all-mpnet-base-v2", "MPNetModel", SIZES | dict(
        architectures=["MPNetForMaskedLM"], bos_token_id=0, eos_token_id="@</s>", hidden_act="gelu", layer_norm_eps=1e-5,
        model_type="mpnet", pad_token_id="@<pad>", relative_attention_num_buckets=32),
        ("embed",), mpnet, prefix=False, extra=position_ids("embeddings.position_ids"), files=sentences("mean_tokens")),
    Directory("microsoft/mpnet-base", "MPNetForMaskedLM", SIZES | dict(
        architectures=["MPNetForMaskedLM"], bos_token_id=0, eos_token_id="@</s>", hidden_act="gelu", layer_norm_eps=1e-5,
        model_type="mpnet", pad_token_id="@<pad>", relative_attention_num_buckets=32), (*READS, "fill"), mpnet),
    Directory("cross-encoder/stsb-mpnet", "MPNetForSequenceClassification", SIZES | dict(
        architectures=["MPNetForSequenceClassification"], bos_token_id=0, eos_token_id="@</s>", hidden_act="gelu",
        layer_norm_eps=1e-5, model_type="mpnet", pad_token_id="@<pad>", relative_attention_num_buckets=32,
        id2label={"0": "LABEL_0"}, label2id={"LABEL_0": 0}), (*READS, "rank"), mpnet),
    Directory("answerdotai/ModernBERT-base", "ModernBertForMaskedLM", dict(
        architectures=["ModernBertForMaskedLM"], attention_bias=False, attention_dropout=0.0, bos_token_id="@[CLS]",
        classifier_activation="gelu", classifier_bias=False, classifier_dropout=0.0, classifier_pooling="mean",
        cls_token_id="@[CLS]", decoder_bias=True, deterministic_flash_attn=False, embedding_dropout=0.0,
        eos_token_id="@[SEP]", global_attn_every_n_layers=3, global_rope_theta=160000.0, gradient_checkpointing=False,
        hidden_activation="gelu", hidden_size=32, initializer_cutoff_factor=2.0, initializer_range=0.02,
        intermediate_size=48, layer_norm_eps=1e-5, local_attention=8, local_rope_theta=10000.0,
        max_position_embeddings=128, mlp_bias=False, mlp_dropout=0.0, model_type="modernbert", norm_bias=False,
        norm_eps=1e-5, num_attention_heads=4, num_hidden_layers=4, pad_token_id="@[PAD]",
        position_embedding_type="absolute", sep_token_id="@[SEP]", sparse_pred_ignore_index=-100,
        sparse_prediction=False, torch_dtype="float32", vocab_size=None, repad_logits_with_grad=False),
        (*READS, "fill"), modernbert),
    Directory("Alibaba-NLP/gte-reranker-modernbert-base", "ModernBertForSequenceClassification", dict(
        architectures=["ModernBertForSequenceClassification"], attention_bias=False, classifier_activation="gelu",
        classifier_bias=False, classifier_dropout=0.0, classifier_pooling="mean", global_attn_every_n_layers=3,
        global_rope_theta=160000.0, hidden_activation="gelu", hidden_size=32, id2label={"0": "LABEL_0"}, intermediate_size=48,
        label2id={"LABEL_0": 0}, local_attention=8, local_rope_theta=10000.0, max_position_embeddings=128,
        mlp_bias=False, model_type="modernbert", norm_bias=False, norm_eps=1e-5, num_attention_heads=4,
        num_hidden_layers=4, pad_token_id="@[PAD]", torch_dtype="float16", vocab_size=None),
        (*READS, "rank"), modernbert, "f16"),
    Directory("microsoft/deberta-v3-base", "DebertaV2ForMaskedLM", SIZES | dict(
        model_type="deberta-v2", architectures=["DebertaV2ForMaskedLM"], attention_probs_dropout_prob=0.1, hidden_act="gelu",
        relative_attention=True, position_buckets=64, norm_rel_ebd="layer_norm", share_att_key=True,
        pos_att_type="p2c|c2p", layer_norm_eps=1e-7, max_relative_positions=-1, position_biased_input=False,
        type_vocab_size=0), (*READS, "fill"), deberta(False)),
    Directory("MoritzLaurer/DeBERTa-v3-base-mnli-fever-anli", "DebertaV2ForSequenceClassification", SIZES | LABELS | dict(
        model_type="deberta-v2", architectures=["DebertaV2ForSequenceClassification"], hidden_act="gelu", layer_norm_eps=1e-7,
        max_relative_positions=-1, norm_rel_ebd="layer_norm", pad_token_id=0, pooler_dropout=0, pooler_hidden_act="gelu",
        pooler_hidden_size=32, pos_att_type=["p2c", "c2p"], position_biased_input=False, position_buckets=64,
        relative_attention=True, share_att_key=True, type_vocab_size=0, torch_dtype="float32"),
        (*READS, "classify", "pairs"), deberta(True)),
    Directory("deepset/deberta-v3-base-squad2", "DebertaV2ForQuestionAnswering", SIZES | dict(
        model_type="deberta-v2", architectures=["DebertaV2ForQuestionAnswering"], hidden_act="gelu", layer_norm_eps=1e-7,
        max_relative_positions=-1, norm_rel_ebd="layer_norm", pad_token_id=0, pooler_dropout=0, pooler_hidden_act="gelu",
        pooler_hidden_size=32, pos_att_type=["p2c", "c2p"], position_biased_input=False, position_buckets=64,
        relative_attention=True, share_att_key=True, type_vocab_size=0), (*READS, "spans"), deberta(True)),
]  # fmt: skip
