"""What the browser tests stand on: models trained for a moment, a server, and a browser."""

import json
import os
import pathlib
import subprocess
import sys
import time
import urllib.request

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

# Families beside the quickstart's encoder-decoder: recipe, and what to change in it.
FAMILIES = {
    "gpt2": ("sort-lines.toml", []),
    "llama": ("sort-lines.toml", ["model.family=llama", "model.max_position_embeddings=48"]),
    "falcon": ("sort-lines.toml", ["model.family=falcon", "model.max_position_embeddings=48"]),
    "bert": ("bert-mlm.toml", []),
    "labels": ("bert-cls.toml", []),
    "vit": ("vit-shapes.toml", []),
    "patchtst": ("patchtst-series.toml", []),
}
# Settings that only GPT-2 has a name for.
ONLY_GPT2 = ("n_positions", "embd_pdrop", "attn_pdrop", "resid_pdrop")


def run(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, **more)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr[-2000:]}")
    return done.stdout


def make_models(jogak, source, folder):
    """runs/quickstart and a run of each other family, a few steps each."""
    runs = pathlib.Path(folder) / "runs"
    runs.mkdir(parents=True, exist_ok=True)
    if not (runs / "quickstart" / "config.json").exists():
        run([jogak, "demo", "--steps", "12", "--out", str(runs / "quickstart")], stdin=subprocess.DEVNULL)
    for name, (recipe, changes) in FAMILIES.items():
        out = runs / name
        if (out / "config.json").exists():
            continue
        text = (pathlib.Path(source) / "recipes" / recipe).read_text()
        if changes:
            text = "\n".join(l for l in text.splitlines() if not l.startswith(ONLY_GPT2))
        own = pathlib.Path(folder) / f"{name}.toml"
        own.write_text(text)
        sets = [word for change in changes for word in ("--set", change)]
        run([jogak, "train", str(own), "--out", str(out), "--steps", "6", "--checkpoint-every", "2",
             "--keep", "3", "--eval-every", "6", "--set", "data.count=600",
             "--set", "data.valid_count=40", "--set", "train.log_every=1", *sets])
    return runs


class Server:
    """`jogak serve` on a free port of this machine, ended with the test."""

    def __init__(self, jogak, *arguments, lang="en"):
        environment = {**os.environ, "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "2")}
        self.process = subprocess.Popen(
            [jogak, "serve", "--port", "0", "--lang", lang, *map(str, arguments)],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment)
        self.address = self.process.stdout.readline().strip()
        for _ in range(200):
            try:
                urllib.request.urlopen(self.address + "/health", timeout=5).read()
                return
            except OSError:
                time.sleep(0.05)
        sys.exit("the server does not get ready")

    def get(self, path):
        with urllib.request.urlopen(self.address + path, timeout=60) as reply:
            return json.load(reply)

    def post(self, path, body):
        request = urllib.request.Request(self.address + path, json.dumps(body).encode(),
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as reply:
            return json.load(reply)

    def stop(self):
        self.process.terminate()
        return self.process.wait(timeout=20)


def browser(width=1280, height=900, dark=False):
    options = Options()
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
                     "--hide-scrollbars", "--force-device-scale-factor=1", "--lang=en-US",
                     f"--window-size={width},{height}", "--proxy-server=direct://",
                     "--disable-background-networking", "--no-first-run"):
        options.add_argument(argument)
    options.binary_location = "/usr/bin/chromium"
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
    driver.set_page_load_timeout(30)
    if dark:
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                               {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
    return driver


def open_view(driver, address, view, **values):
    """Goes to a view and waits until it has drawn itself and nothing is under way."""
    from urllib.parse import urlencode
    driver.get("about:blank")
    driver.get(f"{address}/#/{view}?{urlencode(values)}")
    wait(driver, f"return document.querySelector('main')?.dataset.view === '{view}' && "
                 "!document.querySelector('.busy, [aria-busy]')")
    time.sleep(0.15)  # a frame or two: canvases draw in the next one


def wait(driver, script, seconds=20):
    end = time.time() + seconds
    while time.time() < end:
        if driver.execute_script(script):
            return
        time.sleep(0.03)
    raise AssertionError(f"waited in vain for: {script}\n{driver.find_element(By.TAG_NAME, 'body').text[:800]}")


def complaints(driver):
    """What the browser's console has against the page."""
    return [entry["message"] for entry in driver.get_log("browser") if entry["level"] == "SEVERE"]
