#!/usr/bin/python3
"""The page in a real browser: run.py SOURCE JOGAK [--only NAME] [--shots FOLDER] [--families NAMES].

Every view opens with every family and says nothing in the console; numbers on the page are the API's,
and the API's are `jogak inspect --json`'s; keyboard, both languages, a phone, names and contrast."""

import argparse
import base64
import json
import math
import pathlib
import re
import shutil
import struct
import sys
import tempfile
import time
import xml.dom.minidom
import zlib

try:
    import dress
    import looks
    import serving
    import stage
except ImportError as missing:
    print(f"{missing.name} is missing: the page is not tested in a browser (Debian: chromium chromium-driver python3-selenium)")
    sys.exit(77)

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

VIEWS = ["start", "try", "forecast", "pipeline", "tokens", "positions", "attention", "norms", "ablate", "training", "lessons"]
OF_NO_MODEL = ("start", "training", "lessons")


def fitting(view, models):
    """The models that a view is offered; None for views of no model."""
    if view in OF_NO_MODEL:
        return [None]
    reads = {m["id"]: m for m in models}
    wanted = {"forecast": lambda m: m["task"] == "forecast", "try": lambda m: m["task"] != "embed" or m["reads"] == "text",
              "tokens": lambda m: m["reads"] == "text"}.get(view, lambda m: True)
    return [name for name, m in reads.items() if wanted(m)]


