"""Claims about how the page is dressed: both languages, light and dark, a desk and a phone, in every combination."""

import base64
import itertools
import re

import stage
from selenium.webdriver.common.by import By

KOREAN = re.compile("[가-힣]")
WIDTHS = {"desk": (1280, 900), "phone": (360, 740)}
COMBINATIONS = [*itertools.product(("en", "ko"), ("light", "dark"), WIDTHS)]
# What stands in the rail and above a view, the theme, and the words of buttons and labels below.
SEEN = """
const words = (which) => [...document.querySelectorAll(which)].map((e) => e.textContent).join(' ');
return {lang: document.documentElement.lang, theme: document.documentElement.dataset.theme, heading: words('h1, .lead'),
        rail: words('.rail nav a, .rail nav .group')};
"""
WHOLE = "return Math.min(12000, Math.max(document.documentElement.scrollHeight, innerHeight))"


class Dress:
    def every_language_theme_and_width(self):
        """Nothing is cut, unreadable, unnamed or in the other language; with --shots a sheet of each view's eight pictures is kept."""
        taken, wrong = {}, []
        for lang, theme, width in COMBINATIONS:
            self.size(*WIDTHS[width])
            self.driver.get(self.server.address)  # what is preferred is kept by address
            self.prefer(lang=lang, theme=theme)
            fresh = True
            for view, model in self.looked_at():
                what = f"{view}{f'-{model}' if model else ''}"
                self.open(view, model, fresh=fresh)
                fresh = False
                seen = self.js(SEEN)
                assert (seen["lang"], seen["theme"]) == (lang, theme), (what, seen)
                for words in (seen["heading"], seen["rail"]):
                    assert bool(KOREAN.search(words)) == (lang == "ko"), (what, words)
                try:
                    self.clean(f"{what}, {lang}, {theme}, {width}")
                except AssertionError as error:
                    wrong.append(str(error))
                if self.shots:
                    taken.setdefault((what, width), []).append(self.whole_page(f"{what}-{width}-{lang}-{theme}"))
        self.size(*WIDTHS["desk"])
        self.driver.get(self.server.address)
        self.prefer(lang="en", theme="light")
        for (what, width), files in taken.items():
            self.sheet(f"sheet-{what}-{width}", files, 360 if width == "phone" else 760)
        assert not wrong, "\n".join(wrong)

    def the_menu_of_a_phone_opens(self):
        self.size(*WIDTHS["phone"])
        self.open("start")
        self.driver.find_element(By.CSS_SELECTOR, ".menu").click()
        assert self.driver.find_element(By.CSS_SELECTOR, ".rail nav").is_displayed()
        self.clean("the menu of a phone")
        self.size(*WIDTHS["desk"])

    def looked_at(self):
        """Every view with the models it is looked at with."""
        for view in self.views:
            for model in self.of_view(view):
                yield view, model

    def whole_page(self, name):
        """A picture of the page to its end, not of the window alone."""
        height = self.js(WHOLE)
        width = self.js("return innerWidth")
        shot = self.driver.execute_cdp_cmd("Page.captureScreenshot", {
            "captureBeyondViewport": True, "clip": {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}})
        file = self.shots / f"{name}.png"
        file.write_bytes(base64.b64decode(shot["data"]))
        return file

    def sheet(self, name, files, width):
        """Pictures side by side, by the browser itself."""
        page = self.shots / f"{name}.html"
        page.write_text("<body style='margin:0;display:flex;align-items:start;gap:6px;background:#888'>" + "".join(
            f"<img src='{file.name}' width={width}>" for file in files))
        self.driver.get(page.resolve().as_uri())
        stage.wait(self.driver, "return [...document.images].every((one) => one.complete)")
        size = self.js("const b = document.body; return [b.scrollWidth, b.scrollHeight]")
        shot = self.driver.execute_cdp_cmd("Page.captureScreenshot", {
            "captureBeyondViewport": True, "clip": {"x": 0, "y": 0, "width": size[0], "height": size[1], "scale": 1}})
        page.with_suffix(".png").write_bytes(base64.b64decode(shot["data"]))
        page.unlink()
