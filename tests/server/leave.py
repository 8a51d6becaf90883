#!/usr/bin/env python3
"""A client that leaves while a model works for it: leave.py SOURCE JOGAK [--models FOLDER].

Requests to one model wait for each other, so that the next one tells when the work that nobody waits for has ended: at most a
quarter of a second later than it would be answered by a server at rest, in the middle of five tries. Clients leave while text is
written, and while a long prompt is read."""

import argparse
import json
import pathlib
import socket
import statistics
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "web"))
import serving  # noqa: E402: found beside the page's tests

MOST, TRIES, LENGTH = 0.25, 5, 4000


class Leaving:
    def __init__(self, server, name):
        self.server, self.path = server, f"/api/models/{name}"
        host, port = server.address.removeprefix("http://").split(":")
        self.place = (host, int(port))

    def next(self):
        """Seconds until a short question is answered."""
        begin = time.monotonic()
        self.server.post(self.path + "/next", {"prompt": "b a"})
        return time.monotonic() - begin

    def begin(self, body):
        """A client that has asked for a text."""
        data = json.dumps(body).encode()
        head = f"POST {self.path}/generate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        client = socket.create_connection(self.place, timeout=60)
        client.sendall(f"{head}Content-Length: {len(data)}\r\n\r\n".encode() + data)
        return client

    def whole(self, body):
        """Seconds of a text that somebody waits for."""
        begin, reply = time.monotonic(), b""
        with self.begin(body) as client:
            while b'"done"' not in reply:
                reply += client.recv(65536)
        return time.monotonic() - begin

    def after(self, what, body, pieces):
        """Leaves after so many pieces of text, five times; what is wrong, or None."""
        usual, late = min(self.next() for _ in range(3)), []
        for _ in range(TRIES):
            reply = b""
            with self.begin(body) as client:
                while reply.count(b"data: ") < pieces:
                    reply += client.recv(4096)
                time.sleep(0.05)
            late.append(self.next() - usual)
        seen = statistics.median(late)
        print(f"{what}: {1000 * seen:.0f} ms later, {1000 * min(late):.0f} to {1000 * max(late):.0f}")
        return f"{what}: goes on for {seen:.3f} s" if seen > MOST else None


def check(server, name):
    leaving = Leaving(server, name)
    writing = {"prompt": "b a = ", "predict": LENGTH, "temperature": 1, "top_k": 0, "top_p": 1}
    reading = {"prompt": "b a c " * (LENGTH // 6), "predict": 1}
    failures = []
    for what, body, pieces in (("writing", writing, 2), ("reading", reading, 0)):
        whole = leaving.whole(body | {"predict": min(body["predict"], LENGTH // 100)})
        print(f"{what}: {'a hundredth of it' if what == 'writing' else 'all of it'} takes {whole:.2f} s")
        failures.append(leaving.after(what, body, pieces))
    return [one for one in failures if one]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source"), parser.add_argument("jogak"), parser.add_argument("--models")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        runs = serving.make_models(args.jogak, args.source, args.models or folder)
        own = pathlib.Path(folder) / "slow"
        sizes = ["num_hidden_layers=12", "max_position_embeddings=8192"]
        serving.run([args.jogak, "new", str(own), "--family", "llama", "--preset", "small", "--tokenizer", str(runs / "gpt2"),
                     *(word for size in sizes for word in ("--set", size))])
        server = serving.Server(args.jogak, own)
        failures = check(server, "slow")
        if (code := server.stop()) != 0:
            failures.append(f"the server ended with {code}")
    print("\n".join(failures) or "Whoever leaves is not worked for.")
    sys.exit(bool(failures))


main()
