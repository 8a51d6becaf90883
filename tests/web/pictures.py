#!/usr/bin/python3
"""The pictures of the READMEs: pictures.py SOURCE JOGAK [RUNS]. RUNS holds a run called quickstart (jogak demo)."""

import pathlib
import sys
import time

import serving
import stage

# View, its address, and how much of it is shown.
PICTURES = {
    "attention": ({"model": "quickstart"}, 1060),
    "pipeline": ({"model": "quickstart", "step": "6", "token": "4"}, 1130),
    "training": ({"runs": "quickstart", "log": "1"}, 818),
}


def main():
    source, jogak, runs = sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else "runs"
    server = serving.Server(jogak, "--runs", runs)
    driver = stage.browser()
    for view, (values, height) in PICTURES.items():
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                               {"width": 1280, "height": height, "deviceScaleFactor": 1, "mobile": False})
        stage.open_view(driver, server.address, view, **values)
        time.sleep(1)
        driver.save_screenshot(str(pathlib.Path(source) / "docs" / "pictures" / f"page-{view}.png"))
    driver.quit()
    server.stop()


if __name__ == "__main__":
    main()
