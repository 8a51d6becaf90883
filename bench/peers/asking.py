"""Clients of a server that speaks OpenAI's interface, and what they wait for."""

import asyncio
import json
import socket
import statistics
import sys
import time

import numpy as np


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def prompt_of(number, length):
    """Another one each time, a token a letter."""
    rng = np.random.default_rng(number)
    return "".join(chr(c) for c in rng.integers(ord("a"), ord("z") + 1, length))


class Asked:
    """One answer, as it came: pieces of its bytes and when. They are read when all answers are there, so that those who ask take
    little of a processor that the server needs."""

    def __init__(self):
        self.start, self.pieces, self.times, self.tokens = time.perf_counter(), [], [], 0

    def read(self):
        """Times of all events with text, and how many tokens."""
        data, ends, at = b"".join(piece for _, piece in self.pieces), [], 0
        assert b" 200 " in data.split(b"\r\n", 1)[0], data[:2000]
        for moment, piece in self.pieces:
            at += len(piece)
            ends.append((at, moment))
        place, which = 0, 0
        for line in data.split(b"\n"):
            place += len(line) + 1
            if not line.startswith(b"data: {"):
                continue
            event = json.loads(line[6:])
            assert "error" not in event, event
            while ends[which][0] < place:
                which += 1
            if event.get("usage"):
                self.tokens = event["usage"]["completion_tokens"]
            if any(choice.get("text") for choice in event["choices"]):
                self.times.append(ends[which][1])
        self.tokens = self.tokens or len(self.times)
        return self


async def ask(port, body):
    """Sends a request and takes what comes until the connection ends."""
    data = json.dumps(body).encode()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    out = Asked()
    writer.write(b"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n"
                 b"Content-Length: %d\r\n\r\n" % len(data) + data)
    while piece := await reader.read(1 << 16):
        out.pieces.append((time.perf_counter(), piece))
    writer.close()
    return out


async def load(port, more, clients, asks, prompt, tokens):
    async def client(index):
        answers = []
        for turn in range(asks):
            number = index * asks + turn
            # Lengths differ, so that clients do not go on in step.
            most = tokens - tokens // 4 + (number * 7) % (tokens // 2)
            body = {"prompt": prompt_of(number, prompt), "max_tokens": most, "temperature": 0, "stream": True}
            answers.append(await ask(port, body | more))
        return answers

    start = time.perf_counter()
    answers = [a for several in await asyncio.gather(*(client(i) for i in range(clients))) for a in several]
    seconds = time.perf_counter() - start
    answers = [a.read() for a in answers]
    first = [1e3 * (a.times[0] - a.start) for a in answers]
    between = [1e3 * (a.times[-1] - a.times[0]) / (a.tokens - 1) for a in answers if a.tokens > 1]
    return {"tokens_per_s": sum(a.tokens for a in answers) / seconds, "first_token_ms": statistics.median(first),
            "first_token_ms_mean": statistics.mean(first), "first_token_ms_worst": max(first),
            "token_ms": statistics.median(between), "tokens": sum(a.tokens for a in answers)}


def wait_for(port, server):
    for _ in range(1200):
        if server.poll() is not None:
            sys.exit(f"{server.args[0]}: ended with {server.returncode}")
        try:
            with socket.create_connection(("127.0.0.1", port), 1) as s:
                s.sendall(b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                if b" 200 " in s.recv(100):
                    return
        except OSError:
            pass
        time.sleep(0.05)
    sys.exit(f"{server.args[0]}: does not get ready")
