#!/usr/bin/python3
"""How fast the page is: measure.py SOURCE JOGAK. Prints one line for each promise.

1,000 tokens in 12 x 12 heads: the grid, panning, memory; 1,000 runs of training: the list, memory; the first paint."""

import json
import pathlib
import random
import sys
import tempfile
import time

import serving
import stage

SIZES = {"n_layer": 12, "n_head": 12, "n_embd": 144, "n_positions": 1024}


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
    return int(next(line for line in lines if line.startswith(field)).split()[1]) / 1024


def renderer_of(driver):
    """The process that holds the page."""
    found = driver.execute_cdp_cmd("SystemInfo.getProcessInfo", {})["processInfo"]
    return max((p["id"] for p in found if p["type"] == "renderer"), key=resident)


def measure_attention(jogak, source, folder):
    server = serving.Server(jogak, long_model(jogak, source, folder))
    letters = random.Random(1).choices("abcdefgh ", k=990)
    text = "".join(letters)
    body = {"input": {"text": text}}
    begin = time.time()
    kept = server.post("/api/models/long/attention", body)
    first = time.time() - begin
    begin = time.time()
    server.post("/api/models/long/attention", body)
    serving.text(f"{server.address}/api/attention/{kept['id']}/thumbnails?kind=self", raw=True)
    again = time.time() - begin
    tokens = len(kept["tokens"])
    print(f"{tokens} tokens, 12 x 12 heads: the pass and its thumbnails {1000 * first:.0f} ms, asked again with the grid's picture {1000 * again:.0f} ms")
    driver = stage.browser()
    stage.open_view(driver, server.address, "start")
    begin = time.time()
    stage.open_view(driver, server.address, "attention", model="long", text=text)
    print(f"the view, from an empty page: {1000 * (time.time() - begin) - 150:.0f} ms")
    driver.execute_script("const t = document.querySelector('#view').tiles; t.zoom(6, 300, 300)")
    time.sleep(1)
    frames = driver.execute_async_script("""
      const done = arguments[0], tiles = document.querySelector('#view').tiles;
      const begin = performance.now(), first = tiles.frames;
      const step = (now) => {
        if (now - begin > 3000) return done([tiles.frames - first, now - begin]);
        const angle = (now - begin) / 400;
        tiles.pan(9 * Math.cos(angle), 9 * Math.sin(angle));
        requestAnimationFrame(step);
      };
      requestAnimationFrame(step);""")
    print(f"panning: {1000 * frames[0] / frames[1]:.1f} frames a second")
    heap = driver.execute_cdp_cmd("Runtime.getHeapUsage", {})["usedSize"] / 2**20
    print(f"memory: {heap:.1f} MB of script, the page's process {resident(renderer_of(driver), 'RssAnon'):.0f} MB, "
          f"the server {resident(server.process.pid):.0f} MB")
    driver.quit()
    server.stop()


def measure_runs(jogak, folder):
    server = serving.Server(jogak, "--runs", many_runs(folder))
    driver = stage.browser()
    begin = time.time()
    driver.get(server.address + "/#/training")
    stage.wait(driver, "return document.querySelectorAll('.run').length >= 200 && document.querySelector('svg[role=img]')")
    print(f"1,000 runs of 1,500 lines: {1000 * (time.time() - begin):.0f} ms to the list and the first curves, "
          f"the server {resident(server.process.pid):.0f} MB, the page's process {resident(renderer_of(driver), 'RssAnon'):.0f} MB")
    paint = driver.execute_script("return performance.getEntriesByName('first-contentful-paint')[0].startTime")
    print(f"first paint: {paint:.0f} ms")
    driver.quit()
    server.stop()


if __name__ == "__main__":
    for measured in (lambda f: measure_attention(sys.argv[2], sys.argv[1], f), lambda f: measure_runs(sys.argv[2], f)):
        with tempfile.TemporaryDirectory() as place:
            measured(place)