class Tests(looks.Looks, dress.Dress):
    views = VIEWS

    def __init__(self, jogak, server, driver, shots, families):
        self.jogak, self.server, self.driver, self.shots, self.families = jogak, server, driver, shots, families
        self.models = server.get("/api/models")["models"]
        self.asked = 0

    def open(self, view, model=None, fresh=True, **values):
        if model:
            values["model"] = model
        stage.open_view(self.driver, self.server.address, view, fresh, **values)
        self.asked += 1

    def of_view(self, view):
        """The models a view is looked at with: those of --families, or one, and what attention lies upon."""
        fits = fitting(view, self.models)
        if view in OF_NO_MODEL:
            return fits
        wanted = self.families or [fits[0]] + (["vit", "patchtst"] if view == "attention" else [])
        return [name for name in wanted if name in fits]

    def js(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def clean(self, what):
        """No complaint of the browser, no error on the page, the rules kept."""
        trouble = [e.text for e in self.driver.find_elements(By.CSS_SELECTOR, ".trouble")]
        assert not trouble, f"{what}: {trouble}"
        said = stage.complaints(self.driver)
        assert not said, f"{what}: {said}"
        rules = (pathlib.Path(__file__).parent / "rules.js").read_text()
        broken = self.js(rules)
        assert not broken, f"{what}:\n  " + "\n  ".join(broken)

    def keep(self, name):
        if self.shots:
            self.driver.save_screenshot(str(self.shots / f"{name}.png"))

    def size(self, width, height):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})

    def prefer(self, **values):
        for key, value in values.items():
            self.js("localStorage.setItem(arguments[0], arguments[1])", f"jogak-{key}", value)

    # --- claims ---

    def every_view_opens_with_every_family(self):
        kinds = {m["model_type"] for m in self.models}
        assert len(kinds) >= 33, kinds  # tests/web/serving.py takes them from docs/models.md
        for view in VIEWS:
            for i, model in enumerate(fitting(view, self.models)):
                self.open(view, model, fresh=i == 0)
                self.clean(f"{view} of {model}")
            self.keep(view)

    def first_paint_comes_within_a_second(self):
        best = math.inf
        for _ in range(3):
            self.driver.get("about:blank")
            self.driver.get(self.server.address + "/#/start")
            stage.wait(self.driver, "return performance.getEntriesByName('first-contentful-paint').length > 0")
            best = min(best, self.js("return performance.getEntriesByName('first-contentful-paint')[0].startTime"))
        assert best < 1000, f"first paint after {best:.0f} ms"

    def numbers_are_those_of_the_api_and_of_the_program(self):
        for model in ("quickstart", "gpt2", "vit"):
            self.open("attention", model, layer=0, head=1, query=2, key=1)
            stage.wait(self.driver, "return document.querySelector('#weight') !== null")
            shown = float(self.driver.find_element(By.ID, "weight").text)
            card = next(m for m in self.models if m["id"] == model)
            example = self.server.get(f"/api/models/{model}")["example"]
            given = {"text": example["text"]} if card["reads"] == "text" else {"file": "example"}
            kept = self.server.post(f"/api/models/{model}/attention", {"input": given})
            kind = next((k["kind"] for k in kept["kinds"] if k["kind"] == "cross"), kept["kinds"][0]["kind"])
            cell = self.server.get(f"/api/attention/{kept['id']}/cell?kind={kind}&layer=0&head=1&query=2&key=1")
            assert shown == float(f"{cell['weight']:.4g}"), (model, shown, cell["weight"])
            whole = self.server.post(f"/api/models/{model}/inspect",
                                     {"what": "attention", "input": given, "layer": 0, "head": 1, "kind": kind})
            assert whole["pictures"][0]["values"][2][1] == cell["weight"], model
            if card["reads"] == "text":
                said = json.loads(serving.run([self.jogak, "inspect", "attention", card["directory"], "--text", example["text"],
                                             "--layer", "0", "--head", "1", "--kind", kind, "--json", "--lang", "en"]))
                assert said == whole, f"{model}: the API and the program differ"

    def steps_and_answers_are_those_of_the_api(self):
        self.open("pipeline", "gpt2", step=3, token=1)
        text = self.server.get("/api/models/gpt2")["example"]["text"]
        steps = self.server.post("/api/models/gpt2/steps", {"input": {"text": text}, "token": 1})["steps"]
        shown = self.driver.find_element(By.ID, "numbers").text.split()
        wanted = [float(f"{x:.4g}") for x in steps[3]["values"][0]]
        assert [float(x) for x in shown] == wanted, (shown[:4], wanted[:4])
        self.open("try", "quickstart")
        source = self.server.get("/api/models/quickstart")["example"]["text"]
        best = self.server.post("/api/models/quickstart/translate", {"text": source, "beams": 4})["translations"][0]["text"]
        assert self.driver.find_element(By.ID, "answer").text == best
        line = serving.run([self.jogak, "translate", next(m["directory"] for m in self.models if m["id"] == "quickstart"),
                          source, "--beams", "4"]).strip()
        assert line == best, (line, best)

    def the_address_restores_what_was_seen(self):
        self.open("attention", "gpt2")
        grid = self.driver.find_element(By.CSS_SELECTOR, ".attention canvas")
        grid.send_keys(Keys.ARROW_UP, Keys.ARROW_RIGHT)
        stage.wait(self.driver, "return location.hash.includes('head=1') && !document.querySelector('.busy, [aria-busy]')")
        address, title = self.driver.current_url, self.driver.find_element(By.CSS_SELECTOR, "#view .row h2").text
        weight = self.driver.find_element(By.ID, "weight").text
        self.driver.get("about:blank")
        self.driver.get(address)
        stage.wait(self.driver, "return document.querySelector('#weight') && !document.querySelector('.busy, [aria-busy]')")
        assert self.driver.find_element(By.CSS_SELECTOR, "#view .row h2").text == title
        assert self.driver.find_element(By.ID, "weight").text == weight
        assert self.driver.current_url == address

    def every_view_comes_back_from_its_address(self):
        """Every control, word and picture: from a link, in a browser that has seen nothing."""
        states = {"try": {"model": "gpt2", "text": "d a b =", "temperature": 1.2, "top_k": 7}, "forecast": {"horizon": 8, "band": 60},
                  "pipeline": {"model": "gpt2", "step": 5, "token": 2}, "tokens": {"model": "gpt2", "text": "d c a", "other": "bert"},
                  "positions": {"model": "gpt2", "kind": "rotary", "width": 16, "theta": 500},
                  "attention": {"model": "gpt2", "text": "d a b =", "layer": 0, "head": 1, "form": "lines", "query": 2, "key": 1},
                  "norms": {"model": "gpt2", "text": "d a b =", "place": 2}, "ablate": {"model": "gpt2", "off": "ffn:0,head:1.0"},
                  "training": {"runs": "gpt2,llama", "log": 1, "find": "a"}, "lessons": {"topic": "softmax", "in.x": "1,2,3,4"}}
        assert set(states) | {"start"} == set(VIEWS)
        seen = ("return [...document.querySelectorAll('#view input, #view select, #view textarea')].map((e) => e.type === 'checkbox' ? e.checked : e.value)"
                ".concat([...document.querySelectorAll('#view [aria-pressed], #view [aria-current]')].map((e) => e.outerHTML))"
                ".concat([...document.querySelectorAll('#view [role=img]')].map((e) => e.getAttribute('aria-label')))"
                ".concat(document.querySelector('#view').innerText.replace('live', '')).join('\\n')")  # which ends by the clock
        for view, values in states.items():
            model = {"model": values["model"]} if "model" in values else {}
            self.open(view, fresh=False, **model)
            plain = self.js(seen)
            self.open(view, fresh=False, **values)
            changed, address = self.js(seen), self.driver.current_url
            self.driver.get("about:blank")
            self.driver.get(address)
            stage.settle(self.driver, view)
            assert changed != plain, f"{view}: its address changes nothing"
            again = self.js(seen)
            other = [pair for pair in zip(changed.split("\n"), again.split("\n")) if pair[0] != pair[1]]
            assert again == changed, f"{view}: another view from the same address: {other[:3]}"
            self.clean(f"{view} from its address")

    def the_keyboard_is_enough(self):
        self.open("pipeline", "quickstart")
        body = self.driver.find_element(By.TAG_NAME, "body")
        first = self.driver.find_element(By.ID, "step").get_attribute("data-step")
        body.send_keys(Keys.ARROW_RIGHT)
        second = self.driver.find_element(By.ID, "step").get_attribute("data-step")
        assert first != second and "step=1" in self.driver.current_url
        body.send_keys(Keys.ARROW_LEFT)
        assert self.driver.find_element(By.ID, "step").get_attribute("data-step") == first
        self.open("attention", "gpt2")
        tiles = self.driver.find_element(By.CSS_SELECTOR, ".tiles canvas")
        tiles.send_keys(Keys.ARROW_UP, Keys.ENTER)
        stage.wait(self.driver, "return location.hash.includes('query=')")
        self.open("ablate", "gpt2")
        part = self.driver.find_element(By.CSS_SELECTOR, "[data-part='ffn:0']")
        part.send_keys(Keys.ENTER)
        stage.wait(self.driver, "return document.querySelector('#change') !== null")
        assert "off=ffn" in self.driver.current_url
        # Every stop of the tab key can be seen, and the walk ends.
        self.open("start")
        seen = set()
        for _ in range(200):
            body = self.driver.switch_to.active_element
            body.send_keys(Keys.TAB)
            here = self.js("const e = document.activeElement; const s = getComputedStyle(e);"
                           "return [e.outerHTML.slice(0, 200), e === document.body, s.outlineStyle]")
            if here[1] or here[0] in seen:
                break
            assert here[2] != "none", f"nobody sees that this has the focus: {here[0]}"
            seen.add(here[0])
        assert len(seen) > 20, len(seen)

    def switching_off_changes_the_loss_as_the_program_says(self):
        self.open("ablate", "quickstart", off="cross")
        stage.wait(self.driver, "return document.querySelector('#change .fact b') !== null")
        card = next(m for m in self.models if m["id"] == "quickstart")
        text = self.server.get("/api/models/quickstart")["example"]["text"]
        said = json.loads(serving.run([self.jogak, "ablate", card["directory"], "--text", text, "--off", "cross", "--json"]))
        shown = self.driver.find_element(By.CSS_SELECTOR, "#change .fact b").text
        before, after = (float(x) for x in shown.split("→"))
        assert before == float(f"{said['loss_before']:.4g}") and after == float(f"{said['loss_after']:.4g}"), (shown, said)

    def parts_are_taken_from_another_input(self):
        text = self.server.get("/api/models/gpt2")["example"]["text"]
        other = " ".join(reversed(text.split()[:-1])) + text[len(" ".join(text.split()[:-1])):]  # as many tokens
        self.open("ablate", "gpt2", mode="patch", patch="ffn:0", **{"from": other})
        stage.wait(self.driver, "return document.querySelector('#change .fact b') !== null")
        said = self.server.post("/api/models/gpt2/ablate", {"input": {"text": text}, "patch": "ffn:0", "from": {"text": other}})
        before, after = (float(x) for x in self.driver.find_element(By.CSS_SELECTOR, "#change .fact b").text.split("→"))
        assert before == float(f"{said['loss_before']:.4g}") and after == float(f"{said['loss_after']:.4g}"), (before, after, said)
        self.clean("patching")

    def drop(self, name, kind, data, place=0, key="file"):
        """As if the file had been dragged onto the page; its name in the address comes back."""
        self.js("const bytes = Uint8Array.from(atob(arguments[2]), (c) => c.charCodeAt(0)); const held = new DataTransfer();"
                "held.items.add(new File([bytes], arguments[0], {type: arguments[1]}));"
                "document.querySelectorAll('.drop')[arguments[3]].dispatchEvent(new DragEvent('drop', {dataTransfer: held, bubbles: true, cancelable: true}))",
                name, kind, base64.b64encode(data).decode(), place)
        stage.wait(self.driver, f"return location.hash.includes('{key}=') && !document.querySelector('.busy, [aria-busy]')")
        return re.search(f"[?&]{key}=([^&]+)", self.driver.current_url).group(1)

    def red(self):
        """A red picture, as the bytes of a PNG."""
        rows = b"".join(b"\0" + b"\xff\0\0" * 32 for _ in range(32))
        piece = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        return b"\x89PNG\r\n\x1a\n" + piece(b"IHDR", struct.pack(">IIBBBBB", 32, 32, 8, 2, 0, 0, 0)) + piece(b"IDAT", zlib.compress(rows)) + piece(b"IEND", b"")

    def dropped_images_and_series_are_read(self):
        self.open("try", "vit")
        plain = self.driver.find_element(By.ID, "answer").text
        file = self.drop("red.png", "image/png", self.red())
        best = self.server.post("/api/models/vit/classify", {"input": {"file": file}})["predictions"][0]
        shown = self.driver.find_element(By.ID, "answer").text
        assert shown != plain and best["label"] in shown, (shown, best)
        self.clean("a dropped image")
        self.open("attention", "vit", file=file)
        self.clean("attention over a dropped image")
        self.open("forecast", "patchtst")
        read = "return [...document.querySelectorAll('#view svg path')].map((e) => e.getAttribute('d')).join()"
        before = self.js(read)
        example = self.server.get("/api/models/patchtst")["example"]["csv"].splitlines()
        dates, values = zip(*(line.split(",", 1) for line in example[1:]))
        self.drop("mine.csv", "text/csv", "\n".join([example[0], *map(",".join, zip(dates, reversed(values)))]).encode())
        assert self.js(read) != before, "the same curve"
        self.clean("a dropped series")

    def sentences_are_compared_by_their_vectors(self):
        self.open("try", "bert", texts="b a\nb a\nd c")
        cosines = self.server.post("/api/models/bert/compare", {"texts": ["b a", "b a", "d c"]})["cosines"]
        assert abs(cosines[0][1] - 1) < 1e-5 and abs(cosines[0][2]) < 0.9999, cosines
        stage.wait(self.driver, "return [...document.querySelectorAll('#view canvas')].some((e) => (e.getAttribute('aria-label') ?? '').includes('cosine'))")
        self.clean("vectors")

    def positions_of_every_kind(self):
        seen = set()
        for kind in ("sinusoidal", "rotary", "alibi"):
            self.open("positions", "gpt2", kind=kind)
            seen.add(self.driver.find_element(By.ID, "view").text)
            self.clean(f"positions: {kind}")
        self.open("positions", "gpt2")  # which learns its own
        assert "Added against concatenated" in self.driver.find_element(By.ID, "view").text
        assert len(seen) == 3

    def a_run_that_goes_on_is_followed(self):
        folder = pathlib.Path(self.server.get("/api/state")["runs"]) / "going-on"
        folder.mkdir(exist_ok=True)
        line = lambda step: json.dumps({"schema": 1, "step": step, "train_loss": 4 / step, "lr": 0.001, "grad_norm": 2.0 / step, "tokens_per_s": 100.0})
        log = folder / "metrics.jsonl"
        log.write_text("".join(line(i) + "\n" for i in range(1, 30)))
        self.open("training", runs="going-on")
        read = "return document.querySelector('svg[role=img]').getAttribute('aria-label')"
        assert "0.1379" in self.js(read), self.js(read)
        with log.open("a") as more:
            more.write(line(40) + "\n")
        stage.wait(self.driver, read + ".includes(': 0.1')", 8)
        assert self.js("return [...document.querySelectorAll('.live')].length") >= 1
        self.clean("a run that goes on")
        shutil.rmtree(folder)

    def a_film_goes_through_checkpoints(self):
        self.open("training", runs="gpt2")
        stage.wait(self.driver, "return document.querySelectorAll('input[type=range]').length > 0 && document.querySelector('.figure canvas')")
        bar = self.driver.find_element(By.CSS_SELECTOR, "input[type=range]")
        bar.send_keys(Keys.HOME)
        stage.wait(self.driver, "return location.hash.includes('frame=0')")
        self.clean("the film")

    def a_film_of_the_position_table(self):
        """What stands below the pointer is the table's number at that checkpoint, and stays so from frame to frame."""
        steps = self.server.get("/api/runs/gpt2")["checkpoints"]
        assert len(steps) > 1, steps
        tables = [self.server.post("/api/runs/gpt2/film", {"step": step, "what": "positions"})["values"] for step in steps]
        assert tables[0] != tables[-1], "nothing was learnt"
        self.open("training", runs="gpt2", film="positions", frame=0)
        place = "[...document.querySelectorAll('.figure canvas')].find((e) => (e.getAttribute('aria-label') ?? '').includes('Arrow keys'))"
        stage.wait(self.driver, f"return {place} !== undefined")
        canvas = self.js(f"return {place}")
        canvas.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_DOWN, Keys.ARROW_DOWN)  # the cell of row 2, column 0
        read = f"return {place}.closest('.figure').querySelector('.readout').textContent"
        bar = next(e for e in self.driver.find_elements(By.CSS_SELECTOR, "input[type=range]"))
        for frame, table in enumerate(tables):
            if frame > 0:
                bar.send_keys(Keys.ARROW_RIGHT)
            stage.wait(self.driver, f"return location.hash.includes('frame={frame}')")
            stage.wait(self.driver, f"{read}.split('= ')[1] === String(Number(({table[2][0]}).toPrecision(4)))")
        self.keep("film")
        self.clean("the film of positions")
        self.driver.find_element(By.XPATH, "//button[text()='attention']").click()
        stage.wait(self.driver, "return location.hash.includes('film=attention')")
        self.clean("back to attention")

    def answers_stream_and_bars_follow_the_controls(self):
        self.open("try", "gpt2", predict=8)
        before = self.driver.find_element(By.ID, "next").text
        heat = self.driver.find_element(By.CSS_SELECTOR, "input[type=range]")
        heat.send_keys(Keys.HOME)
        stage.wait(self.driver, "return !document.querySelector('#next.busy') && location.hash.includes('temperature=0')")
        assert self.driver.find_element(By.ID, "next").text != before
        self.driver.find_element(By.CSS_SELECTOR, "button.main").click()
        stage.wait(self.driver, "return document.querySelector('#written').dataset.done !== undefined")
        self.clean("writing")

    def lessons_take_the_readers_numbers(self):
        self.open("lessons", topic="softmax")
        field = self.driver.find_element(By.CSS_SELECTOR, "input[name=x]")
        field.send_keys("1,1,1,1")
        stage.wait(self.driver, "return document.querySelector('#lesson').textContent.includes('0.25') && location.hash.includes('in.x')")
        self.clean("a lesson")
        self.open("lessons", chapter=1, seed=7)
        answer = self.driver.find_element(By.CSS_SELECTOR, "#view form input")
        answer.send_keys("1", Keys.ENTER)
        stage.wait(self.driver, "return document.querySelector('.mark') !== null")
        self.clean("an exercise")

    def exports_are_svg_and_json(self):
        self.driver.get(self.server.address)
        for view in VIEWS:
            self.open(view, *([] if view in OF_NO_MODEL else [fitting(view, self.models)[0]]))
            self.js("window.kept = []; URL.createObjectURL = (blob) => { blob.text().then((t) => kept.push(t)); return '#'; }")
            for button in self.driver.find_elements(By.CSS_SELECTOR, ".tools button")[:2]:
                have = self.js("return kept.length")
                button.click()
                stage.wait(self.driver, f"return kept.length === {have + 1}")
            svg, text = self.js("return kept")
            assert xml.dom.minidom.parseString(svg).documentElement.tagName == "svg", view
            assert json.loads(text) is not None, view


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source"), parser.add_argument("jogak")
    parser.add_argument("--only", default=""), parser.add_argument("--shots"), parser.add_argument("--models")
    parser.add_argument("--families", default="", help="those that every language, theme and width is looked at with: gpt2,vit,..")
    args = parser.parse_args()
    for program in ("/usr/bin/chromium", "/usr/bin/chromedriver"):
        if not pathlib.Path(program).exists():
            print(f"{program} is missing: the page is not tested in a browser")
            sys.exit(77)
    shots = pathlib.Path(args.shots) if args.shots else None
    if shots:
        shots.mkdir(parents=True, exist_ok=True)
    begin, failed = time.time(), []
    with tempfile.TemporaryDirectory() as folder:
        runs = serving.make_models(args.jogak, args.source, args.models or folder)
        print(f"models made after {time.time() - begin:.1f} s", flush=True)
        fresh = serving.fresh_models(args.jogak, args.source, runs.parent)
        server = serving.Server(args.jogak, *fresh, "--runs", runs)
        if "built without its page" in serving.text(server.address + "/"):
            print("this jogak was built without its page: nothing to test in a browser")
            sys.exit(77)
        driver = stage.browser()
        try:
            tests = Tests(args.jogak, server, driver, shots, args.families.split(",") if args.families else [])
            tools = ("open", "js", "clean", "keep", "size", "prefer", "drop", "red", "views", "of_view", "looked_at", "whole_page", "sheet")
            for name in [n for n in [*looks.Looks.__dict__, *dress.Dress.__dict__, *Tests.__dict__] if n[0] != "_" and n not in tools]:
                if args.only not in name:
                    continue
                start = time.time()
                try:
                    getattr(tests, name)()
                    print(f"{name.replace('_', ' ')}: {time.time() - start:.1f} s", flush=True)
                except Exception as error:  # noqa: BLE001: each claim is tried
                    failed.append(name)
                    print(f"FAILED {name}: {type(error).__name__}: {error}", flush=True)
                    if shots:
                        driver.save_screenshot(str(shots / f"failed-{name}.png"))
        finally:
            driver.quit()
            code = server.stop()
    if code != 0:
        failed.append(f"the server ended with {code}")
    print(f"{tests.asked} views in {time.time() - begin:.0f} s; failed: {', '.join(failed) or 'nothing'}")
    sys.exit(bool(failed))


main()
