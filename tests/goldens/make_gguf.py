"""Writes goldens of GGUF files: tiny models as llama.cpp's own converter writes them.

    PYTHONPATH=DIR/gguf-py python make_gguf.py --llama-cpp DIR [--out DIR] [NAME ...]    # DIR: a checkout of llama.cpp

gguf/NAME.gguf is the file, gguf/NAME.safetensors what transformers saved of the same model (every weight
a bf16 value, so that f32, f16 and bf16 hold it exactly), gguf/NAME.json its configuration, and ids of texts by
the tokenizer it came with. gguf/types.gguf has a tensor of each type, gguf/types.safetensors its values as
PyPI gguf reads them. The converter knows tokenizers by a hash of what they make of a text; ours are tiny, so
it is told what they are.
"""

import argparse
import json
import pathlib
import sys
import tempfile

import gguf
import numpy
import sentencepiece
import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedTokenizerFast

from tiny import randomise

HERE = pathlib.Path(__file__).parent
TEXTS = ["Hello world", " two  spaces", "조각 조각", "12345 6", "it's don't", "a\nb\n\nc", "ﬁné é", ""]
CORPUS = ["the cat sat on the mat, the dog sat on the cat", "hello world it's 12345 조각 조각 조각", "Ünïcode ﬁné é\n"] * 40
THREE = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
BASE = dict(num_hidden_layers=1, hidden_size=32, intermediate_size=64, num_attention_heads=4, num_key_value_heads=2,
            max_position_embeddings=64)
LLAMA3 = dict(rope_type="llama3", rope_theta=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
              original_max_position_embeddings=8192)
LONG = dict(rope_type="longrope", rope_theta=10000.0, short_factor=[1.0, 1.5, 2.0, 2.5], long_factor=[3.0, 4.0, 5.0, 6.0])
MODELS = {  # family, type of the file, tokenizer, configuration
    "llama": ("llama", "f32", "spm", BASE),
    "llama3": ("llama", "f16", "llama-bpe", BASE | dict(num_attention_heads=2, num_key_value_heads=1, rope_parameters=LLAMA3,
                                                        tie_word_embeddings=True)),
    "qwen2": ("qwen2", "bf16", "qwen2", BASE),
    "qwen3": ("qwen3", "f32", "qwen2", BASE | dict(head_dim=16)),
    "gemma": ("gemma", "f32", "spm", BASE | dict(head_dim=8)),
    "gemma2": ("gemma2", "f16", "spm", BASE | dict(head_dim=16, sliding_window=8, query_pre_attn_scalar=16)),
    "gemma3": ("gemma3_text", "q8_0", "spm", BASE | dict(head_dim=16, sliding_window=8, query_pre_attn_scalar=16)),
    "olmo2": ("olmo2", "f32", "dbrx", BASE),
    "phi3": ("phi3", "f32", "spm", BASE | dict(original_max_position_embeddings=16, rope_parameters=LONG)),
    "gpt2": ("gpt2", "f32", "gpt-2", dict(n_layer=1, n_embd=32, n_head=4, n_positions=64, n_ctx=64)),
}


def write_spm(folder, prefix):
    text = folder / "corpus.txt"
    text.write_text("\n".join(CORPUS))
    sentencepiece.SentencePieceTrainer.train(
        input=str(text), model_prefix=str(folder / "tokenizer"), vocab_size=340, model_type="bpe", byte_fallback=True,
        normalization_rule_name="identity", remove_extra_whitespaces=False, add_dummy_prefix=prefix, pad_id=3, hard_vocab_limit=False,
        minloglevel=2)
    for name in ("corpus.txt", "tokenizer.vocab"):
        (folder / name).unlink()
    model = sentencepiece.SentencePieceProcessor(str(folder / "tokenizer.model"))
    (folder / "tokenizer_config.json").write_text(json.dumps(dict(
        tokenizer_class="LlamaTokenizer", bos_token="<s>", eos_token="</s>", unk_token="<unk>", pad_token="<pad>",
        add_bos_token=True, add_eos_token=False, chat_template="{{ messages[0]['content'] }}")))
    return model.vocab_size(), lambda text: [1, *model.encode(text)]


