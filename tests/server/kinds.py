#!/usr/bin/env python3
"""Requests that are wrong, kind by kind, each with the status it gets: kinds.py SOURCE JOGAK [--models FOLDER].

Kinds 219 to 247 are HTTP, framing and JSON, 248 to 265 what programs ask under /v1. Each goes over a connection of its own; a refusal
is one line of JSON with a message and a code, and where a field is to blame its name. Afterwards the server still answers, and SIGTERM
ends it with 0. Prints a line for each; ends with 1 where one differs."""

import argparse
import concurrent.futures
import json
import pathlib
import socket
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "web"))
import serving  # noqa: E402: found beside the page's tests

KEY = "k" * 32
HEAD = b"POST /api/inputs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
CHUNKS = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"


def get(more=b"", path=b"/health"):
    return b"GET " + path + b" HTTP/1.1\r\nHost: localhost\r\n" + more + b"\r\n"


def post(body, path="/api/inputs"):
    return HEAD.replace(b"/api/inputs", path.encode()) + b"Content-Length: %d\r\n\r\n" % len(body) + body


# Kind, what it is, its status, its bytes.
PLAIN = [
    (220, "a first line of 64 KB", 414, get(path=b"/" + b"a" * 65536)),
    (221, "101 headers", 431, get(b"".join(b"A%d: 1\r\n" % i for i in range(101)))),
    (221, "40 KB of headers", 431, get(b"A: " + b"a" * 40000 + b"\r\n")),
    (222, "NUL in a header", 400, get(b"A: \x00\r\n")),
    (222, "a control character in a header", 400, get(b"A: \x07\r\n")),
    (223, "%0d%0a in a header is four letters and two digits", 200, get(b"A: %0d%0aB: 1\r\n")),
    (223, "%0d%0a in a path", 404, get(path=b"/health%0d%0aB:1")),
    (224, "a header that goes on in the next line", 400, get(b"A: 1\r\n b: 2\r\n")),
    (225, "a blank before the colon", 400, get(b"A : 1\r\n")),
    (226, "lines that end with LF", 400, b"GET /health HTTP/1.1\nHost: localhost\n\n"),
    (227, "two lengths", 400, HEAD + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab"),
    (228, "a length and chunks", 400, HEAD + b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    (229, "Transfer-Encoding: xchunked", 400, HEAD + b"Transfer-Encoding: xchunked\r\n\r\n"),
    (229, "Transfer-Encoding: gzip, chunked", 400, HEAD + b"Transfer-Encoding: gzip, chunked\r\n\r\n"),
    (230, "a chunk of -2", 400, CHUNKS + b"-2\r\nab\r\n"),
    (230, "a chunk of 0x5", 400, CHUNKS + b"0x5\r\nabcde\r\n"),
    (230, "a chunk of +5", 400, CHUNKS + b"+5\r\nabcde\r\n"),
    (230, "a chunk of 17 digits", 400, CHUNKS + b"11111111111111111\r\n"),
    (231, "an endless chunk extension", 400, CHUNKS + b"1;" + b"x" * 200000),
    (233, "a length of 1e3", 400, HEAD + b"Content-Length: 1e3\r\n\r\n"),
    (233, "a length of -1", 400, HEAD + b"Content-Length: -1\r\n\r\n"),
    (233, "a length of 2^64", 413, HEAD + b"Content-Length: 18446744073709551616\r\n\r\n"),
    (234, "a body over the limit, before it is read", 413, HEAD + b"Content-Length: 99999999\r\n\r\n"),
    (235, "a gzipped body", 415, HEAD + b"Content-Encoding: gzip\r\nContent-Length: 1\r\n\r\na"),
    (236, "HTTP/0.9", 400, b"GET /\r\n\r\n"),
    (236, "the preface of HTTP/2", 505, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    (236, "HTTP/1.2", 505, b"GET /health HTTP/1.2\r\nHost: localhost\r\n\r\n"),
    (236, "no HTTP at all", 400, b"nonsense\r\n\r\n"),
    (237, "CONNECT", 405, b"CONNECT localhost:1 HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    (237, "TRACE", 405, b"TRACE /health HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    (238, "a path with a host", 404, get(path=b"http://localhost/health")),
    (238, "//", 404, get(path=b"//health")),
    (238, "/../", 404, get(path=b"/../health")),
    (238, "%2e%2e", 404, get(path=b"/%2e%2e/health")),
    (238, "%00", 404, get(path=b"/health%00")),
    (239, "no Host", 400, b"GET /health HTTP/1.1\r\n\r\n"),
    (239, "two Hosts", 400, get(b"Host: localhost\r\n")),
    (239, "another's Host", 403, b"GET /health HTTP/1.1\r\nHost: rebound.example\r\n\r\n"),
    (239, "a page of another site", 403, get(b"Origin: http://other.example\r\n")),
    (239, "a request across sites", 403, get(b"Sec-Fetch-Site: cross-site\r\n")),
    (240, "an expectation that is not 100-continue", 417, HEAD + b"Expect: a-gift\r\nContent-Length: 1\r\n\r\na"),
    (241, "garbage behind a request: the request is answered", 200, get() + b"garbage\r\n\r\n"),
    (242, "a body of text/plain", 415, HEAD.replace(b"application/json", b"text/plain") + b"Content-Length: 1\r\n\r\na"),
    (243, "a key of 1 MB", 401, get(b"Authorization: Bearer " + b"a" * 1000000 + b"\r\n")),
    (244, "JSON that is none", 400, post(b'{"csv": x}')),
    (244, "an empty body", 400, post(b"")),
    (245, "65 levels of JSON", 400, post(b"[" * 65 + b"]" * 65)),
    (245, "a million levels of JSON", 400, post(b"[" * 1000000)),
    (246, "JSON that is not UTF-8", 400, post(b'{"csv": "\xff"}')),
    (247, "a key twice", 400, post(b'{"csv": "a", "csv": "b"}')),
]
# These wait for a deadline.
SLOW = [(219, "no first line within ten seconds", 408, b"GET /hea"), (219, "nothing at all", 408, b""),
        (232, "no last chunk", 408, CHUNKS + b"3\r\nabc\r\n")]

BAD_FIELDS = [
    (250, "content", "messages", [{"role": "user", "content": value}]) for value in (None, 7)] + [
    (251, "max_tokens", "max_tokens", value) for value in (-1, 2**63, 1.5, "5")] + [
    (252, "temperature", "temperature", value) for value in (-1, "hot")] + [
    (253, "top_p", "top_p", value) for value in (0, 2)] + [
    (254, "n", "n", value) for value in (0, 65)] + [
    (255, "stop", "stop", value) for value in (["a"] * 10000, "", "a" * 2**20)] + [
    (256, "logit_bias", "logit_bias", value) for value in ({"99999999": 1}, {"-1": 1}, {"1": 1000})] + [
    (257, "seed", "seed", 2**64)]
IMAGES = [(260, "http://127.0.0.1:1/x"), (260, "file:///etc/passwd"), (260, "ftp://a/b"), (260, "http:\\\\@a"),
          (261, "data:image/png;base64,!!!!"), (261, "data:image/png;base64," + "A" * 100000)]


def shortened(value):
    text = json.dumps(value)
    return text if len(text) < 44 else f"{text[:36]}.. ({len(text)} characters)"


def openai_kinds():
    """Kind, what it is, its status, its bytes, the field that is named."""
    def asked(kind, what, status, path, body, field=None):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        return kind, what, status, post(data, path), field
    text, chat = {"model": "gpt2", "prompt": "b a"}, {"model": "chat", "messages": [{"role": "user", "content": "b a"}]}
    for path, body in (("/v1/completions", text), ("/v1/chat/completions", chat), ("/v1/embeddings", {"input": "a"})):
        yield asked(248, f"a model that is not there, {path}", 404, path, body | {"model": "none"})
    for messages in ([], 5, [1], [{"role": "user"}], [{"content": "a"}], [{"role": {}, "content": "a"}]):
        yield asked(249, f"messages {shortened(messages)}", 400, "/v1/chat/completions", chat | {"messages": messages}, "messages")
    many = b'{"model":"chat","messages":[' + b"1," * 999999 + b"1]}"
    yield asked(249, "a million messages", 400, "/v1/chat/completions", many, "messages")
    for kind, key, field, value in BAD_FIELDS:
        path, body = ("/v1/chat/completions", chat) if field == "messages" else ("/v1/completions", text)
        yield asked(kind, f"{key} {shortened(value)}", 400, path, body | {field: value}, field)
    yield asked(251, "max_tokens 0 writes nothing", 200, "/v1/completions", text | {"max_tokens": 0})
    for kind, field, number in ((252, "temperature", b"NaN"), (252, "temperature", b"1e400"), (256, "logit_bias", b'{"1": NaN}')):
        yield asked(kind, f"{field} {number.decode()}", 400, "/v1/completions", b'{"model":"gpt2","prompt":"b a","%s":%s}' % (field.encode(), number))
    yield asked(258, "a prompt over the context", 400, "/v1/completions", text | {"prompt": [3] * 5000}, "prompt")
    for kind, address in IMAGES:
        messages = [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": address}}]}]
        yield asked(kind, f"image_url {shortened(address)}", 400, "/v1/chat/completions", chat | {"messages": messages}, "messages")
    for given in ("", [], [""]):
        yield asked(262, f"input {shortened(given)}", 400, "/v1/embeddings", {"model": "bert", "input": given}, "input")
    yield asked(264, "a field that nobody knows is told under warnings", 200, "/v1/completions", text | {"colour": 1, "max_tokens": 1})
    yield asked(264, "stream \"true\"", 400, "/v1/completions", text | {"stream": "true"}, "stream")


class Check:
    def __init__(self, server):
        host, port = server.address.removeprefix("http://").split(":")
        self.server, self.place, self.failures = server, (host, int(port)), 0

    def say(self, kind, what, holds, found):
        self.failures += not holds
        print(f"{'ok    ' if holds else 'WRONG '}{kind}  {found}  {what}", flush=True)

    def send(self, data, seconds=60):
        with socket.create_connection(self.place, timeout=seconds) as wire:
            reply = b""
            try:
                wire.sendall(data)
            except (BrokenPipeError, ConnectionResetError):
                pass  # refused before its end
            try:
                while piece := wire.recv(65536):
                    reply += piece
                    top, _, body = reply.partition(b"\r\n\r\n")
                    length = [line.split(b":")[1] for line in top.split(b"\r\n") if line.startswith(b"Content-Length:")]
                    if length and len(body) >= int(length[0]):
                        break
            except ConnectionResetError:
                pass
        return reply

    def one(self, kind, what, status, data, field=None):
        reply = self.send(data)
        found = reply[9:12].decode() or "none"
        holds, body = found == str(status), reply.partition(b"\r\n\r\n")[2]
        if holds and status != 200:
            try:
                error = json.loads(body)["error"]
                holds = body.count(b"\n") == 1 and bool(error["message"] and error["code"]) and len(body) < 4000
                holds = holds and (field is None or error["param"] == field)
            except (ValueError, KeyError):
                holds = False
        self.say(kind, what if holds else f"{what}: {reply[-300:]!r}", holds, found)
        return body

    def messages(self):
        """What some of them say."""
        said = json.loads(self.one(244, "the byte of what is wrong is named", 400, post(b'{"csv": x}')))["error"]["message"]
        self.say(244, said, "byte 8" in said, 400)
        body = json.dumps({"model": "gpt2", "prompt": [3] * 5000}).encode()
        error = json.loads(self.one(258, "a prompt over the context, by both numbers", 400, post(body, "/v1/completions")))["error"]
        self.say(258, error["message"], error["code"] == "context_length_exceeded" and "5000" in error["message"], 400)
        tokens = lambda **more: self.server.post("/tokenize", {"model": "special", **more})["tokens"]
        of_user = tokens(messages=[{"role": "user", "content": "<|endoftext|>"}])
        self.say(259, "a special token's name in a message is text", tokens(prompt="<|endoftext|>") == [0] and of_user.count(0) == 1, 200)

    def readers(self):
        """263: asks for a long stream and never reads: its place is free again."""
        body = json.dumps({"model": "gpt2", "prompt": "b a", "max_tokens": 30, "n": 64, "stream": True}).encode()
        with socket.create_connection(self.place) as wire:
            wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
            wire.sendall(post(body, "/v1/completions"))
            free = False
            for _ in range(400):
                figures = serving.text(self.server.address + "/metrics")
                if 'jogak_requests_open{model="gpt2"} 0' in figures:
                    free = True
                    break
                time.sleep(0.1)
        self.say(263, "a stream that nobody reads ends", free, "   ")
        figures = serving.text(self.server.address + "/metrics")
        lines = [line for line in figures.splitlines() if not line.startswith(("# ", "jogak_"))]
        self.say(265, "every line of /metrics is a figure of ours, whatever names were asked for", not lines, 200)


def keys(jogak, models, folder):
    """243, on a server that has keys; the failures."""
    file = pathlib.Path(folder) / "keys"
    file.write_text(KEY + "\n")
    server = serving.Server(jogak, models / "gpt2", "--api-key-file", file)
    check = Check(server)
    for what, status, key in (("no key", 401, None), ("a wrong key", 401, "x" * 32), ("a part of the key", 401, KEY[:-1]),
                              ("a key of 1 MB", 401, "a" * 1000000), ("the key", 200, KEY)):
        line = b"" if key is None else b"Authorization: Bearer " + key.encode() + b"\r\n"
        check.one(243, what, status, get(line, b"/v1/models"))
    check.one(243, "/health needs none", 200, get())
    code = server.stop()
    check.say(243, "SIGTERM ends it with 0", code == 0, code)
    return check.failures


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source"), parser.add_argument("jogak"), parser.add_argument("--models")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        models = serving.make_models(args.jogak, args.source, args.models or folder)
        special = pathlib.Path(folder) / "special"
        serving.run([args.jogak, "new", special, "--family", "gpt2", "--preset", "tiny",
                     "--tokenizer", f"{args.source}/tests/goldens/tokenizers/small_bpe.json"])
        (special / "chat_template.jinja").write_text("<|endoftext|>{% for m in messages %}{{ m.content }}{% endfor %}")
        server = serving.Server(args.jogak, *(models / name for name in ("gpt2", "bert")), serving.chat_model(models), special)
        check = Check(server)
        with concurrent.futures.ThreadPoolExecutor() as pool:
            waiting = [pool.submit(check.one, *kind) for kind in SLOW]
            for kind in [*PLAIN, *openai_kinds()]:
                check.one(*kind)
            check.messages()
            check.readers()
            concurrent.futures.wait(waiting)
        check.say("all", "the server still answers", json.loads(serving.text(server.address + "/v1/models"))["data"], 200)
        code = server.stop()
        check.say("all", "SIGTERM ends it with 0", code == 0, code)
        failures = check.failures + keys(args.jogak, models, folder)
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
