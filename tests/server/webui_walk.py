#!/usr/bin/env python3
"""What Open WebUI's backend asks of a connection, in its order, and what it needs of each answer.

    webui_walk.py SOURCE JOGAK --models FOLDER

FOLDER is what tests/web/serving.py made. The requests are those that its routers send (openai.py, tasks.py, retrieval's embeddings): a
connection is verified, models are listed, a person writes, reads the answer as it is written and stops one midway; then title, tags,
follow-ups and search queries are asked for in the background, and vectors of documents. Needs the standard library alone."""

import http.client
import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'web'))
import serving  # noqa: E402: found beside the page's tests

TEMPLATE = "{% for m in messages %}{{ m.role[0] }} {{ m.content }} {% endfor %}= "
HEADERS = {'Content-Type': 'application/json', 'Authorization': 'Bearer none', 'User-Agent': 'Python/3.11 aiohttp/3.12',
           'Accept': '*/*', 'Accept-Encoding': 'gzip, deflate'}


def say(claim, holds, found=''):
    print(('ok    ' if holds else 'WRONG ') + claim, '' if holds else found, flush=True)
    if not holds:
        sys.exit(1)


class Webui:
    def __init__(self, address):
        host, port = address.removeprefix('http://').split(':')
        self.wire = http.client.HTTPConnection(host, int(port), timeout=60)

    def ask(self, method, path, body=None):
        self.wire.request(method, path, None if body is None else json.dumps(body), HEADERS)
        return self.wire.getresponse()

    def json(self, method, path, body=None):
        answer = self.ask(method, path, body)
        return answer.status, json.loads(answer.read())

    def lines(self, body):
        answer = self.ask('POST', '/v1/chat/completions', body)
        kind = answer.getheader('Content-Type', '')
        return kind, [line for line in answer.read().decode().split('\n') if line]

    def task(self, name, model, asked, **more):
        """Background work: one message, no stream, what it is for under metadata."""
        status, got = self.json('POST', '/v1/chat/completions', {
            'model': model, 'messages': [{'role': 'user', 'content': asked}], 'stream': False, **more,
            'metadata': {'task': name, 'task_body': {'messages': []}, 'chat_id': '7c0e'}})
        say(f'{name}: an answer with content', status == 200 and isinstance(got['choices'][0]['message']['content'], str), got)
        say(f'{name}: nothing was unknown', 'warnings' not in got, got)


def conversation(webui, model):
    first = {'stream': True, 'model': model, 'stream_options': {'include_usage': True}, 'max_tokens': 6,
             'messages': [{'role': 'system', 'content': 'a'}, {'role': 'user', 'content': 'b a'}]}
    kind, lines = webui.lines(first)
    say('an answer is a stream of events', 'text/event-stream' in kind, kind)
    say('each line is data, the last [DONE]', all(line.startswith('data: ') for line in lines) and lines[-1] == 'data: [DONE]', lines)
    chunks = [json.loads(line[6:]) for line in lines[:-1]]
    text = ''.join(chunk['choices'][0]['delta'].get('content') or '' for chunk in chunks if chunk['choices'])
    say('the usage comes at the end', chunks[-1]['usage']['completion_tokens'] > 0 and not chunks[-1]['choices'], chunks[-1])
    messages = first['messages'] + [{'role': 'assistant', 'content': text}, {'role': 'user', 'content': [{'type': 'text', 'text': 'd'}]}]
    _, lines = webui.lines(dict(first, messages=messages, temperature=0.7, top_p=0.9, seed=3, stop=['zz'], frequency_penalty=0.1))
    say('it goes on with the history, content as parts', lines[-1] == 'data: [DONE]' and 'error' not in lines[0], lines[:1])
    again = webui.lines(dict(first, messages=messages, temperature=0.7, top_p=0.9, seed=3, stop=['zz'], frequency_penalty=0.1))[1]
    said = [[json.loads(line[6:])['choices'] for line in each[:-1]] for each in (lines, again)]
    say('and says the same by the same seed', said[0] == said[1])


def stopped(address, model):
    """The button that ends an answer closes the connection."""
    leaving = Webui(address)
    answer = leaving.ask('POST', '/v1/chat/completions', {'stream': True, 'model': model, 'messages': [{'role': 'user', 'content': 'b'}]})
    answer.read(20)
    answer.close()
    leaving.wire.close()
    status, got = Webui(address).json('GET', '/v1/models')
    say('an answer that was stopped leaves the server as it was', status == 200, got)


def walk(address, model, reader):
    webui = Webui(address)
    status, listed = webui.json('GET', '/v1/models')
    say('the connection is verified by its list', status == 200 and listed['object'] == 'list', listed)
    say('models have ids', model in [one['id'] for one in listed['data']] and all(one['object'] == 'model' for one in listed['data']), listed)
    conversation(webui, model)
    stopped(address, model)
    webui.task('title_generation', model, 'a b', max_completion_tokens=1000)
    for name in ('tags_generation', 'follow_up_generation', 'query_generation'):
        webui.task(name, model, 'a b')
    webui.task('emoji_generation', model, 'a', max_completion_tokens=4)
    status, got = webui.json('POST', '/v1/embeddings', {'input': ['b a', 'd'], 'model': reader})
    say('vectors of documents, in order', status == 200 and [one['index'] for one in got['data']] == [0, 1], got)
    status, got = webui.json('POST', '/v1/chat/completions', {'model': 'none', 'messages': [{'role': 'user', 'content': 'a'}], 'stream': True})
    say('an error is JSON with a message', status == 404 and isinstance(got['error']['message'], str), got)


def main():
    jogak, models = sys.argv[2], pathlib.Path(sys.argv[4]) / 'runs'
    with tempfile.TemporaryDirectory() as folder:
        chat = pathlib.Path(folder) / 'chat'
        serving.run([jogak, 'new', str(chat), '--family', 'gpt2', '--preset', 'tiny', '--set', 'n_positions=2048', '--tokenizer',
                     f'{sys.argv[1]}/tests/goldens/tokenizers/small_bpe.json'])
        (chat / 'chat_template.jinja').write_text(TEMPLATE)
        server = serving.Server(jogak, chat, models / 'bert', '--preload')
        try:
            walk(server.address, 'chat', 'bert')
        finally:
            code = server.stop()
    say('SIGTERM ends it with 0', code == 0)


if __name__ == '__main__':
    main()
