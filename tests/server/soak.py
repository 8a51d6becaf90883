#!/usr/bin/env python3
"""Requests of every kind, mixed with hostile ones: soak.py SOURCE JOGAK [--requests 10000] [--hostile 2000] [--flat].

Each request gets the status it deserves, whoever else asks; a refusal is one line of JSON. With --flat the server's memory
is the same after the last request as after the first fifth of them, within one part in a hundred; before either look everything is
asked once more, in order and one after the other, so that the same models are open and the same passes kept. A sanitizer that has
something to say ends the server: its word is shown, and the test fails."""

import argparse
import http.client
import json
import os
import pathlib
import random
import socket
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "web"))
import serving  # noqa: E402: found beside the page's tests

JSON = {"Content-Type": "application/json"}

def well_behaved(server):
    """One function for each thing that can be asked, as (status, method, path, body)."""
    models = {m["id"]: m for m in server.get("/api/models")["models"]}
    csv = server.get("/api/models/patchtst")["example"]["csv"]
    image = server.get("/api/models/vit")["example"]["image"]
    kept = {"vit": server.post("/api/inputs", {"image": image})["id"], "patchtst": server.post("/api/inputs", {"csv": csv})["id"]}
    asks = [("GET", path, None) for path in ("/", "/page.js", "/page.css", "/icon.svg", "/health", "/api/state", "/api/models", "/api/runs",
                                             "/api/runs/gpt2", "/api/lessons", "/api/lessons?lang=ko", "/api/exercises?chapter=2&seed=3",
                                             "/api/positions?kind=sinusoidal&length=32&width=16", "/api/positions?kind=alibi&heads=4",
                                             f"/api/inputs/{kept['vit']}")]
    asks += [("POST", "/api/inputs", {"image": image}), ("POST", "/api/inputs", {"csv": csv}),
             ("POST", "/api/lessons/softmax", {"inputs": {"x": "1,2,3"}}), ("POST", "/api/lessons/attention", {"lang": "ko", "causal": True}),
             ("POST", "/api/exercises/mark", {"id": "1.1", "seed": 3, "answer": "32"}),
             ("POST", "/api/runs/gpt2/film", {"step": 6, "what": "attention", "input": {"text": "b a ="}})]
    for name, m in models.items():
        path, given = f"/api/models/{name}", [{"file": kept.get(name, "example")}, {"file": "example"}]
        if m["reads"] == "text":
            given = [{"text": "b a d" if m["task"] != "fill" else "b [MASK] d"}, {"text": "2031"}]
        asks.append(("GET", path, None))
        for value in given:
            asks += [("POST", f"{path}/{what}", {"input": value}) for what in ("attention", "steps", "norms", "stream")]
            asks += [("POST", f"{path}/inspect", {"what": what, "input": value}) for what in ("shapes", "trace", "attention", "heads")]
            asks += [("POST", f"{path}/ablate", {"input": value, "off": "ffn:0"}), ("POST", f"{path}/ablate", {"input": value, "off": "scale", "form": "svg"})]
        if m["task"] == "generate":
            asks += [("POST", f"{path}/generate", {"prompt": "b a = ", "predict": 8}), ("POST", f"{path}/next", {"prompt": "b a = "})]
        if m["task"] == "translate":
            asks.append(("POST", f"{path}/translate", {"text": "2031" if name == "quickstart" else "b a d", "beams": 2, "alignment": True}))
        if m["task"] == "fill":
            asks.append(("POST", f"{path}/fill", {"text": "b [MASK] d"}))
        if m["task"] == "classify":
            asks.append(("POST", f"{path}/classify", {"input": given[0]}))
        if m["task"] == "forecast":
            asks.append(("POST", f"{path}/forecast", {"input": {"file": "example"}, "horizon": 4}))
        if m["reads"] == "text":
            asks += [("POST", f"{path}/tokens", {"text": "b a"})]
    wrong = [(404, "GET", "/api/none", None), (404, "GET", "/api/models/none", None), (404, "GET", "/api/attention/none/thumbnails", None),
             (404, "GET", "/api/runs/..%2f..%2fetc", None), (404, "GET", "/%2e%2e/%2e%2e/etc/passwd", None), (404, "GET", "/api/inputs/none", None),
             (405, "POST", "/api/models", {}), (400, "POST", "/api/models/gpt2/attention", {"inptu": {}}),
             (400, "POST", "/api/models/gpt2/attention", []), (400, "POST", "/api/models/gpt2/inspect", {"what": "everything"}),
             (400, "POST", "/api/models/gpt2/ablate", {"input": {"text": "a"}, "off": "head:99.99"}),
             (400, "POST", "/api/models/gpt2/generate", {"prompt": "a", "predict": -1}),
             (400, "POST", "/api/models/gpt2/generate", {"prompt": "a", "temperature": -1}),
             (400, "POST", "/api/models/gpt2/next", {"prompt": "a", "top_p": 7}),
             (400, "POST", "/api/models/gpt2/next", {"prompt": 5}), (400, "POST", "/api/models/vit/attention", {"input": {"text": "a"}}),
             (404, "POST", "/api/models/vit/attention", {"input": {"file": "none"}}), (404, "POST", "/api/lessons/none", {}),
             (400, "POST", "/api/lessons/softmax", {"inputs": {"x": "@/etc/passwd"}}), (400, "POST", "/api/inputs", {"image": "!!"}),
             (400, "GET", "/api/positions?kind=sinusoidal&length=-1", None), (400, "GET", "/api/positions?kind=none", None)]
    return [(200, *ask) for ask in asks] + wrong

