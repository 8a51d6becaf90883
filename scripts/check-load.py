#!/usr/bin/env python3
"""Many clients at once, some of them hostile, against `jogak serve` on this machine.

    scripts/check-load.py build/jogak MODEL [--clients 1000] [--hostile 200] [--requests 5] [--rounds 1] [--slow 1]

MODEL is a directory of a language model. What every honest client is told is compared, byte for byte, with what it is told alone;
half of the answers are streams. A hostile client sends slowly, closes halfway, sends too much or nonsense, leaves within a stream or
brings no key. After each round the server must be idle; its memory after the last is compared with that after the first. SIGTERM ends
it with 0 while a text is being written, and that text is whole. With --rounds 2 or more the memory of the last round may differ from
that of the second (both warm up, and are not counted) by one part in a hundred. 1,000 clients with 5 requests in 20 rounds are 100,000. --slow 10 is for
sanitizers: everything may take ten times as long, and memory, which they keep for themselves, is not compared; their word, if they have
one, is shown. Prints one JSON object."""

import argparse
import asyncio
import json
import pathlib
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time

KEY = 'k' * 32


def body_of(number):
    return {'prompt': f'b a {"dcba"[number % 4]} ' * (1 + number % 4), 'max_tokens': 4 + number % 13, 'temperature': number % 3 / 2,
            'seed': number, 'n': 1 + number % 2, 'stream': number % 2 == 1}


def head(length, key=KEY, path='/v1/completions'):
    return (f'POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\nContent-Type: application/json\r\n'
            f'Content-Length: {length}\r\nConnection: close\r\n\r\n').encode()


def texts_of(answer):
    """Status and the texts of all choices, of a whole answer or of a stream."""
    top, _, rest = answer.partition(b'\r\n\r\n')
    status = int(top.split(b' ', 2)[1])
    if status != 200:
        return status, rest[:200]
    if b'event-stream' not in top:
        return status, [choice['text'] for choice in json.loads(rest)['choices']]
    whole = b''
    while rest:  # chunks
        size, _, rest = rest.partition(b'\r\n')
        count = int(size, 16)
        whole += rest[:count]
        rest = rest[count + 2:]
    texts, events = {}, whole.decode().split('\n\n')
    assert events[-2] == 'data: [DONE]', events[-3:]
    for event in events[:-2]:
        for choice in json.loads(event[6:])['choices']:
            texts[choice['index']] = texts.get(choice['index'], '') + choice['text']
    return status, [texts[i] for i in sorted(texts)]


class Load:
    def __init__(self, port, args):
        self.port, self.args = port, args
        self.expected, self.wrong, self.later, self.answers = {}, [], {429: 0, 503: 0, 408: 0}, 0

    async def ask(self, number):
        data = json.dumps(body_of(number)).encode()
        while True:
            reader, writer = await asyncio.open_connection('127.0.0.1', self.port)
            try:
                writer.write(head(len(data)) + data)
                answer = await asyncio.wait_for(reader.read(-1), 280 * self.args.slow)
            finally:
                writer.close()
            status, texts = texts_of(answer)
            if status not in self.later:
                return status, texts
            self.later[status] += 1
            await asyncio.sleep(1 + random.random())

    async def honest(self, client):
        for turn in range(self.args.requests):
            number = (client * 7 + turn) % 100
            try:
                found = await self.ask(number)
            except (OSError, asyncio.TimeoutError, AssertionError, IndexError) as error:
                self.wrong.append((number, repr(error)))
                continue
            self.answers += 1
            if found != self.expected[number]:
                self.wrong.append((number, found))

    async def hostile(self, client):
        """One of eight ways; none of them may trouble anybody else."""
        data = json.dumps({**body_of(client | 1), 'max_tokens': 30}).encode()
        for turn in range(self.args.requests):
            kind = (client + turn) % 8
            try:
                reader, writer = await asyncio.open_connection('127.0.0.1', self.port)
                if kind == 0:  # a byte at a time
                    for byte in head(5)[:12]:
                        writer.write(bytes([byte]))
                        await asyncio.sleep(0.05)
                elif kind == 1:
                    writer.write(head(len(data)) + data[:10])
                    writer.write_eof()
                    await reader.read(-1)
                elif kind == 2:
                    writer.write(head(10**12))
                    await reader.read(-1)
                elif kind == 3:
                    writer.write(head(9) + b'{"a":[[[[')
                    await reader.read(-1)
                elif kind == 4:  # leaves within its stream
                    writer.write(head(len(data)) + data)
                    await reader.read(60)
                elif kind == 5:
                    writer.write(head(len(data), key='wrong' * 200) + data)
                    await reader.read(-1)
                elif kind == 6:
                    writer.write(random.Random(client).randbytes(300) + b'\r\n\r\n')
                    await reader.read(-1)
                else:  # asks and never reads
                    writer.write(head(len(data)) + data)
                    await asyncio.sleep(0.2)
                writer.close()
            except OSError:
                pass

    async def round(self):
        hostile = self.args.hostile
        await asyncio.gather(*(self.hostile(i) for i in range(hostile)), *(self.honest(i) for i in range(self.args.clients - hostile)))

    async def idle(self):
        """Whether nothing is written any more, within a quarter of a second."""
        for _ in range(25 * self.args.slow):
            reader, writer = await asyncio.open_connection('127.0.0.1', self.port)
            writer.write(f'GET /metrics HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {KEY}\r\nConnection: close\r\n\r\n'.encode())
            text = (await reader.read(-1)).decode()
            writer.close()
            if all(line.endswith(' 0') for line in text.splitlines() if line.startswith('jogak_requests_open{')):
                return True
            await asyncio.sleep(0.01)
        return False


