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
from asks import hostile, well_behaved  # noqa: E402

JSON = {"Content-Type": "application/json"}


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
        elif isinstance(body, dict) and body.get("stream") is True and not text.endswith(b"data: [DONE]\n\n"):
            self.fail(f"{method} {path}: a stream without an end: {text[-200:]!r}")

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
    parser.add_argument("--memory", type=int, help="megabytes of weights that stay open: the least used model is closed, in turn")
    args = parser.parse_args()
    os.environ.setdefault("ASAN_OPTIONS", "quarantine_size_mb=8")
    # SentencePiece trains in a forked process that has threads of its own; models are made before the server begins.
    os.environ.setdefault("TSAN_OPTIONS", "die_after_fork=0")
    with tempfile.TemporaryDirectory() as folder:
        runs = serving.make_models(args.jogak, args.source, args.models or folder)
        log = pathlib.Path(folder) / "log"
        fresh = [*serving.fresh_models(args.jogak, args.source, runs.parent), serving.chat_model(runs)]
        limit = ("--memory", args.memory) if args.memory else ()
        server = serving.Server(args.jogak, *fresh, "--runs", runs, "--max-queue", "64", *limit, errors=log)
        failures = Soak(server, args).run()
        code = server.stop()
        said = log.read_text()
    if code != 0 or "ERROR: " in said or "WARNING: ThreadSanitizer" in said or "runtime error" in said:
        failures.append(f"the server ended with {code}:\n{said[:6000]}")
    print("\n".join(failures[:20]) or "Every request got what it deserved.")
    sys.exit(bool(failures))

main()
