"""Decoders as people download them, for check_directories.py: what each config.json says beside its sizes is
the published file's."""

import torch

import published_tokenizers as tokens
from published import Directory

SIZES = dict(num_hidden_layers=2, hidden_size=32, intermediate_size=48, num_attention_heads=4,
             num_key_value_heads=2, vocab_size=None, max_position_embeddings=128)
WRITES = ("info", "forward", "generate")
TALKS = (*WRITES, "chat")
CHATML = ("{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + "
          "'<|im_end|>' + '\n'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}")
LLAMA3_CHAT = ("{% set loop_messages = messages %}{% for message in loop_messages %}{% set content = "
               "'<|start_header_id|>' + message['role'] + '<|end_header_id|>\n\n'+ message['content'] | trim + "
               "'<|eot_id|>' %}{% if loop.index0 == 0 %}{% set content = bos_token + content %}{% endif %}{{ content "
               "}}{% endfor %}{% if add_generation_prompt %}{{ '<|start_header_id|>assistant<|end_header_id|>\n\n' "
               "}}{% endif %}")
MISTRAL_CHAT = ("{{ bos_token }}{% for message in messages %}{% if message['role'] == 'user' %}{{ '[INST] ' + "
                "message['content'] + ' [/INST]' }}{% else %}{{ message['content'] + eos_token }}{% endif %}{% endfor %}")
GEMMA_CHAT = ("{{ bos_token }}{% for message in messages %}{% if (message['role'] == 'assistant') %}{% set role = "
              "'model' %}{% else %}{% set role = message['role'] %}{% endif %}{{ '<start_of_turn>' + role + '\n' + "
              "message['content'] | trim + '<end_of_turn>\n' }}{% endfor %}{% if add_generation_prompt %}"
              "{{'<start_of_turn>model\n'}}{% endif %}")
PHI_CHAT = ("{% for message in messages %}{% if message['role'] == 'user' %}{{'<|user|>\n' + message['content'] + "
            "'<|end|>\n'}}{% elif message['role'] == 'assistant' %}{{'<|assistant|>\n' + message['content'] + "
            "'<|end|>\n'}}{% endif %}{% endfor %}{% if add_generation_prompt %}{{ '<|assistant|>\n' }}{% endif %}")
LLAMA3_TOKENS = ["<|begin_of_text|>", "<|end_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"]
QWEN_TOKENS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")


def llama3(folder):
    tokens.byte_json(folder, LLAMA3_TOKENS, tokens.llama3_pattern(), "<|begin_of_text|>", template=LLAMA3_CHAT,
                     config={"bos_token": "<|begin_of_text|>", "eos_token": "<|eot_id|>",
                             "model_input_names": ["input_ids", "attention_mask"]})  # fmt: skip


def qwen(folder):
    tokens.byte_bpe(folder, "Qwen2Tokenizer", QWEN_TOKENS, first=False, config={
        "add_prefix_space": False, "bos_token": None, "eos_token": "<|im_end|>", "pad_token": "<|endoftext|>",
        "errors": "replace", "split_special_tokens": False, "unk_token": None, "chat_template": CHATML})  # fmt: skip


def neox(folder):
    tokens.byte_json(folder, ["<|endoftext|>", "<|padding|>"], config={
        "tokenizer_class": "GPTNeoXTokenizer", "bos_token": "<|endoftext|>", "eos_token": "<|endoftext|>",
        "unk_token": "<|endoftext|>", "add_prefix_space": False})  # fmt: skip


def polyglot(folder):
    tokens.byte_json(folder, ["<|unused0|>", "<|endoftext|>", "<|pad|>", "<|acc|>", "<|tel|>", "<|rrn|>"], config={
        "eos_token": "<|endoftext|>", "pad_token": "<|endoftext|>"})  # fmt: skip


def chatml(*names):
    def make(folder):
        tokens.byte_json(folder, list(names), template=CHATML, config={
            "eos_token": names[2], "bos_token": names[1], "unk_token": names[0], "pad_token": names[2],
            "tokenizer_class": "GPT2Tokenizer", "add_prefix_space": False})  # fmt: skip
    return make


