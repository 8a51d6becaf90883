#!/usr/bin/python3
"""How fast the page is: measure.py SOURCE JOGAK. One line for each promise, and an end with 1 where one is not kept.

1,000 tokens in 12 x 12 heads: the first grid of a text that nobody has asked about, panning, memory; 1,000 runs of training:
the list and the first curves, memory; the first paint. Times are the best of three on a machine that has other things to do."""

import json
import os
import pathlib
import random
import sys
import tempfile
import time

import serving
import stage

SIZES = {"n_layer": 12, "n_head": 12, "n_embd": 144, "n_positions": 1024}
broken = []


def promise(what, value, wanted, unit, most=True):
    kept = value <= wanted if most else value >= wanted
    print(f"{'kept' if kept else 'NOT KEPT':9}{what}: {value:.0f} {unit} (wanted {'at most' if most else 'at least'} {wanted})", flush=True)
    if not kept:
        broken.append(what)


def long_model(jogak, source, folder):
    """GPT-2 of 12 x 12 heads that reads characters, with the weights it starts with."""
    out = pathlib.Path(folder) / "long"
    sets = [word for key, value in SIZES.items() for word in ("--set", f"model.{key}={value}")]
    serving.run([jogak, "train", f"{source}/recipes/sort-lines.toml", "--out", str(out), "--steps", "1", "--set", "data.count=64",
                 "--set", "data.valid_count=8", "--batch", "2", *sets])
    return out


def many_runs(folder, count=1000, lines=1500):
    runs = pathlib.Path(folder) / "runs"
    for i in range(count):
        (runs / f"run-{i:04}").mkdir(parents=True)
        rate, text = 1 + i % 7, []
        for step in range(1, lines + 1):
            text.append(json.dumps({"schema": 1, "step": step, "train_loss": 5 / (1 + rate * step / 100), "lr": 0.001,
                                    "grad_norm": 1.5, "tokens_per_s": 1000.0}))
        (runs / f"run-{i:04}" / "metrics.jsonl").write_text("\n".join(text) + "\n")
    return runs


def resident(pid, field="VmRSS"):
    lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next((line for line in lines if line.startswith(field)), "x 0").split()[1]) / 1024


def page_memory(driver):
    """Of the process that holds the page: what is its own, in MB."""
    parents = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except OSError:
                continue
    def below(pid):
        while pid in parents:
            if pid == driver.service.process.pid:
                return True
            pid = parents[pid]
        return False
    found = [pid for pid in parents if below(pid) and b"--type=renderer" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()]
    return max(resident(pid, "RssAnon") for pid in found)


# From the click to the frame after the one in which the grid was drawn.
GRID = """
const [hash, done] = arguments, begin = performance.now();
const look = () => {
  const main = document.querySelector('main');
  if (!document.querySelector('.attention canvas') || main.querySelector('.trouble')) return requestAnimationFrame(look);
  requestAnimationFrame(() => done(performance.now() - begin));
};
location.hash = hash;
requestAnimationFrame(look);
"""

PAN = """
const done = arguments[0], tiles = document.querySelector('#view').tiles;
const begin = performance.now(), first = tiles.frames;
const step = (now) => {
  if (now - begin > 3000) return done(1000 * (tiles.frames - first) / (now - begin));
  const angle = (now - begin) / 400;
  tiles.pan(9 * Math.cos(angle), 9 * Math.sin(angle));
  requestAnimationFrame(step);
};
requestAnimationFrame(step);
"""


def measure_attention(jogak, source, folder):
    server = serving.Server(jogak, long_model(jogak, source, folder))
    driver = stage.browser()
    grids, asks = [], []
    for seed in range(3):
        text = "".join(random.Random(seed).choices("abcdefgh ", k=990))
        begin = time.time()
        kept = server.post("/api/models/long/attention", {"input": {"text": text[::-1]}})
        asks.append(1000 * (time.time() - begin))
        stage.open_view(driver, server.address, "start")
        grids.append(driver.execute_async_script(GRID, f"#/attention?model=long&text={text.replace(' ', '+')}"))
    print(f"{len(kept['tokens'])} tokens, 12 x 12 heads: the server's part {', '.join(f'{x:.0f}' for x in asks)} ms; "
          f"the grid in the page {', '.join(f'{x:.0f}' for x in grids)} ms; load {os.getloadavg()[0]:.1f}")
    promise("first grid", min(grids), 300, "ms")
    stage.wait(driver, "return !document.querySelector('.busy, [aria-busy]')")
    driver.execute_script("document.querySelector('#view').tiles.zoom(6, 300, 300)")
    time.sleep(1)
    promise("panning", max(driver.execute_async_script(PAN) for _ in range(2)), 50, "frames/s", most=False)
    promise("memory of the page", page_memory(driver), 200, "MB")
    print(f"the server: {resident(server.process.pid):.0f} MB with {2 * len(grids)} such passes kept")
    driver.quit()
    server.stop()


def measure_runs(jogak, folder):
    runs, times = many_runs(folder), []
    for _ in range(3):  # each time a server and a browser that have seen nothing
        server = serving.Server(jogak, "--runs", runs)
        driver = stage.browser()
        begin = time.time()
        driver.get(server.address + "/#/training")
        stage.wait(driver, "return document.querySelectorAll('.run').length >= 200 && document.querySelector('svg[role=img]')")
        times.append(1000 * (time.time() - begin))
        paint = driver.execute_script("return performance.getEntriesByName('first-contentful-paint')[0].startTime")
        memory = (resident(server.process.pid), page_memory(driver))
        driver.quit()
        server.stop()
    print(f"1,000 runs of 1,500 lines: {', '.join(f'{x:.0f}' for x in times)} ms to the list and the first curves")
    promise("1,000 runs", min(times), 1000, "ms")
    promise("memory of the server with them", memory[0], 200, "MB")
    promise("memory of the page with them", memory[1], 200, "MB")
    promise("first paint", paint, 1000, "ms")


def measure_bundle(jogak):
    server = serving.Server(jogak)
    size = sum(len(serving.text(server.address + path, raw=True)) for path in ("/", "/page.js", "/page.css", "/icon.svg"))
    server.stop()
    promise("bundle", size / 1024, 150, "KB")


if __name__ == "__main__":
    measure_bundle(sys.argv[2])
    for measured in (lambda f: measure_attention(sys.argv[2], sys.argv[1], f), lambda f: measure_runs(sys.argv[2], f)):
        with tempfile.TemporaryDirectory() as place:
            measured(place)
    sys.exit(bool(broken))