def write_bpe(folder, kind):
    tokenizer = Tokenizer(models.BPE(ignore_merges=kind == "llama-bpe"))
    level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=kind == "gpt-2")
    pattern = THREE.replace("{1,3}", "") if kind == "qwen2" else THREE
    if kind == "qwen2":
        tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = level if kind == "gpt-2" else pre_tokenizers.Sequence(
        [pre_tokenizers.Split(__import__("tokenizers").Regex(pattern), "isolated"), level])
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(CORPUS, trainers.BpeTrainer(
        vocab_size=300, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), special_tokens=["<|endoftext|>"], show_progress=False))
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|endoftext|>", bos_token="<|endoftext|>").save_pretrained(folder)
    return tokenizer.get_vocab_size(), lambda text: tokenizer.encode(text).ids


def make(name, out, converter):
    family, dtype, kind, config = MODELS[name]
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        vocab, encode = write_spm(folder, not family.startswith("gemma")) if kind == "spm" else write_bpe(folder, kind)
        config = AutoConfig.for_model(family, vocab_size=vocab, bos_token_id=1, eos_token_id=2, pad_token_id=None, **config)
        torch.manual_seed(0)
        model = randomise(AutoModelForCausalLM.from_config(config), 7)
        with torch.no_grad():
            for p in model.parameters():
                p.copy_(p.bfloat16().float())
        model.save_pretrained(folder)
        tensors = {k: v.bfloat16().contiguous() for k, v in model.state_dict().items()
                   if not (config.tie_word_embeddings and k == "lm_head.weight")}
        save_file(tensors, out / f"{name}.safetensors")
        told = dict(config=json.loads((folder / "config.json").read_text()), texts=[[t, encode(t)] for t in TEXTS])
        (out / f"{name}.json").write_text(json.dumps(told, ensure_ascii=False, indent=1) + "\n")
        converter(folder, out / f"{name}.gguf", dtype, kind)


def converter_of(checkout):
    sys.path.insert(0, str(checkout))
    import conversion
    import convert_hf_to_gguf

    def convert(folder, to, dtype, kind):
        from conversion.base import TextModel
        TextModel.get_vocab_base_pre = lambda self, tokenizer: kind
        sys.argv = ["convert", str(folder), "--outfile", str(to), "--outtype", dtype]
        convert_hf_to_gguf.main()

    return convert


def make_types(out):
    random = numpy.random.default_rng(5)
    writer, values = gguf.GGUFWriter(out / "types.gguf", "none"), {}
    halves = {"Q4_0": [0], "Q8_0": [0], "Q4_K": [0, 2], "Q6_K": [208]}  # where scales stand in a block
    for name in ("F32", "F16", "BF16", "Q4_0", "Q8_0", "Q4_K", "Q6_K"):
        kind = gguf.GGMLQuantizationType[name]
        size, bytes_ = gguf.GGML_QUANT_SIZES[kind]
        if name in halves:
            data = random.integers(0, 256, (3, 512 // size, bytes_), dtype=numpy.uint8)
            for at in halves[name]:
                scales = (random.standard_normal(data.shape[:2]) * 0.01).astype(numpy.float16)
                data[:, :, at : at + 2] = scales[..., None].view(numpy.uint8)
            data = data.reshape(3, -1)
        else:
            data = gguf.quantize(random.standard_normal((3, 512)).astype(numpy.float32), kind)
        writer.add_tensor(name, data, raw_dtype=kind)
        values[name] = torch.from_numpy(numpy.ascontiguousarray(gguf.dequantize(data, kind).astype(numpy.float32)))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    save_file(values, out / "types.safetensors")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--llama-cpp", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, default=HERE / "gguf")
    parser.add_argument("names", nargs="*", default=[])
    args = parser.parse_args()
    args.out.mkdir(exist_ok=True)
    make_types(args.out)
    converter = converter_of(args.llama_cpp)
    for name in args.names or MODELS:
        make(name, args.out, converter)


if __name__ == "__main__":
    main()