def gemma(folder):
    tokens.pieces(folder, "tokenizer.model", "GemmaTokenizer", model_type="bpe", byte_fallback=True, pad_id=0,
                  eos_id=1, bos_id=2, unk_id=3, size=560, normalization_rule_name="identity", split_digits=True,
                  remove_extra_whitespaces=False, add_dummy_prefix=False, modern=False,
                  control_symbols=["<start_of_turn>", "<end_of_turn>"],
                  config={"bos_token": "<bos>", "eos_token": "<eos>", "add_bos_token": True, "add_eos_token": False,
                          "chat_template": GEMMA_CHAT, "spaces_between_special_tokens": False},
                  bos_piece="<bos>", eos_piece="<eos>", pad_piece="<pad>")  # fmt: skip
    tokens.saved_by("GemmaTokenizer", folder)


def mistral(folder):
    tokens.llama2(folder, template=MISTRAL_CHAT)


def masks(layers, name):
    """Causal masks that old files keep."""
    return lambda weights: {f"{name}.{i}.attention.bias": torch.ones(1, 1, 128, 128, dtype=torch.bool)
                            for i in range(layers)} | {
        f"{name}.{i}.attention.masked_bias": torch.tensor(-1e9) for i in range(layers)}  # fmt: skip


def gpt2_masks(weights):
    return {f"h.{i}.attn.bias": torch.ones(1, 1, 64, 64) for i in range(2)}


