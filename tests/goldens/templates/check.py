#!/usr/bin/env python3
"""Chat templates against jinja2 as transformers sets it up, byte for byte.

    check.py make                       writes goldens.jsonl, which the tests read
    check.py own RENDER [COUNT]         the templates of this folder on COUNT random conversations (1000)
    check.py public RENDER FOLDER       every *.jinja of a folder: equal, or refused by line

RENDER is build/tests/render_templates (cmake --build build --target render_templates). Needs
transformers and jinja2 of ../requirements.txt. Every difference is printed; there must be none.
"""
import datetime
import glob
import json
import os
import random
import subprocess
import sys

import jinja2
from transformers.utils import chat_template_utils

HERE = os.path.dirname(os.path.abspath(__file__))
NOW = datetime.datetime(2026, 3, 7, 15, 4, 5)
WORDS = ['hello', 'Hello there.', 'What is  a verb?\n', '\n\nlines\nof text\r\nhere', 'it\'s "quoted"', '<b>&amp;</b>',
         '한국어 문장입니다.', 'naïve Straße ΟΔΟΣ', '', ' ', '{{ messages }} {% if %}', '<|im_end|>', '</think>', '<think>\nhm\n</think>\n\nyes',
         '\t tab', '🙂 smile', 'a' * 40, '\ue000private\ue001', '3.14', 'null', '<tool_response>\nx\n</tool_response>', '\\n \\u0041', 'İ ǆ ß ﬁ']


def text(rng):
    return ' '.join(rng.choice(WORDS) for _ in range(rng.choice([1, 1, 1, 2, 4])))


def value(rng, depth=0):
    kind = rng.randrange(8 if depth < 2 else 6)
    if kind == 6:
        return [value(rng, depth + 1) for _ in range(rng.randrange(4))]
    if kind == 7:
        return {rng.choice(['x', 'city', 'unit', 'Zed', 'items']): value(rng, depth + 1) for _ in range(rng.randrange(4))}
    return [None, rng.random() < 0.5, rng.randrange(-5, 1000), rng.choice([0.5, 1e16, 1e-7, -2.0, 21.75]), text(rng), text(rng)][kind]


def tool(rng):
    properties = {name: {'type': rng.choice(['string', 'number', 'integer', 'boolean', 'array', 'object', ['string', 'null']]),
                         'description': text(rng)}
                  for name in rng.sample(['city', 'unit', 'days', 'Flag'], rng.randrange(4))}
    for spec in properties.values():
        if rng.random() < 0.3:
            spec['enum'] = ['a', 'b "c"']
        if spec['type'] == 'array':
            spec['items'] = {'type': 'string'}
        if spec['type'] == 'object':
            spec['properties'] = {'k': {'type': 'integer'}}
    return {'type': 'function', 'function': {
        'name': rng.choice(['get_weather', 'search', 'f']), 'description': text(rng),
        'parameters': {'type': 'object', 'properties': properties, 'required': sorted(properties)[:1]}}}


def message(rng, role):
    out = {'role': role}
    kind = rng.random()
    if kind < 0.75:
        out['content'] = text(rng)
    elif kind < 0.9:
        out['content'] = [rng.choice([{'type': 'text', 'text': text(rng)}, {'type': 'image'}]) for _ in range(rng.randrange(1, 4))]
    else:
        out['content'] = None
    if role == 'assistant' and rng.random() < 0.3:
        out['tool_calls'] = [{'id': rng.choice(['abcdefghi', 'call_1']), 'type': 'function', 'function': {
            'name': 'get_weather', 'arguments': {k: value(rng) for k in rng.sample(['city', 'days', 'Unit'], rng.randrange(3))}}}
            for _ in range(rng.choice([1, 1, 2]))]
        if rng.random() < 0.5:
            out['content'] = ''
    if role == 'assistant' and rng.random() < 0.2:
        out['reasoning_content'] = text(rng)
    if rng.random() < 0.1:
        out['name'] = 'Kim'
    return out


def conversation(rng):
    messages = [message(rng, 'system')] if rng.random() < 0.4 else []
    for _ in range(rng.choice([1, 1, 2, 3, 5])):
        messages.append(message(rng, 'user'))
        if rng.random() < 0.7:
            messages.append(message(rng, 'assistant'))
            while 'tool_calls' in messages[-1] and rng.random() < 0.5 or rng.random() < 0.1:
                messages.append(message(rng, 'tool'))
    if rng.random() < 0.5:  # most templates take nothing but text
        for one in messages:
            if not isinstance(one.get('content'), str):
                one['content'] = text(rng)
    context = {'messages': chat_template_utils._alias_reasoning_fields(messages), 'tools': None, 'documents': None,
               'add_generation_prompt': rng.random() < 0.5, 'bos_token': '<s>', 'eos_token': '</s>', 'unk_token': '<unk>'}
    if rng.random() < 0.4:
        context['tools'] = [tool(rng) for _ in range(rng.choice([1, 2]))]
    if rng.random() < 0.2:
        context['documents'] = [{'title': text(rng), 'text': text(rng)} for _ in range(2)]
    if rng.random() < 0.2:
        context['enable_thinking'] = rng.random() < 0.5
    return context


