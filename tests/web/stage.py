"""A browser, and views opened in it."""

import time
from urllib.parse import urlencode

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By


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


def open_view(driver, address, view, fresh=True, **values):
    """Goes to a view and waits until it has drawn itself and nothing is under way. Not `fresh`: from the view that is open, as a
    reader does, without loading the page again."""
    place = f"#/{view}?{urlencode(values)}"
    if fresh or not driver.current_url.startswith(address) or driver.current_url.endswith(place):
        driver.get("about:blank")
        driver.get(f"{address}/{place}")
    else:
        driver.execute_script("delete document.querySelector('main').dataset.view; location.hash = arguments[0]", place)
    settle(driver, view)


def settle(driver, view):
    wait(driver, f"return document.querySelector('main')?.dataset.view === '{view}' && "
                 "!document.querySelector('.busy, [aria-busy]')")
    driver.execute_async_script(  # canvases draw in the next frame
        "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)))")


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
