"""Claims about looking inside: what a click, a key, a file or an address changes is what the API says."""

import json
import math
import re

import stage
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

QUIET = "!document.querySelector('.busy, [aria-busy]')"


# From the first step to the last by the arrow key: every lesson that is named.
WALK = """
const topics = new Set();
for (let last = ''; last !== location.hash;) {
  last = location.hash;
  for (const link of document.querySelectorAll('#step a')) topics.add(link.href.split('topic=')[1]);
  window.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight'}));
}
return [...topics];
"""


def loss_of(text):
    before, after = text.split("→")
    return float(before), float(after)


class Looks:
    def lessons_that_steps_name_are_there(self):
        topics = {topic["name"] for section in self.server.get("/api/lessons")["sections"] for topic in section["topics"]}
        for model in ("quickstart", "gpt2", "llama", "bert", "vit", "patchtst", "t5", "clip"):
            self.open("pipeline", model)
            named = set(self.js(WALK))
            assert named and named <= topics, (model, named - topics)

    def a_decoder_tells_its_two_attentions_apart(self):
        for model in ("quickstart", "t5", "bart"):
            self.open("pipeline", model)
            steps = self.server.post(f"/api/models/{model}/steps", {"input": {"text": "a"}, "token": 0})["steps"]
            last = max(i for i, step in enumerate(steps) if step["role"] == "weights")
            self.open("pipeline", model, step=last)
            parts = self.js("return [...document.querySelectorAll('.part')].map((e) => e.textContent)")
            assert parts == ["Self-attention", "Cross-attention", "Feed-forward"], (model, parts)

    def a_text_beside_an_image_has_a_lane_of_its_own(self):
        self.open("pipeline", "clip")
        assert self.js("return [...document.querySelectorAll('.lane h3')].map((e) => e.textContent)") == ["Image", "Text"]
        steps = self.server.post("/api/models/clip/steps", {"input": {"file": "example", "text": "a"}, "token": 0})["steps"]
        wrong = [step["name"] for step in steps if step["source"] != step["name"].startswith("text_")]
        assert steps and not wrong, wrong
        assert [step["role"] for step in steps if step["layer"] < 0 and step["shape"] == [1, 64]] == ["head", "head"]

    def formulas_are_written_as_by_hand(self):
        self.open("lessons", topic="dot")
        stage.wait(self.driver, "return document.querySelector('#lesson .formula sub') !== null")
        assert not re.search(r"_|->", self.js("return [...document.querySelectorAll('#lesson .formula')].slice(0, -1).map((e) => e.textContent).join()"))
        self.open("lessons", topic="scale")
        assert self.js("return [...document.querySelectorAll('.contents a')].some((e) => e.innerHTML.includes('√d<sub>k</sub>'))")

    def the_first_weight_shown_is_worth_a_look(self):
        self.open("attention", "gpt2")
        stage.wait(self.driver, f"return document.querySelector('#weight') && {QUIET}")
        assert float(self.driver.find_element(By.ID, "weight").text) < 1, "the first token sees itself alone"

    def what_is_left_out_is_said(self):
        self.open("norms", "gpt2")
        assert "the first 48 of 64 dimensions" in self.driver.find_element(By.ID, "view").text

    def a_lens_on_small_chances_is_seen(self):
        """Full colour is the largest chance there is; layers and tokens have the names they have elsewhere."""
        self.open("norms", "qwen2")
        lens = "[...document.querySelectorAll('section.figure')].at(-1)"
        shown = self.server.post("/api/models/qwen2/inspect", {"what": "lens", "input": {"text": "The cat sat on the mat."}})
        high = max(map(max, shown["pictures"][0]["values"]))
        assert high < 0.1, high
        said = self.js(f"return {lens}.querySelector('.legend').textContent")
        assert math.isclose(float(said.removeprefix("0")), high, rel_tol=1e-3), (said, high)
        heads = self.js(f"return [...{lens}.querySelectorAll('th')].map((e) => e.textContent)")
        assert "␣the" in heads and not any("Ġ" in one for one in heads), heads
        canvas = self.js(f"return {lens}.querySelector('canvas[tabindex]')")
        canvas.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_DOWN)
        assert self.js(f"return {lens}.querySelector('.readout').textContent").startswith("layer 0 · "), "layers are no tokens"

    def a_film_asks_for_a_head_where_there_is_one(self):
        shown = "return [...document.querySelectorAll('.figure select')].filter((e) => e.checkVisibility()).length"
        self.open("training", runs="gpt2", film="attention")
        assert self.js(shown) == 2, "layer and head"
        self.open("training", runs="gpt2", film="positions")
        assert self.js(shown) == 0, "a table has neither"

    def groups_of_views_have_names_of_their_own(self):
        for lang in ("ko", "en"):
            self.open("start")
            self.prefer(lang=lang)
            self.open("start")
            names = self.js("return [...document.querySelectorAll('.rail nav a, .rail nav .group')].map((e) => e.textContent)")
            assert len(set(names)) == len(names), names

    def speed_of_what_reads_no_tokens(self):
        self.open("training", runs="patchtst")
        read = "return [...document.querySelectorAll('svg[role=img]')].map((e) => e.getAttribute('aria-label')).find((e) => e.startsWith('Speed'))"
        assert re.search(r"examples per second: \d", self.js(read)), self.js(read)

    def series_are_looked_at_one_by_one(self):
        kept = [self.server.post("/api/models/patchtst/attention", {"input": {"file": "example"}, "row": row}) for row in range(2)]
        assert [one["kinds"][0]["row"] for one in kept] == [0, 1] and kept[0]["kinds"][0]["rows"] == 3, kept[0]["kinds"]
        cells = [self.server.get(f"/api/attention/{one['id']}/cell?kind=self&layer=0&head=0&query=3&key=1") for one in kept]
        assert cells[0]["dot"] != cells[1]["dot"], "two series, one attention"
        self.open("attention", "patchtst", row=1, form="input", layer=0, head=0, query=3, key=1)
        shown = self.js("return [...document.querySelectorAll('#cell td.number')].map((e) => e.textContent)")
        assert abs(float(shown[0]) - cells[1]["dot"]) <= 0.005 * abs(cells[1]["dot"]), (shown, cells[1]["dot"])  # small ones have three digits
        self.clean("one series of several")

    def pictures_of_attention_answer_to_keys(self):
        for model, form, key, step in (("gpt2", "lines", Keys.ARROW_DOWN, 1), ("vit", "input", Keys.ARROW_RIGHT, 1),
                                       ("patchtst", "input", Keys.ARROW_RIGHT, 1)):
            self.open("attention", model, form=form, query=2, key=1)
            picture = ".attention > section:nth-child(2) svg[tabindex]"
            self.driver.find_element(By.CSS_SELECTOR, picture).send_keys(key)
            stage.wait(self.driver, f"return location.hash.includes('query={2 + step}') && {QUIET}")
            stage.wait(self.driver, f"return document.activeElement.matches('{picture}')")
            self.driver.find_element(By.CSS_SELECTOR, picture).send_keys(key)  # the focus has stayed
            stage.wait(self.driver, f"return location.hash.includes('query={2 + 2 * step}') && {QUIET}")
            self.clean(f"{form} of {model} by keyboard")

    def parts_are_taken_from_another_picture(self):
        self.open("ablate", "vit", mode="patch", patch="ffn:0")
        file = self.drop("red.png", "image/png", self.red(), place=1, key="from_file")
        stage.wait(self.driver, f"return document.querySelector('#change .fact b') && {QUIET}")
        said = self.server.post("/api/models/vit/ablate", {"input": {"file": "example"}, "patch": "ffn:0", "from": {"file": file}})
        shown = loss_of(self.driver.find_element(By.CSS_SELECTOR, "#change .fact b").text)
        assert shown == (float(f"{said['loss_before']:.4g}"), float(f"{said['loss_after']:.4g}")), (shown, said["loss_after"])
        self.clean("a part of another picture")

    def learned_positions_are_one_of_four_kinds(self):
        self.open("positions", "llama", kind="learned")
        text = self.driver.find_element(By.ID, "view").text
        assert "one row of a table for each position" in text, text[:400]
        assert self.js("return document.querySelector('#view [data-pictures], #view')?.dataset.pictures") not in (None, "0")
        self.clean("learned positions beside a model of others")

    def a_film_of_each_attention_of_a_translator(self):
        titles = set()
        for kind in ("cross", "self", "encoder"):
            self.open("training", runs="quickstart", kind=kind)
            find = "[...document.querySelectorAll('.figure canvas')].find((e) => (e.getAttribute('aria-label') ?? '').includes('Arrow keys'))"
            stage.wait(self.driver, f"return {find} !== undefined")
            titles.add(self.js(f"return {find}.getAttribute('aria-label')"))
            self.clean(f"the film of {kind}")
        assert len(titles) == 3, titles

    def answers_to_exercises_stay_in_the_address(self):
        self.open("lessons", chapter=1, seed=3)
        field = self.driver.find_element(By.CSS_SELECTOR, "#view form input")
        given = dict(line.split(" = ") for line in self.js("return [...document.querySelectorAll('#view .card .formula')].slice(0, 2).map((e) => e.textContent)"))
        right = sum(x * y for x, y in zip(json.loads(given["a"]), json.loads(given["b"])))
        field.send_keys(str(right), Keys.ENTER)
        stage.wait(self.driver, "return document.querySelector('.mark.right') !== null")
        address = self.driver.current_url
        self.driver.get("about:blank")
        self.driver.get(address)
        stage.wait(self.driver, "return document.querySelector('.mark.right') !== null")
        assert self.driver.find_element(By.CSS_SELECTOR, "#view form input").get_attribute("value") == str(right)
        self.clean("an exercise from its address")

    def series_are_forecast_where_models_are_tried(self):
        self.open("try", "patchtst")
        assert self.js("return document.querySelectorAll('#view svg[role=img]').length") >= 4
        self.clean("a forecast in Try")

    def what_is_wrong_is_said_in_the_readers_language(self):
        for lang, wanted in (("ko", re.compile("[가-힣]{2}")), ("en", re.compile("^[^가-힣]+$"))):
            self.prefer(lang=lang)
            self.open("attention", "gpt2", text="a " * 400)
            said = self.driver.find_element(By.CSS_SELECTOR, ".trouble").text
            assert wanted.search(said), (lang, said)
            stage.complaints(self.driver)  # the browser's own words about status 400

    def a_server_that_is_gone_is_said_to_be(self):
        self.open("tokens", "gpt2")
        self.driver.execute_cdp_cmd("Network.enable", {})
        gone = {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}
        self.driver.execute_cdp_cmd("Network.emulateNetworkConditions", gone)
        self.driver.find_element(By.CSS_SELECTOR, "textarea").send_keys("b")
        stage.wait(self.driver, "return document.querySelector('.trouble')?.textContent.includes('jogak serve')")
        self.driver.execute_cdp_cmd("Network.emulateNetworkConditions",
                                    {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})
        self.driver.find_element(By.CSS_SELECTOR, "textarea").send_keys("c")
        stage.wait(self.driver, f"return !document.querySelector('.trouble') && {QUIET}")
        stage.complaints(self.driver)
