#!/usr/bin/env python3
"""lm_eval through the server and through transformers: the same figures, to four decimals.

    lm_eval_check.py SOURCE JOGAK --models FOLDER

FOLDER is what tests/web/serving.py made. Three tasks of our own: multiple choice, perplexity and generation, on a GPT-2 that reads
characters and learnt from lines of sorted ones for 400 steps, so that its figures are of a size at which four decimals mean something. Ends with 77 where lm_eval or transformers is not installed."""

import json
import os
import pathlib
import random
import sys
import tempfile

os.environ.update(HF_HUB_OFFLINE='1', HF_DATASETS_OFFLINE='1', TOKENIZERS_PARALLELISM='false', TQDM_DISABLE='1')
try:
    import lm_eval
    import lm_eval.tasks
    import transformers  # noqa: F401: what lm_eval's own model stands on
except ImportError as error:
    print('skipped:', error)
    sys.exit(77)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'web'))
import serving  # noqa: E402: found beside the page's tests

TASKS = {
    'choose': '''task: choose
dataset_path: json
dataset_kwargs: {data_files: {test: FILE}}
test_split: test
output_type: multiple_choice
doc_to_text: "{{question}} ="
doc_to_choice: "{{choices}}"
doc_to_target: answer
metric_list: [{metric: acc}, {metric: acc_norm}]
''',
    'surprise': '''task: surprise
dataset_path: json
dataset_kwargs: {data_files: {test: FILE}}
test_split: test
output_type: loglikelihood_rolling
doc_to_text: ""
doc_to_target: "{{line}}"
metric_list: [{metric: word_perplexity}, {metric: byte_perplexity}, {metric: bits_per_byte}]
''',
    'write': '''task: write
dataset_path: json
dataset_kwargs: {data_files: {test: FILE}}
test_split: test
output_type: generate_until
doc_to_text: "{{question}} ="
doc_to_target: "{{sorted}}"
generation_kwargs: {until: ["c"], max_gen_toks: 8, do_sample: false, temperature: 0}
metric_list: [{metric: exact_match}]
''',
}


def write_tasks(folder):
    draw = random.Random(5)
    lines = []
    for _ in range(12):
        letters = [draw.choice('abcd') for _ in range(5)]
        right = ' ' + ' '.join(sorted(letters))
        other = [' ' + ' '.join(draw.sample(letters, 5)) for _ in range(3)]
        place = draw.randrange(4)
        lines.append({'question': ' '.join(letters), 'choices': other[:place] + [right] + other[place:], 'answer': place,
                      'sorted': right, 'line': ' '.join(letters) + ' =' + right})
    (folder / 'lines.jsonl').write_text(''.join(json.dumps(line) + '\n' for line in lines))
    for name, text in TASKS.items():
        (folder / f'{name}.yaml').write_text(text.replace('FILE', str(folder / 'lines.jsonl')))
    return lm_eval.tasks.TaskManager(include_path=str(folder), include_defaults=False)


def figures(model, arguments, manager):
    found = lm_eval.simple_evaluate(model=model, model_args=arguments, tasks=list(TASKS), task_manager=manager, bootstrap_iters=0,
                                    random_seed=0, numpy_random_seed=0, torch_random_seed=0, fewshot_random_seed=0, log_samples=True)
    out = {f'{task}: {name}': value for task, all in found['results'].items() for name, value in all.items()
           if isinstance(value, float) and 'stderr' not in name}
    out['write: texts'] = [one['resps'][0][0] for one in sorted(found['samples']['write'], key=lambda one: one['doc_id'])]
    return out


def main():
    source, jogak, directory = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[4]) / 'evaluated' / 'gpt2'
    if not (directory / 'config.json').exists():
        directory.parent.mkdir(parents=True, exist_ok=True)
        text = directory.parent / 'lines.txt'
        serving.run([jogak, 'data', 'make', 'sort', str(text), '--count', '5000'])
        serving.run([jogak, 'train', f'{source}/recipes/sort-lines.toml', '--out', str(directory), '--steps', '400',
                     '--set', 'data.kind=text', '--set', f'data.train={text}'])
    with tempfile.TemporaryDirectory() as folder:
        manager = write_tasks(pathlib.Path(folder))
        theirs = figures('hf', {'pretrained': str(directory), 'device': 'cpu', 'dtype': 'float32', 'batch_size': 4}, manager)
        server = serving.Server(jogak, directory, '--preload')
        try:
            ours = figures('local-completions', {'model': 'gpt2', 'base_url': server.address + '/v1/completions', 'tokenizer': str(directory),
                                                 'tokenizer_backend': 'huggingface', 'num_concurrent': 4, 'batch_size': 1, 'max_length': 48}, manager)
        finally:
            server.stop()
    wrong = 0
    for name, value in theirs.items():
        same = value == ours[name] if isinstance(value, list) else abs(value - ours[name]) < 5e-5
        shown = (value[:2], ours[name][:2]) if isinstance(value, list) else (round(value, 6), round(ours[name], 6))
        print('ok   ' if same else 'WRONG', name, *shown)
        wrong += not same
    sys.exit(1 if wrong or len(theirs) < 6 else 0)


if __name__ == '__main__':
    main()