def conversations(count):
    rng = random.Random(22)
    return [conversation(rng) for _ in range(count)]


def templates(folder):
    out = {}
    for path in sorted(glob.glob(os.path.join(folder, '*.jinja'))):
        with open(path, newline='', encoding='utf-8') as file:
            out[os.path.basename(path)[:-6]] = file.read()
    return out


class Reference:
    """jinja2 with the environment of transformers; the clock stands still."""

    def __init__(self):
        self.compiled = {}

    def render(self, source, context):
        try:
            if source not in self.compiled:
                try:
                    template = chat_template_utils._cached_compile_jinja_template(source)
                    template.globals['strftime_now'] = NOW.strftime
                except Exception as error:
                    template = error
                self.compiled[source] = template
            template = self.compiled[source]
            if isinstance(template, Exception):
                raise template
            return {'text': template.render(**json.loads(json.dumps(context)))}
        except jinja2.TemplateError as error:
            return {'error': str(error)}
        except Exception as error:  # TypeError, ZeroDivisionError, ..: Python refused it
            return {'error': type(error).__name__ + ': ' + str(error)}


class Ours:
    def __init__(self, program):
        self.program = program

    def render(self, pairs):
        now = [NOW.year, NOW.month, NOW.day, NOW.hour, NOW.minute, NOW.second]
        lines = [json.dumps({'template': source, 'context': context, 'now': now}, ensure_ascii=False) for source, context in pairs]
        done = subprocess.run([self.program], input='\n'.join(lines) + '\n', capture_output=True, encoding='utf-8', check=True)
        return [json.loads(line) for line in done.stdout.split('\n')[:-1]]


def private(text):
    return [c for c in text if '\ue000' <= c <= '\uf8ff']


def compare(program, sources, contexts, shown=5):
    """Prints what differs; gives, by template, (equal, both refuse, we refuse, different)."""
    reference, ours, counts = Reference(), Ours(program), {}
    for name, source in sources.items():
        tally, told = [0, 0, 0, 0], set()
        for context, mine in zip(contexts, ours.render([(source, c) for c in contexts])):
            theirs = reference.render(source, context)
            if 'text' in theirs and 'text' in mine:
                kind = 0 if theirs['text'] == mine['text'] and private(mine['text']) == private(mine['user']) else 3
            else:
                kind = 1 if 'text' not in theirs and 'text' not in mine else 2 if 'text' in theirs else 3
            tally[kind] += 1
            line = mine.get('refused', '') if kind == 2 else ''
            if kind >= 2 and len(told) < shown and (kind, line) not in told:
                told.add((kind, line))
                print('%s: %s' % (name, 'refused: ' + line if kind == 2 else 'different'))
                if kind == 3:
                    print('  jinja2: %r\n  jogak:  %r' % (theirs.get('text', theirs), mine.get('text', mine)))
        counts[name] = tuple(tally)
    return counts


def main():
    if len(sys.argv) == 2 and sys.argv[1] == 'make':
        reference = Reference()
        chosen = conversations(40)
        with open(os.path.join(HERE, 'goldens.jsonl'), 'w', encoding='utf-8') as file:
            for at, (name, source) in enumerate(templates(HERE).items()):
                for context in chosen[at % 5::8]:
                    row = {'template': name, 'context': context, **reference.render(source, context)}
                    if 'error' in row:
                        row['error'] = 'refused'
                    file.write(json.dumps(row, ensure_ascii=False) + '\n')
        return 0
    if len(sys.argv) < 3 or sys.argv[1] not in ('own', 'public') or (sys.argv[1] == 'public' and len(sys.argv) < 4):
        sys.exit(__doc__)
    public = sys.argv[1] == 'public'
    sources = templates(sys.argv[3] if public else HERE)
    contexts = conversations(200 if public else int(sys.argv[3]) if len(sys.argv) > 3 else 1000)
    counts = compare(sys.argv[2], sources, contexts)
    for name, (equal, both, refused, different) in counts.items():
        print('%-55s equal %4d, both refuse %4d, refused here %4d, different %4d' % (name, equal, both, refused, different))
    whole = sum(refused == 0 and different == 0 for _, _, refused, different in counts.values())
    wrong = sum(different for *_, different in counts.values())
    partly = sum(refused > 0 and different == 0 for _, _, refused, different in counts.values())
    print('%d templates, %d conversations: %d templates equal everywhere, %d refused somewhere, %d renderings different'
          % (len(counts), len(contexts), whole, partly, wrong))
    return 1 if wrong or (partly and not public) else 0


if __name__ == '__main__':
    sys.exit(main())