def hostile():
    """Bytes and the statuses they may get; None: the connection may just end."""
    head = b"POST /api/inputs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    get = lambda more=b"", path=b"/health": b"GET " + path + b" HTTP/1.1\r\nHost: localhost\r\n" + more + b"\r\n"
    chunks = head + b"Transfer-Encoding: chunked\r\n\r\n"
    post = lambda body: head + b"Content-Length: %d\r\n\r\n" % len(body) + body
    out = [(400, b"nonsense\r\n\r\n"), (414, get(path=b"/" + b"a" * 65536)), (431, get(b"".join(b"A%d: 1\r\n" % i for i in range(101)))),
           (401, get(b"Authorization: Bearer " + b"a" * 1000000 + b"\r\n")), (431, get(b"A: " + b"a" * 40000 + b"\r\n")), (400, get(b"A: \x00\r\n")), (400, get(b"A: \x07\r\n")), (400, get(b"A: 1\r\n b: 2\r\n")),
           (400, get(b"A : 1\r\n")), (400, b"GET /health HTTP/1.1\nHost: localhost\n\n"), (400, head + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab"),
           (400, head + b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), (400, head + b"Transfer-Encoding: xchunked\r\n\r\n"),
           (400, head + b"Transfer-Encoding: gzip, chunked\r\n\r\n"), (400, head + b"Content-Length: 1e3\r\n\r\n"), (400, head + b"Content-Length: -1\r\n\r\n"),
           (413, head + b"Content-Length: 18446744073709551616\r\n\r\n"), (413, head + b"Content-Length: 99999999\r\n\r\n"),
           (415, head + b"Content-Encoding: gzip\r\nContent-Length: 1\r\n\r\na"), (400, b"GET /\r\n\r\n"), (505, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
           (505, b"GET /health HTTP/1.2\r\nHost: localhost\r\n\r\n"), (405, b"CONNECT localhost:1 HTTP/1.1\r\nHost: localhost\r\n\r\n"),
           (405, b"TRACE /health HTTP/1.1\r\nHost: localhost\r\n\r\n"), (404, get(path=b"http://localhost/health")), (404, get(path=b"//health")),
           (404, get(path=b"/../health")), (404, get(path=b"/%2e%2e/health")), (404, get(path=b"/health%00")), (400, b"GET /health HTTP/1.1\r\n\r\n"),
           (400, get(b"Host: localhost\r\n")), (403, b"GET /health HTTP/1.1\r\nHost: rebound.example\r\n\r\n"), (417, head + b"Expect: a-gift\r\nContent-Length: 1\r\n\r\na"),
           (415, b"POST /api/inputs HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 1\r\n\r\na"),
           (403, get(b"Origin: http://other.example\r\n")), (403, get(b"Sec-Fetch-Site: cross-site\r\n")), (400, post(b"{\"csv\": x}")), (400, post(b"[" * 65 + b"]" * 65)),
           (400, post(b"[" * 1000000)), (400, post(b"{\"csv\": \"\xff\"}")), (400, post(b"{\"csv\": \"a\", \"csv\": \"b\"}")), (400, post(b"")),
           (200, get() + b"garbage\r\n\r\n"), (200, get(b"A: %0d%0aB: 1\r\n"))]
    out += [(400, chunks + part) for part in (b"-2\r\nab\r\n", b"0x5\r\nabcde\r\n", b"+5\r\nabcde\r\n", b"11111111111111111\r\n")]
    out += [(400, chunks + b"1;" + b"x" * 200000), (None, get()[:20]), (None, head + b"Content-Length: 100\r\n\r\n{"), (None, chunks + b"3\r\nabc\r\n"), (None, b"")]
    work = json.dumps({"prompt": "b a = ", "predict": 40}).encode()
    out += [(None, b"POST /api/models/gpt2/generate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(work) + work)]
    return out

def whole(reply):
    head, _, body = reply.partition(b"\r\n\r\n")
    length = [line.split(b":")[1] for line in head.split(b"\r\n") if line.startswith(b"Content-Length:")]
    return bool(length) and len(body) >= int(length[0])


class Soak:
    def __init__(self, server, args):
        self.server, self.args = server, args
        host, port = server.address.removeprefix("http://").split(":")
        self.place = (host, int(port))
        self.asks, self.attacks = well_behaved(server), hostile()
        self.failures, self.lock, self.plan = [], threading.Lock(), iter(())
        self.all = [("ask", i % len(self.asks)) for i in range(args.requests)] + [("attack", i % len(self.attacks)) for i in range(args.hostile)]
        random.Random(args.seed).shuffle(self.all)

    def fail(self, text):
        with self.lock:
            self.failures.append(text)

    def ask(self, connection, index):
        status, method, path, body = self.asks[index]
        connection.request(method, path, None if body is None else json.dumps(body), {} if body is None else JSON)
        reply = connection.getresponse()
        text = reply.read()
        if reply.status != status:
            self.fail(f"{method} {path} {str(body)[:80]}: {reply.status}, wanted {status}: {text[:200]!r}")
        elif status != 200:
            self.one_line(path, text)

    def one_line(self, what, text):
        try:
            error = json.loads(text)["error"]
            assert text.count(b"\n") == 1 and error["message"] and error["code"]
        except (ValueError, KeyError, AssertionError):
            self.fail(f"{what}: not one line of JSON: {text[:200]!r}")

    def attack(self, index):
        status, data = self.attacks[index]
        with socket.create_connection(self.place, timeout=30) as s:
            try:
                s.sendall(data)
                if status is None:
                    time.sleep(0.01)
                    return  # and leaves
                reply = b""
                while not whole(reply):
                    piece = s.recv(65536)
                    if not piece:
                        break
                    reply += piece
            except (BrokenPipeError, ConnectionResetError):
                return self.fail(f"{data[:60]!r}: reset before an answer") if status else None
        if not reply.startswith(b"HTTP/1.1 %d" % status):
            return self.fail(f"{data[:60]!r}: {reply[:60]!r}, wanted {status}")
        if status != 200:
            self.one_line(data[:60], reply.partition(b"\r\n\r\n")[2])

    def worker(self):
        connection = http.client.HTTPConnection(*self.place, timeout=120)
        while True:
            with self.lock:
                kind, index = next(self.plan, (None, 0))
            if kind is None or len(self.failures) > 20:
                return
            try:
                self.ask(connection, index) if kind == "ask" else self.attack(index)
            except (OSError, http.client.HTTPException) as error:
                self.fail(f"{kind} {(self.asks if kind == 'ask' else self.attacks)[index]!s:.90}: {error!r}")
                connection.close()
                if self.server.process.poll() is not None:
                    return

    def resident(self):
        lines = pathlib.Path(f"/proc/{self.server.process.pid}/status").read_text().splitlines()
        found = {name: int(value.split()[0]) for name, value in (line.split(":") for line in lines) if name in ("VmRSS", "RssFile")}
        print(f"resident: {found['VmRSS']} kB, {found['RssFile']} kB of them files", flush=True)
        return found["VmRSS"]

    def ask_many(self, plan):
        self.plan = iter(plan)
        threads = [threading.Thread(target=self.worker) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def settled(self):
        """Resident kB once everything was asked in order."""
        connection = http.client.HTTPConnection(*self.place, timeout=120)
        for index in range(len(self.asks)):
            self.ask(connection, index)
        connection.close()
        time.sleep(0.3)
        return self.resident()

    def run(self):
        begin, fifth = time.time(), len(self.all) // 5
        self.ask_many(self.all[:fifth])
        warm = self.settled() if self.args.flat else 0
        self.ask_many(self.all[fifth:])
        if self.args.flat and not self.failures:
            last = self.settled()
            print(f"{warm} kB after a fifth of them, {last} kB after all ({100 * (last - warm) / warm:+.2f} %)")
            if last > 1.01 * warm:
                self.fail(f"memory grew from {warm} kB to {last} kB")
        print(f"{len(self.all)} requests in {time.time() - begin:.0f} s")
        return self.failures

def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source"), parser.add_argument("jogak"), parser.add_argument("--models")
    parser.add_argument("--requests", type=int, default=10000), parser.add_argument("--hostile", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1), parser.add_argument("--flat", action="store_true")
    args = parser.parse_args()
    os.environ.setdefault("ASAN_OPTIONS", "quarantine_size_mb=8")
    with tempfile.TemporaryDirectory() as folder:
        runs = serving.make_models(args.jogak, args.source, args.models or folder)
        log = pathlib.Path(folder) / "log"
        fresh = serving.fresh_models(args.jogak, args.source, runs.parent)
        server = serving.Server(args.jogak, *fresh, "--runs", runs, "--max-queue", "64", errors=log)
        failures = Soak(server, args).run()
        code = server.stop()
        said = log.read_text()
    if code != 0 or "ERROR: " in said or "WARNING: ThreadSanitizer" in said or "runtime error" in said:
        failures.append(f"the server ended with {code}:\n{said[:6000]}")
    print("\n".join(failures[:20]) or "Every request got what it deserved.")
    sys.exit(bool(failures))

main()
