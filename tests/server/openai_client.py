#!/usr/bin/env python3
"""The openai package against the server: models, completions, chat, streams, vectors, JSON, many at once, errors.

    openai_client.py SOURCE JOGAK --models FOLDER

FOLDER is what tests/web/serving.py made. Prints a line for each claim that holds and fails at the first that does not. Ends with 77,
and a line that says so, where the package is not installed (pip install openai); with langchain-openai that is tried too."""
import asyncio
import json
import pathlib
import struct
import subprocess
import sys
import time
import urllib.request

try:
    import openai
except ImportError:
    print('skipped: the openai package is not installed')
    sys.exit(77)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'web'))
import serving  # noqa: E402: found beside the page's tests

def say(claim, holds):
    print(('ok    ' if holds else 'WRONG ') + claim, flush=True)
    if not holds:
        sys.exit(1)


def post(address, path, body):
    request = urllib.request.Request(address + path, json.dumps(body).encode(), {'Content-Type': 'application/json'})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def refused(call, status, field=None):
    try:
        call()
    except openai.APIStatusError as error:
        return error.status_code == status and (field is None or error.param == field)
    return False


def texts(client, address, model):
    say('the model is listed', model in [one.id for one in client.models.list().data])
    ask = dict(model=model, prompt='a b', max_tokens=8, temperature=0)
    whole = client.completions.create(**ask)
    say('usage adds up', whole.usage.total_tokens == whole.usage.prompt_tokens + whole.usage.completion_tokens)
    pieces = list(client.completions.create(stream=True, stream_options={'include_usage': True}, **ask))
    streamed = ''.join(choice.text for piece in pieces for choice in piece.choices)
    say('a stream says the same', streamed == whole.choices[0].text)
    say('its last chunk has the usage and no choices', not pieces[-1].choices and pieces[-1].usage == whole.usage)
    drawn = dict(ask, temperature=1, n=3, seed=-7)
    first, second = client.completions.create(**drawn), client.completions.create(**drawn)
    say('a seed gives the same texts', [c.text for c in first.choices] == [c.text for c in second.choices])
    say('choices are in order', [c.index for c in first.choices] == [0, 1, 2])
    several = client.completions.create(**dict(ask, prompt=['a b', 'c']))
    say('a text is the same beside another', several.choices[0].text == whole.choices[0].text)
    ids = post(address, '/tokenize', {'model': model, 'prompt': 'a b'})['tokens']
    by_ids = client.completions.create(**dict(ask, prompt=ids))
    say('tokens are a prompt too', by_ids.choices[0].text == whole.choices[0].text)
    echo = client.completions.create(**dict(ask, prompt=[ids, ids[:1]], max_tokens=1, echo=True, logprobs=1))
    chances = echo.choices[0].logprobs
    say('the first token of an echo has no chance', chances.token_logprobs[0] is None and chances.top_logprobs[0] is None)
    say('there is one chance for each token', len(chances.token_logprobs) == len(ids) + 1)
    best = [value == max(top.values()) for value, top in zip(chances.token_logprobs, chances.top_logprobs) if top]
    say('the likeliest token has the same number twice', best[-1])
    for field, value in [('stream', 'true'), ('max_tokens', -1), ('max_tokens', 1.5), ('temperature', -1), ('top_p', 2),
                         ('n', 0), ('stop', ''), ('logit_bias', {'99999999': 1}), ('seed', 2**64), ('suffix', 'x')]:
        say('%s %r is refused by its name' % (field, value),
            refused(lambda: client.completions.create(model=model, prompt='a', extra_body={field: value}), 400, field))
    say('an unknown model is 404', refused(lambda: client.completions.create(model='none', prompt='a'), 404))
    say('a prompt that is too long is refused', refused(lambda: client.completions.create(model=model, prompt=ids[:1] * 100000), 400))
    odd = client.completions.create(extra_body={'colour': 'red'}, **ask)
    say('an unknown field is told', 'colour' in json.dumps(odd.model_extra.get('warnings', [])))


def chats(client, model):
    ask = dict(model=model, messages=[{'role': 'user', 'content': 'a b'}], max_tokens=8, temperature=0)
    whole = client.chat.completions.create(**ask)
    pieces = list(client.chat.completions.create(stream=True, **ask))
    say('a conversation streams the same', ''.join(p.choices[0].delta.content or '' for p in pieces) == whole.choices[0].message.content)
    say('it ends with a reason', pieces[-1].choices[0].finish_reason == whole.choices[0].finish_reason)
    chances = client.chat.completions.create(logprobs=True, top_logprobs=2, **ask).choices[0].logprobs.content
    say('tokens come with their chances', all(len(one.top_logprobs) == 2 for one in chances))
    for messages in ([], [{'role': 'user'}], [{'role': 'user', 'content': 3}],
                     [{'role': 'user', 'content': [{'type': 'image_url', 'image_url': {'url': 'http://x/y.png'}}]}]):
        say('messages %s are refused' % json.dumps(messages)[:60],
            refused(lambda: client.chat.completions.create(model=model, messages=messages), 400, 'messages'))


def objects(client, model):
    """A model of characters that has no braces cannot write an object, and says so."""
    ask = dict(model=model, messages=[{'role': 'user', 'content': 'a'}], temperature=1)
    form = lambda schema: {'type': 'json_schema', 'json_schema': {'name': 'form', 'schema': schema}}
    say('a form that no token can begin is refused',
        refused(lambda: client.chat.completions.create(response_format={'type': 'json_object'}, **ask), 400, 'response_format'))
    say('a schema that is not understood is refused',
        refused(lambda: client.chat.completions.create(response_format=form({'allOf': []}), **ask), 400, 'response_format'))


