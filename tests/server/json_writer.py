#!/usr/bin/env python3
"""A trained model held to JSON: json_writer.py SOURCE JOGAK.

A small GPT learns for a few seconds to turn "Mina, 31, tea and rice" into an object, and is asked through the server with and without
response_format, drawing at temperature 1 and 1.5, with room for any answer and with too little for most. Whatever it would have
written, an answer that is held to a form parses and keeps its schema. Prints a line for each claim that holds."""

import json
import pathlib
import random
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "web"))
import serving  # noqa: E402: found beside the page's tests

RECIPE = """
schema = 1
[model]
family = "llama"
preset = "tiny"
max_position_embeddings = 128
[tokenizer]
type = "char"
[data]
train = "lines.txt"
valid_share = 0.02
[train]
steps = 250
batch = 16
lr = 3e-3
warmup = 20
"""
NAMES = ("Mina", "Jun", "Ara", "Theo", "Suho", "Iris", "Noa", "Bora")
THINGS = ("tea", "rice", "maps", "chess", "rain", "books")
SCHEMA = {
    "type": "object", "required": ["name", "age", "likes", "member"], "additionalProperties": False,
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}, "member": {"type": "boolean"},
                   "likes": {"type": "array", "minItems": 1, "maxItems": 3, "items": {"enum": list(THINGS)}}},
}
SHORTEST = len('{"name":"","age":0,"likes":["tea"],"member":true}')


def person(rng):
    likes = rng.sample(THINGS, rng.randint(1, 3))
    who = {"name": rng.choice(NAMES), "age": rng.randint(1, 99), "likes": likes, "member": rng.random() < 0.5}
    return f"{who['name']}, {who['age']}, {' and '.join(likes)}", who


def keeps(text):
    """Whether a text is JSON and keeps to SCHEMA, by the words of the schema."""
    try:
        value = json.loads(text)
    except ValueError:
        return False
    likes = value.get("likes")
    return (set(value) == set(SCHEMA["required"]) and isinstance(value["name"], str) and type(value["age"]) is int
            and isinstance(value["member"], bool) and isinstance(likes, list) and 1 <= len(likes) <= 3 and set(likes) <= set(THINGS))


def is_object(text):
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def say(claim, holds):
    print(("ok    " if holds else "WRONG ") + claim, flush=True)
    if not holds:
        sys.exit(1)


class Writer:
    def __init__(self, server):
        self.server = server

    def ask(self, asked, seed, most, form, temperature):
        body = {"messages": [{"role": "user", "content": asked}], "seed": seed, "max_tokens": most, "temperature": temperature}
        choice = self.server.post("/v1/chat/completions", body | ({"response_format": form} if form else {}))["choices"][0]
        return choice["message"]["content"], choice["finish_reason"]

    def many(self, count, most, form=None, temperature=1):
        rng = random.Random(count)
        asked = [person(rng)[0] for _ in range(count)]
        with ThreadPoolExecutor(16) as pool:
            return list(pool.map(lambda i: self.ask(asked[i], i, most(i) if callable(most) else most, form, temperature), range(count)))


def check(server):
    writer = Writer(server)
    schema = {"type": "json_schema", "json_schema": {"name": "person", "schema": SCHEMA}}
    free = writer.many(100, 90)
    print(f"      left alone, {sum(keeps(text.split(chr(10))[0]) for text, _ in free)} of 100 keep the schema; the first: {free[0][0]!r:.100}")
    for temperature in (1, 1.5):
        whole = writer.many(100, 90, schema, temperature)
        say(f"by the schema at temperature {temperature}: 100 of 100 keep it; the first: {whole[0][0]}", all(keeps(text) for text, _ in whole))
        say("each has ended by itself", all(reason == "stop" for _, reason in whole))
        short = writer.many(60, lambda i: SHORTEST + i % 12, schema, temperature)
        say(f"with {SHORTEST} to {SHORTEST + 11} tokens: 60 of 60 keep it", all(keeps(text) for text, _ in short))
        objects = writer.many(100, 90, {"type": "json_object"}, temperature)
        say(f"any object: 100 of 100 parse; the first: {objects[0][0]:.100}", all(is_object(text) for text, _ in objects))
        tiny = writer.many(60, lambda i: 2 + i % 20, {"type": "json_object"}, temperature)
        say("with 2 to 21 tokens: 60 of 60 parse", all(is_object(text) for text, _ in tiny))


def main():
    source, jogak = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder:
        place, rng = pathlib.Path(folder), random.Random(1)
        lines = (person(rng) for _ in range(3000))
        (place / "lines.txt").write_text("".join(f"{asked} = {json.dumps(who)}\n" for asked, who in lines))
        (place / "recipe.toml").write_text(RECIPE)
        serving.run([jogak, "train", "recipe.toml", "--out", "model"], cwd=place)
        (place / "model" / "chat_template.jinja").write_text("{{ messages[-1].content }} = ")
        server = serving.Server(jogak, place / "model", "--preload")
        try:
            check(server)
        finally:
            server.stop()


if __name__ == "__main__":
    main()