def resident(pid):
    return int(next(line for line in pathlib.Path(f'/proc/{pid}/status').read_text().splitlines() if line.startswith('VmRSS')).split()[1])


async def run(server, port, args):
    load = Load(port, args)
    for number in range(100):
        load.expected[number] = await load.ask(number)
    assert all(status == 200 for status, _ in load.expected.values()), load.expected
    out, memory, start = {}, [], time.time()
    warm = 2 if args.rounds > 1 else 0
    for turn in range(warm + args.rounds):
        if turn == warm:
            load.answers, start = 0, time.time()
        await load.round()
        out['idle'] = out.get('idle', True) and await load.idle()
        await asyncio.sleep(0.3)  # what a crowd took is given back when nobody is there any more
        memory.append(resident(server.pid))
        print(f'round {turn + 1}: {load.answers} answers, {len(load.wrong)} wrong, {memory[-1]} kB', file=sys.stderr, flush=True)
    memory = memory[max(0, warm - 1):]
    growth = memory[-1] / memory[0] - 1
    out.update(requests=args.rounds * args.clients * args.requests, answers=load.answers, wrong=len(load.wrong), told_to_wait=load.later,
               seconds=round(time.time() - start, 1), rss_mb=[round(kb / 1024, 1) for kb in (memory[0], memory[-1])],
               flat=args.slow > 1 or abs(growth) <= 0.01, growth_percent=round(100 * growth, 2), first_wrong=str(load.wrong[:1])[:300])
    last = asyncio.create_task(load.ask(98))
    await asyncio.sleep(0.02)
    server.send_signal(signal.SIGTERM)
    out['whole_after_sigterm'] = await last == load.expected[98]
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('jogak')
    parser.add_argument('model')
    for name, usual in (('clients', 1000), ('hostile', 200), ('requests', 5), ('rounds', 1), ('slow', 1)):
        parser.add_argument('--' + name, type=int, default=usual)
    args = parser.parse_args()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with tempfile.TemporaryDirectory() as folder:
        key = pathlib.Path(folder) / 'keys'
        key.write_text('another-key-of-somebody\n' + KEY + '\n')
        log = pathlib.Path(folder) / 'errors'
        server = subprocess.Popen([args.jogak, 'serve', args.model, '--port', '0', '--preload', '--api-key-file', str(key)],
                                  stdout=subprocess.PIPE, stderr=log.open('w'), text=True)
        try:
            port = int(server.stdout.readline().strip().rsplit(':', 1)[1])
            out = asyncio.run(run(server, port, args))
            out['exit'] = server.wait(timeout=60 * args.slow)
        finally:
            server.kill()
            said = log.read_text(errors='replace')
            print(said[-8000:] if 'Sanitizer' in said or 'runtime error' in said else '', file=sys.stderr, end='')
    out['reports'] = said.count('Sanitizer:') + said.count('runtime error:')
    print(json.dumps(out))
    holds = all(out[name] for name in ('idle', 'flat', 'whole_after_sigterm'))
    raise SystemExit(0 if holds and not out['wrong'] and not out['reports'] and out['exit'] == 0 else 1)


if __name__ == '__main__':
    main()