async def beside_each_other(address, model):
    async with openai.AsyncOpenAI(base_url=address + '/v1', api_key='none') as client:
        async def ask(seed, **more):
            return await client.completions.create(model=model, prompt='b a d', max_tokens=8, temperature=1, seed=seed, **more)
        alone = [(await ask(seed)).choices[0].text for seed in range(8)]
        many = await asyncio.gather(*(ask(seed % 8) for seed in range(200)))
        say('200 at once get the answers of one alone', all(one.choices[0].text == alone[i % 8] for i, one in enumerate(many)))
        stream = await ask(3, stream=True)
        say('and so does a stream', ''.join([c.text async for part in stream for c in part.choices]) == alone[3])
        return alone


def as_the_command(jogak, directory, texts):
    for seed, text in enumerate(texts):
        made = subprocess.run([jogak, 'generate', directory, '-p', 'b a d', '-n', '8', '--temp', '1', '--top-k', '0', '--top-p', '1',
                               '--min-p', '0', '--repeat-penalty', '1', '--seed', str(seed), '--json'],
                              capture_output=True, text=True, check=True).stdout
        say('seed %d: jogak generate writes the same' % seed, json.loads(made)['text'] == text)


def leaves(server, model):
    """A client that goes frees its place."""
    import socket
    body = json.dumps({'model': model, 'prompt': 'b a', 'max_tokens': 30, 'n': 16, 'stream': True, 'temperature': 1}).encode()
    host, port = server.address[7:].split(':')
    with socket.create_connection((host, int(port))) as wire:
        wire.sendall(b'POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n'
                     % len(body) + body)
        wire.recv(100)
    start = time.time()
    while 'jogak_requests_open{model="%s"} 0' % model not in serving.text(server.address + '/metrics') and time.time() < start + 5:
        time.sleep(0.01)
    say('a client that leaves is gone after %.0f ms' % (1000 * (time.time() - start)), time.time() - start < 0.25)


def other_paths(server, models):
    """The paths that are our own, and those of harnesses."""
    say('/tokenizer_info knows the context', server.get('/tokenizer_info?model=gpt2')['model_max_length'] > 0)
    ids = server.post('/tokenize', {'model': 'gpt2', 'prompt': 'b a'})['tokens']
    say('tokens there and back', server.post('/detokenize', {'model': 'gpt2', 'tokens': ids})['prompt'] == 'b a')
    say('/v1/translate', 'translations' in server.post('/v1/translate', {'model': 'quickstart', 'text': 'May 9th'}))
    say('/v1/fill', len(server.post('/v1/fill', {'model': 'bert', 'text': 'b [MASK] d'})['predictions']) == 5)
    say('/v1/classify', server.post('/v1/classify', {'model': 'labels', 'input': {'text': 'b a d'}})['predictions'][0]['score'] > 0)
    forecast = server.post('/v1/forecast', {'model': 'patchtst', 'input': {'file': 'example'}, 'horizon': 4})
    say('/v1/forecast', len(forecast['series']) > 0)


def langchain(address, model, expected):
    try:
        from langchain_openai import ChatOpenAI, OpenAI
    except ImportError:
        return print('skip  langchain-openai is not installed')
    common = dict(base_url=address + '/v1', api_key='none', temperature=0, max_tokens=8)
    text = OpenAI(model='gpt2', **common).invoke('b a d')
    say('langchain: a text', isinstance(text, str) and text == expected)
    chat = ChatOpenAI(model=model, **common)
    whole = chat.invoke('b a').content
    say('langchain: a stream says the same', ''.join(piece.content for piece in chat.stream('b a')) == whole)


def main():
    jogak, models = sys.argv[2], pathlib.Path(sys.argv[4]) / 'runs'
    chat = serving.chat_model(models)
    server = serving.Server(jogak, *(models / name for name in ('gpt2', 'bert', 'labels', 'quickstart', 'patchtst')), chat, '--preload')
    try:
        client = openai.OpenAI(base_url=server.address + '/v1', api_key='none', max_retries=0)
        texts(client, server.address, 'gpt2')
        as_the_command(jogak, models / 'gpt2', asyncio.run(beside_each_other(server.address, 'gpt2')))
        leaves(server, 'gpt2')
        chats(client, 'chat')
        objects(client, 'chat')
        vectors(client, 'bert')
        other_paths(server, models)
        langchain(server.address, 'chat', client.completions.create(model='gpt2', prompt='b a d', max_tokens=8, temperature=0).choices[0].text)
    finally:
        code = server.stop()
    say('SIGTERM ends it with 0', code == 0)


def vectors(client, model):
    several = client.embeddings.create(model=model, input=['b a', 'd'])
    say('vectors come in order', [one.index for one in several.data] == [0, 1])
    plain = client.embeddings.create(model=model, input='b a', encoding_format='float')
    say('a vector is the same in both forms', struct.pack('%df' % len(plain.data[0].embedding), *plain.data[0].embedding)
        == struct.pack('%df' % len(plain.data[0].embedding), *several.data[0].embedding))
    say('an empty text is refused', refused(lambda: client.embeddings.create(model=model, input=''), 400, 'input'))


if __name__ == '__main__':
    main()
