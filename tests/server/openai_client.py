#!/usr/bin/env python3
"""The openai package against a running server: models, completions, chat, streams, vectors, errors.

    pip install openai
    jogak serve DIR... --port 8080 &
    tests/server/openai_client.py http://127.0.0.1:8080 TEXT_MODEL [CHAT_MODEL] [VECTOR_MODEL]

Prints a line for each claim that holds and fails at the first that does not.
"""
import asyncio
import json
import sys
import urllib.request

import openai


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


async def beside_each_other(address, model):
    async with openai.AsyncOpenAI(base_url=address + '/v1', api_key='none') as client:
        ask = dict(model=model, prompt='a b', max_tokens=8, temperature=1, seed=5)
        alone = await client.completions.create(**ask)
        many = await asyncio.gather(*(client.completions.create(**ask) for _ in range(16)))
        say('16 clients at once get the answer of one alone', all(one.choices[0].text == alone.choices[0].text for one in many))


def main():
    address, model = sys.argv[1].rstrip('/'), sys.argv[2]
    client = openai.OpenAI(base_url=address + '/v1', api_key='none', max_retries=0)
    texts(client, address, model)
    asyncio.run(beside_each_other(address, model))
    if len(sys.argv) > 3 and sys.argv[3]:
        chats(client, sys.argv[3])
    if len(sys.argv) > 4:
        vectors = client.embeddings.create(model=sys.argv[4], input=['one', 'two'])
        say('vectors come in order', [one.index for one in vectors.data] == [0, 1])
        plain = client.embeddings.create(model=sys.argv[4], input='one', encoding_format='float')
        say('a vector is the same in both forms', list(plain.data[0].embedding) == list(vectors.data[0].embedding))
        say('an empty text is refused', refused(lambda: client.embeddings.create(model=sys.argv[4], input=''), 400, 'input'))


if __name__ == '__main__':
    main()