OLD = dict(torch_dtype="float16", transformers_version="4.26.0", use_cache=True)
DECODERS = [
    Directory("openai-community/gpt2", "GPT2LMHeadModel", dict(
        activation_function="gelu_new", architectures=["GPT2LMHeadModel"], attn_pdrop=0.1, bos_token_id="@<|endoftext|>",
        embd_pdrop=0.1, eos_token_id="@<|endoftext|>", initializer_range=0.02, layer_norm_epsilon=1e-5,
        model_type="gpt2", n_ctx=64, n_embd=32, n_head=4, n_layer=2, n_positions=64, resid_pdrop=0.1,
        summary_activation=None, summary_first_dropout=0.1, summary_proj_to_labels=True,
        summary_type="cls_index", summary_use_proj=True,
        task_specific_params={"text-generation": {"do_sample": True, "max_length": 50}}, vocab_size=None),
        WRITES, lambda folder: tokens.byte_bpe(folder, config={"model_max_length": 64}), prefix=False,
        extra=gpt2_masks, generation=dict(_from_model_config=True, bos_token_id="@<|endoftext|>",
                                          eos_token_id="@<|endoftext|>", transformers_version="4.26.0.dev0")),
    Directory("EleutherAI/pythia-160m", "GPTNeoXForCausalLM", OLD | dict(
        architectures=["GPTNeoXForCausalLM"], bos_token_id=0, eos_token_id=0, hidden_act="gelu", hidden_size=32,
        initializer_range=0.02, intermediate_size=64, layer_norm_eps=1e-5, max_position_embeddings=64,
        model_type="gpt_neox", num_attention_heads=4, num_hidden_layers=2, rotary_emb_base=10000, rotary_pct=0.25,
        tie_word_embeddings=False, use_parallel_residual=True, vocab_size=None),
        WRITES, neox, "f16", extra=masks(2, "gpt_neox.layers"), room=12),
    Directory("EleutherAI/polyglot-ko-1.3b", "GPTNeoXForCausalLM", OLD | dict(
        architectures=["GPTNeoXForCausalLM"], bos_token_id="@<|unused0|>", eos_token_id="@<|endoftext|>", hidden_act="gelu",
        hidden_size=32, initializer_range=0.02, intermediate_size=128, layer_norm_eps=1e-5,
        max_position_embeddings=64, model_type="gpt_neox", num_attention_heads=4, num_hidden_layers=2,
        num_steps="global_step161000", rotary=True, rotary_emb_base=10000, rotary_pct=0.5,
        tie_word_embeddings=False, use_parallel_residual=True, vocab_size=None),
        WRITES, polyglot, "f16", shards="40KB", room=4),
    Directory("facebook/opt-125m", "OPTForCausalLM", dict(
        activation_dropout=0.0, activation_function="relu", architectures=["OPTForCausalLM"], attention_dropout=0.0,
        bos_token_id="@</s>", do_layer_norm_before=True, dropout=0.1, eos_token_id="@</s>", ffn_dim=48, hidden_size=32,
        init_std=0.02, layerdrop=0.0, max_position_embeddings=64, model_type="opt", num_attention_heads=4,
        num_hidden_layers=2, pad_token_id="@<pad>", prefix="</s>", torch_dtype="float16", use_cache=True,
        vocab_size=None, word_embed_proj_dim=32),
        WRITES, lambda folder: tokens.byte_bpe(folder, "GPT2Tokenizer", ("<s>", "<pad>", "</s>", "<unk>"), modern=False, config={
            "errors": "replace", "unk_token": "</s>", "bos_token": "</s>", "eos_token": "</s>", "pad_token": "<pad>",
            "add_prefix_space": False, "add_bos_token": True, "name_or_path": "patrickvonplaten/opt-30b"}), "f16",
        prefix=False, generation=dict(_from_model_config=True, bos_token_id="@</s>", eos_token_id="@</s>", pad_token_id="@<pad>",
                                      transformers_version="4.27.0.dev0")),
    Directory("meta-llama/Llama-2-7b-hf", "LlamaForCausalLM", SIZES | OLD | dict(
        architectures=["LlamaForCausalLM"], bos_token_id=1, eos_token_id=2, hidden_act="silu", initializer_range=0.02,
        model_type="llama", num_key_value_heads=4, pretraining_tp=1, rms_norm_eps=1e-5, rope_scaling=None,
        tie_word_embeddings=False),
        WRITES, tokens.llama2, "f16", shards="60KB",
        extra=None, generation=dict(bos_token_id=1, do_sample=True, eos_token_id=2, pad_token_id=0, temperature=0.6,
                                    max_length=4096, top_p=0.9, transformers_version="4.31.0.dev0")),
    Directory("TinyLlama, tokenizer.model alone", "LlamaForCausalLM", SIZES | dict(
        architectures=["LlamaForCausalLM"], bos_token_id=1, eos_token_id=2, hidden_act="silu", model_type="llama",
        rms_norm_eps=1e-5, rope_theta=10000.0, torch_dtype="bfloat16", tie_word_embeddings=False),
        WRITES, lambda folder: tokens.llama2(folder, modern=False), "bf16"),
    Directory("meta-llama/Llama-3.2-1B-Instruct", "LlamaForCausalLM", SIZES | dict(
        architectures=["LlamaForCausalLM"], attention_bias=False, attention_dropout=0.0, bos_token_id="@<|begin_of_text|>",
        eos_token_id=["@<|end_of_text|>", "@<|eot_id|>"], head_dim=8, hidden_act="silu", initializer_range=0.02,
        max_position_embeddings=256, mlp_bias=False, model_type="llama", pretraining_tp=1, rms_norm_eps=1e-5,
        rope_scaling=dict(factor=32.0, high_freq_factor=4.0, low_freq_factor=1.0,
                          original_max_position_embeddings=64, rope_type="llama3"),
        rope_theta=500000.0, tie_word_embeddings=True, torch_dtype="bfloat16", transformers_version="4.45.0.dev0",
        use_cache=True),
        TALKS, llama3, "bf16", generation=dict(
            bos_token_id="@<|begin_of_text|>", do_sample=True, eos_token_id=["@<|end_of_text|>", "@<|eot_id|>"],
            temperature=0.6, top_p=0.9, transformers_version="4.45.0.dev0")),
    Directory("mistralai/Mistral-7B-v0.1", "MistralForCausalLM", SIZES | dict(
        architectures=["MistralForCausalLM"], bos_token_id=1, eos_token_id=2, hidden_act="silu", initializer_range=0.02,
        model_type="mistral", rms_norm_eps=1e-5, rope_theta=10000.0, sliding_window=6, tie_word_embeddings=False,
        torch_dtype="bfloat16", transformers_version="4.34.0.dev0", use_cache=True),
        WRITES, tokens.llama2, "bf16", shards="60KB"),
    Directory("mistralai/Mistral-7B-Instruct-v0.3", "MistralForCausalLM", SIZES | dict(
        architectures=["MistralForCausalLM"], attention_dropout=0.0, bos_token_id=1, eos_token_id=2, hidden_act="silu",
        model_type="mistral", rms_norm_eps=1e-5, rope_theta=1000000.0, sliding_window=None,
        tie_word_embeddings=False, torch_dtype="bfloat16", transformers_version="4.42.0.dev0"),
        TALKS, mistral, "bf16", shards="60KB",
        generation=dict(_from_model_config=True, bos_token_id=1, eos_token_id=2)),
    Directory("mistralai/Mixtral-8x7B-Instruct-v0.1", "MixtralForCausalLM", SIZES | dict(
        architectures=["MixtralForCausalLM"], attention_dropout=0.0, bos_token_id=1, eos_token_id=2, hidden_act="silu",
        model_type="mixtral", num_experts_per_tok=2, num_local_experts=8, output_router_logits=False,
        rms_norm_eps=1e-5, rope_theta=1000000.0, router_aux_loss_coef=0.02, sliding_window=None,
        tie_word_embeddings=False, torch_dtype="bfloat16"),
        TALKS, mistral, "bf16", shards="200KB"),
    Directory("Qwen/Qwen2.5-0.5B-Instruct", "Qwen2ForCausalLM", SIZES | dict(
        architectures=["Qwen2ForCausalLM"], attention_dropout=0.0, bos_token_id="@<|endoftext|>", eos_token_id="@<|im_end|>",
        hidden_act="silu", max_window_layers=21, model_type="qwen2", rms_norm_eps=1e-6, rope_theta=1000000.0,
        sliding_window=32768, tie_word_embeddings=True, torch_dtype="bfloat16", use_sliding_window=False),
        TALKS, qwen, "bf16", room=9, generation=dict(
            bos_token_id="@<|endoftext|>", pad_token_id="@<|endoftext|>", do_sample=True, repetition_penalty=1.1,
            eos_token_id=["@<|im_end|>", "@<|endoftext|>"], temperature=0.7, top_p=0.8, top_k=20)),
    Directory("Qwen/Qwen3-0.6B", "Qwen3ForCausalLM", SIZES | dict(
        architectures=["Qwen3ForCausalLM"], attention_bias=False, bos_token_id="@<|endoftext|>", eos_token_id="@<|im_end|>",
        head_dim=12, hidden_act="silu", max_window_layers=28, model_type="qwen3", rms_norm_eps=1e-6,
        rope_scaling=None, rope_theta=1000000, sliding_window=None, tie_word_embeddings=True,
        torch_dtype="bfloat16", use_sliding_window=False, transformers_version="4.51.0"),
        TALKS, qwen, "bf16", extra=lambda w: {"lm_head.weight": w["model.embed_tokens.weight"].clone()},
        generation=dict(bos_token_id="@<|endoftext|>", do_sample=True, eos_token_id=["@<|im_end|>", "@<|endoftext|>"],
                        pad_token_id="@<|endoftext|>", temperature=0.6, top_k=20, top_p=0.95)),
    Directory("google/gemma-2b", "GemmaForCausalLM", SIZES | dict(
        architectures=["GemmaForCausalLM"], bos_token_id=2, eos_token_id=1, head_dim=12, hidden_act="gelu",
        hidden_activation=None, model_type="gemma", num_key_value_heads=1, pad_token_id=0, rms_norm_eps=1e-6,
        rope_scaling=None, rope_theta=10000.0, torch_dtype="bfloat16", attention_bias=False),
        WRITES, gemma, "bf16", generation=dict(_from_model_config=True, bos_token_id=2, eos_token_id=1, pad_token_id=0)),
    Directory("google/gemma-2-2b-it", "Gemma2ForCausalLM", SIZES | dict(
        architectures=["Gemma2ForCausalLM"], attn_logit_softcapping=50.0, bos_token_id=2, cache_implementation="hybrid",
        eos_token_id=[1, "@<end_of_turn>"], final_logit_softcapping=30.0, head_dim=12, hidden_act="gelu_pytorch_tanh",
        hidden_activation="gelu_pytorch_tanh", model_type="gemma2", pad_token_id=0, query_pre_attn_scalar=12,
        rms_norm_eps=1e-6, rope_theta=10000.0, sliding_window=5, torch_dtype="bfloat16", attention_bias=False),
        TALKS, gemma, "bf16", generation=dict(_from_model_config=True, bos_token_id=2, cache_implementation="hybrid",
                                              eos_token_id=[1, "@<end_of_turn>"], pad_token_id=0)),
    Directory("google/gemma-3-1b-it", "Gemma3ForCausalLM", SIZES | dict(
        architectures=["Gemma3ForCausalLM"], attention_bias=False, attn_logit_softcapping=None, bos_token_id=2,
        cache_implementation="hybrid", eos_token_id=[1, "@<end_of_turn>"], final_logit_softcapping=None, head_dim=12,
        hidden_activation="gelu_pytorch_tanh", model_type="gemma3_text", num_key_value_heads=1, num_hidden_layers=3,
        pad_token_id=0, query_pre_attn_scalar=12, rms_norm_eps=1e-6, rope_local_base_freq=10000, rope_scaling=None,
        rope_theta=1000000, sliding_window=5, sliding_window_pattern=2, torch_dtype="bfloat16"),
        TALKS, gemma, "bf16", generation=dict(cache_implementation="hybrid", do_sample=True, top_k=64, top_p=0.95,
                                              eos_token_id=[1, "@<end_of_turn>"])),
    Directory("microsoft/Phi-3-mini-4k-instruct", "Phi3ForCausalLM", SIZES | dict(
        _name_or_path="Phi-3-mini-4k-instruct", architectures=["Phi3ForCausalLM"], attention_dropout=0.0,
        auto_map={"AutoConfig": "configuration_phi3.Phi3Config", "AutoModelForCausalLM": "modeling_phi3.Phi3ForCausalLM"},
        bos_token_id=1, embd_pdrop=0.0, eos_token_id=2, hidden_act="silu", model_type="phi3", num_key_value_heads=4,
        original_max_position_embeddings=128, pad_token_id=0, resid_pdrop=0.0, rms_norm_eps=1e-5, rope_scaling=None,
        rope_theta=10000.0, sliding_window=7, tie_word_embeddings=False, torch_dtype="bfloat16"),
        TALKS, lambda folder: tokens.llama2(folder, template=PHI_CHAT), "bf16", shards="60KB",
        generation=dict(_from_model_config=True, bos_token_id=1, eos_token_id=[2, 5], pad_token_id=0)),
    Directory("microsoft/Phi-3-mini-128k-instruct", "Phi3ForCausalLM", SIZES | dict(
        architectures=["Phi3ForCausalLM"], bos_token_id=1, eos_token_id=2, hidden_act="silu", model_type="phi3",
        num_key_value_heads=4, max_position_embeddings=512, original_max_position_embeddings=64, pad_token_id=0,
        rms_norm_eps=1e-5, rope_scaling=dict(long_factor=[1.1, 1.3, 2.0, 3.0], short_factor=[1.0, 1.05, 1.1, 1.2],
                                             type="longrope"),
        rope_theta=10000.0, sliding_window=262144, tie_word_embeddings=False, torch_dtype="bfloat16"),
        TALKS, lambda folder: tokens.llama2(folder, template=PHI_CHAT), "bf16"),
    Directory("microsoft/Phi-4-mini-instruct", "Phi3ForCausalLM", SIZES | dict(
        architectures=["Phi3ForCausalLM"], attention_bias=False, bos_token_id=1, eos_token_id=2, full_attn_mod=1,
        hidden_act="silu", interpolate_factor=1, lm_head_bias=False, mlp_bias=False, model_type="phi3",
        max_position_embeddings=512, original_max_position_embeddings=64, pad_token_id=0, partial_rotary_factor=0.75,
        rms_norm_eps=1e-5, rope_scaling=dict(long_factor=[1.1, 1.3, 2.0], short_factor=[1.0, 1.05, 1.1], type="longrope"),
        rope_theta=10000.0, sliding_window=262144, tie_word_embeddings=True, torch_dtype="bfloat16"),
        WRITES, tokens.llama2, "bf16"),
    Directory("HuggingFaceTB/SmolLM2-135M-Instruct", "LlamaForCausalLM", SIZES | dict(
        architectures=["LlamaForCausalLM"], attention_bias=False, bos_token_id="@<|im_start|>", eos_token_id="@<|im_end|>",
        hidden_act="silu", is_llama_config=True, mlp_bias=False, model_type="llama", pad_token_id="@<|im_end|>",
        pretraining_tp=1, rms_norm_eps=1e-5, rope_interleaved=False, rope_scaling=None, rope_theta=100000,
        tie_word_embeddings=True, torch_dtype="bfloat16", **{"transformers.js_config": {"dtype": "q4"}}),
        TALKS, chatml("<|endoftext|>", "<|im_start|>", "<|im_end|>"), "bf16"),
    Directory("HuggingFaceTB/SmolLM3-3B", "SmolLM3ForCausalLM", SIZES | dict(
        architectures=["SmolLM3ForCausalLM"], attention_bias=False, attention_dropout=0.0, bos_token_id=None,
        eos_token_id="@<|im_end|>", hidden_act="silu", layer_types=["full_attention"] * 4, max_window_layers=28, mlp_bias=False,
        model_type="smollm3", no_rope_layer_interval=4, no_rope_layers=[1, 1, 1, 0], num_hidden_layers=4,
        pad_token_id="@<|im_end|>", pretraining_tp=2, rms_norm_eps=1e-6, rope_scaling=None, rope_theta=5000000.0,
        sliding_window=None, tie_word_embeddings=True, torch_dtype="bfloat16", use_sliding_window=False),
        TALKS, chatml("<|endoftext|>", "<|im_start|>", "<|im_end|>"), "bf16", shards="60KB"),
    Directory("allenai/OLMo-2-0425-1B", "Olmo2ForCausalLM", SIZES | dict(
        architectures=["Olmo2ForCausalLM"], attention_bias=False, attention_dropout=0.0, eos_token_id="@<|im_end|>",
        hidden_act="silu", model_type="olmo2", num_key_value_heads=4, pad_token_id="@<|endoftext|>", rms_norm_eps=1e-6,
        rope_scaling=None, rope_theta=500000, tie_word_embeddings=False, torch_dtype="float32"),
        WRITES, chatml("<|endoftext|>", "<|im_start|>", "<|im_end|>")),
    Directory("LGAI-EXAONE/EXAONE-4.0-1.2B", "Exaone4ForCausalLM", SIZES | dict(
        architectures=["Exaone4ForCausalLM"], attention_dropout=0.0, bos_token_id=1, eos_token_id="@[|endofturn|]", head_dim=8,
        hidden_act="silu", model_type="exaone4", pad_token_id=0, rms_norm_eps=1e-5,
        rope_scaling=dict(factor=16.0, high_freq_factor=4.0, low_freq_factor=1.0,
                          original_max_position_embeddings=64, rope_type="llama3"),
        rope_theta=1000000, sliding_window=None, sliding_window_pattern=None, tie_word_embeddings=True,
        layer_types=["full_attention"] * 2, torch_dtype="bfloat16"),
        TALKS, chatml("[|user|]", "[|assistant|]", "[|endofturn|]"), "bf16"),
    Directory("LGAI-EXAONE/EXAONE-4.0-32B", "Exaone4ForCausalLM", SIZES | dict(
        architectures=["Exaone4ForCausalLM"], bos_token_id=1, eos_token_id=2, head_dim=8, hidden_act="silu",
        model_type="exaone4", num_hidden_layers=4, rms_norm_eps=1e-5, rope_theta=1000000, sliding_window=6,
        layer_types=["sliding_attention"] * 3 + ["full_attention"], sliding_window_pattern="LLLG",
        tie_word_embeddings=False, torch_dtype="bfloat16"),
        WRITES, chatml("[|user|]", "[|assistant|]", "[|endofturn|]"), "bf16", shards="60KB"),
    Directory("bigcode/starcoder2-3b", "Starcoder2ForCausalLM", SIZES | dict(
        activation_function="gelu", architectures=["Starcoder2ForCausalLM"], attention_dropout=0.1, bos_token_id=0,
        embedding_dropout=0.1, eos_token_id=0, hidden_act="gelu_pytorch_tanh", initializer_range=0.018042,
        layer_norm_epsilon=1e-5, mlp_type="default", model_type="starcoder2", norm_epsilon=1e-5,
        norm_type="layer_norm", residual_dropout=0.1, rope_theta=999999.4420358813, sliding_window=5, use_bias=True),
        WRITES, neox),
    Directory("stabilityai/stablelm-3b-4e1t", "StableLmForCausalLM", SIZES | dict(
        architectures=["StableLmForCausalLM"], bos_token_id=0, eos_token_id=0, hidden_act="silu", initializer_range=0.02,
        layer_norm_eps=1e-5, model_type="stablelm", num_key_value_heads=4, partial_rotary_factor=0.25, rope_theta=10000,
        tie_word_embeddings=False, torch_dtype="bfloat16", use_qkv_bias=False),
        WRITES, neox, "bf16"),
    Directory("tiiuae/falcon-7b", "FalconForCausalLM", dict(
        alibi=False, apply_residual_connection_post_layernorm=False, architectures=["FalconForCausalLM"],
        attention_dropout=0.0, bias=False, bos_token_id=0, eos_token_id=0, hidden_dropout=0.0, hidden_size=32,
        initializer_range=0.02, layer_norm_epsilon=1e-5, model_type="falcon", multi_query=True,
        new_decoder_architecture=False, num_attention_heads=4, num_hidden_layers=2, parallel_attn=True,
        torch_dtype="bfloat16", vocab_size=None,
        auto_map={"AutoConfig": "configuration_falcon.FalconConfig", "AutoModelForCausalLM": "modeling_falcon.FalconForCausalLM"}),
        WRITES, neox, "bf16", shards="60KB",
        generation=dict(_from_model_config=True, bos_token_id=0, eos_token_id=0)),
]  # fmt: skip
