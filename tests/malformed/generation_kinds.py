"""Kinds 160 to 175: generation_config.json beside a model that is whole."""

import json

from case import Case
from config_kinds import TOKENIZER

FILE = "generation_config.json"
GENERATE = ("generate", "@", "-p", "a", "-n", "1")
TRANSLATE = ("translate", "@", "a")
SHARE = "a number from 0 to 1"


def text(kind, what, content, words, golden="gpt2-a"):
    command = TRANSLATE if golden.startswith("marian") else GENERATE
    return Case(kind, what, {FILE: content, "tokenizer.json": TOKENIZER}, command, golden=golden,
                file=FILE, words=words)


def key(kind, name, value, words, golden="gpt2-a"):
    what = f"{golden} {name} " + value[:20].replace("-", "minus ")
    return text(kind, what, f'{{"bos_token_id": 1, "{name}": {value}}}', words, golden)


def wrong_types():
    return [
        key("161", "max_new_tokens", '"5"', 'found "5", wanted an integer from 1'),
        key("161", "max_length", "5.5", "wanted an integer from 1"),
        key("161", "do_sample", '"yes"', "wanted true or false"),
        key("161", "do_sample", "1", "wanted true or false"),
        key("161", "top_p", '"0.9"', SHARE),
        key("161", "top_k", "[50]", "wanted an integer from 0"),
        key("161", "temperature", "{}", "wanted a number from 0"),
        key("161", "eos_token_id", '"</s>"', "wanted an id or a list"),
        key("161", "eos_token_id", "[1, null]", "wanted an id from 0"),
        key("161", "forced_eos_token_id", "true", "wanted an id or a list"),
        key("161", "suppress_tokens", "5", "wanted a list of ids"),
        key("161", "bad_words_ids", "[5]", "wanted a list of ids"),
        key("161", "bad_words_ids", '{"a": 1}', "wanted a list of lists of ids"),
        key("161", "sequence_bias", '{"(1, 2)": 3.5}', "wanted a list of [[ids], number]"),
        key("161", "sequence_bias", "[[[1], null]]", "wanted [[ids], number]"),
        key("161", "sequence_bias", "[[1, 2.5]]", "wanted a list of ids"),
        key("161", "exponential_decay_length_penalty", "[1, 2, 3]", "wanted [new tokens"),
        key("161", "early_stopping", '"soon"', 'wanted true, false or "never"'),
        key("161", "stop_strings", "[1]", "wanted a string"),
        key("161", "decoder_start_token_id", "[3, 4]", "wanted an id from 0", "marian-a"),
    ]


def out_of_range():
    return [
        key("162", "max_new_tokens", "0", "wanted an integer from 1"),
        key("162", "max_new_tokens", "-3", "wanted an integer from 1"),
        key("162", "min_length", "-1", "wanted an integer from 0"),
        key("162", "num_beams", "0", "wanted an integer from 1 to 1024"),
        key("162", "num_beams", "1025", "wanted an integer from 1 to 1024"),
        key("162", "num_beams", "9223372036854775808", "wanted an integer from 1 to 1024"),
        key("162", "top_k", "-1", "wanted an integer from 0"),
        key("162", "top_p", "1.5", SHARE),
        key("162", "min_p", "-0.1", SHARE),
        key("162", "typical_p", "0", "a number above 0 to 1"),
        key("162", "epsilon_cutoff", "-1e-3", SHARE),
        key("162", "temperature", "-1", "wanted a number from 0"),
        key("162", "repetition_penalty", "0", "wanted a number above 0"),
        key("162", "repetition_penalty", "-2.5", "wanted a number above 0"),
        key("162", "no_repeat_ngram_size", "-2", "wanted an integer from 0"),
        key("163", "eos_token_id", "-1", "an id from 0"),
        key("163", "eos_token_id", "97", "an id from 0 to 96"),
        key("163", "eos_token_id", "[]", "at least one id, or null"),
        key("163", "bad_words_ids", "[[97]]", "an id from 0 to 96"),
        key("163", "bad_words_ids", "[[]]", "a list of at least one id"),
        key("163", "suppress_tokens", "[0, 9999999999]", "an id from 0 to 96"),
        key("163", "sequence_bias", "[[[97], 1.0]]", "an id from 0 to 96"),
        key("163", "forced_bos_token_id", "-5", "an id from 0"),
        key("163", "bad_words_ids", "[[-1]]", "an id from 0", "marian-a"),
        key("164", "temperature", "NaN", "wanted a JSON value"),
        key("164", "top_p", "Infinity", "wanted a JSON value"),
        key("164", "length_penalty", "-Infinity", "wanted a JSON value"),
        key("164", "length_penalty", "1e999", "number"),
        key("164", "sequence_bias", "[[[1], NaN]]", "wanted a JSON value"),
    ]


def huge():
    many = json.dumps([[1]] * 1_100_000)
    return [
        key("165", "bad_words_ids", many, "wanted at most 1048576 of them"),
        key("165", "bad_words_ids", "[" * 100 + "]" * 100, "deeper than 64"),
        key("165", "suppress_tokens", "[[[[1]]]]", "an id from 0"),
        key("165", "sequence_bias", "[[[[1]], 2.0]]", "an id from 0"),
    ]


def cases():
    texts = [
        text("160", "empty", "", "wanted a JSON value"),
        text("160", "array", "[]", "wanted an object"),
        text("160", "string", '"greedy"', "wanted an object"),
        text("160", "cut off", '{"top_k": 5', "wanted"),
        text("160", "key twice", '{"top_k": 5, "top_k": 6}', "a second time"),
        text("160", "not UTF-8", b'{"top_k": "\xff"}', "UTF-8"),
    ]
    refused = [key("166", name, value, "is not done here")
               for name, value in (("num_beam_groups", "2"), ("constraints", "[]"),
                                   ("guidance_scale", "2.5"), ("watermarking_config", "{}"),
                                   ("penalty_alpha", "0.6"), ("dola_layers", '"low"'))]
    out = texts + wrong_types() + out_of_range() + huge() + refused
    for case in out:
        case.big = len(str(case.files[FILE])) > 10_000
    huge_case = next(case for case in out if case.big)
    huge_case.megabytes = 600
    return out
