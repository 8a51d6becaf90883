"""Kinds 106 to 119: tokenizer.json."""

import json

from case import Case

FILE = "tokenizer.json"
ENCODE = ("tokenizer", "encode", "@/tokenizer.json")
ABC = '"a":0,"b":1,"ab":2'


def bpe(vocab=ABC, merges='"a b"', parts=""):
    return ('{"version":"1.0",' + parts + '"model":{"type":"BPE","vocab":{' + vocab
            + '},"merges":[' + merges + "]}}")


def unigram(rest):
    return '{"model":{"type":"Unigram",' + rest + "}}"


def added(tokens):
    return '"added_tokens":[' + tokens + "],"


def case(kind, what, content, words):
    return Case(kind, what, {FILE: content}, ENCODE, file=FILE, words=words)


def row_missing():
    """Kind 111: a token whose id the model has no row for, when a text has it."""
    vocab = {"type": "WordLevel", "unk_token": "u", "vocab": {"u": 0, "a": 97}}
    return Case("111", "id that the model has no row for",
                {FILE: json.dumps({"model": vocab})}, ("generate", "@", "-p", "a", "-n", "1"),
                golden="gpt2-a", file="", place='token "a" has the id 97',
                words="the tokenizer has 98 tokens, but the model knows 97")


def cases():
    part = "has {} part{}, wanted 2"
    return [
        case("106", "a web page", "<html></html>", "found '<', wanted a JSON value"),
        case("106", "empty", "", "wanted a JSON value"),
        case("106", "truncated", bpe()[:60], "found the end of the text"),
        case("107", "unknown model type", '{"model":{"type":"Magic"}}',
             'model of type "Magic" is not supported'),
        case("108", "id twice", bpe('"a":0,"b":0', ""), "id 0 is given twice"),
        case("109", "gap of over a million", bpe('"a":0,"b":1000002', ""),
             "wanted an id from 0 to 1000001"),
        case("110", "negative id", bpe('"a":0,"b":-1', ""), "found -1, wanted an id from 0"),
        row_missing(),
        case("112", "merge of a missing token", bpe('"a":0,"b":1'), 'needs the token "ab"'),
        case("113", "merge of one part", bpe('"a":0', '"a"'), part.format(1, "")),
        case("113", "merge of three parts", bpe('"a":0', '"a a a"'), part.format(3, "s")),
        case("113", "merge of one part as a list", bpe('"a":0', '["a"]'), part.format(1, "")),
        case("114", "merge repeated", bpe(ABC, '"a b","a b"'), "there a second time"),
        case("115", "a byte without a token", bpe(parts='"pre_tokenizer":{"type":"ByteLevel"},'),
             "for the byte value 0"),
        case("116", "added token with a known id", bpe(parts=added('{"id":0,"content":"<s>"}')),
             'has the id 0 of the token "a"'),
        case("116", "two added tokens of one id",
             bpe(parts=added('{"id":3,"content":"x"},{"id":3,"content":"y"}')),
             "have the same id 3"),
        case("117", "empty added token", bpe(parts=added('{"id":3,"content":""}')),
             "an added token is empty"),
        case("118", "unk_id past the end", unigram('"unk_id":1,"vocab":[["a",0]]'),
             "wanted the id of one of the 1"),
        case("118", "unk_id negative", unigram('"unk_id":-1,"vocab":[["a",0]]'),
             "wanted the id of one of the 1"),
        case("119", "score NaN", unigram('"vocab":[["a",NaN]]'), "wanted a JSON value"),
        case("119", "score 1e400", unigram('"vocab":[["a",1e400]]'), "1e400"),
    ]
