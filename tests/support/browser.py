"""A real browser that is clicked, touched and typed into: Chromium, by its DevTools protocol over a pipe."""

import base64
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
#: Keys by their names: what the protocol calls their codes.
_CODES = {"Enter": 13, "Tab": 9, "Escape": 27, " ": 32, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39}
_CODES |= {"ArrowDown": 40, "Home": 36, "End": 35}


class Page:
    """One page. Raises RuntimeError for errors of its scripts, and TimeoutError."""

    def __init__(self, to_browser: int, from_browser: int) -> None:
        self._to, self._from = to_browser, from_browser
        self._number, self._waiting, self._session = 0, b"", ""
        [target] = [t for t in self._call("Target.getTargets")["targetInfos"] if t["type"] == "page"]
        about = {"targetId": target["targetId"], "flatten": True}
        self._session = self._call("Target.attachToTarget", **about)["sessionId"]
        for domain in ("Page", "Runtime"):
            self._call(f"{domain}.enable")

    def _call(self, method: str, **about: Any) -> Any:
        self._number += 1
        message = {"id": self._number, "method": method, "params": about}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self._waiting:
                self._waiting += os.read(self._from, 1 << 20)
            line, self._waiting = self._waiting.split(b"\0", 1)
            answer = json.loads(line)
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def open(
        self, address: str, width: int = 1280, height: int = 900, *, dark: bool = False, printed: bool = False
    ) -> None:
        """Shows an address, in a window of this size; `printed` as paper has it."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self._call("Emulation.setDeviceMetricsOverride", **size)
        self._call("Emulation.setTouchEmulationEnabled", enabled=True)
        features = [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]
        self._call("Emulation.setEmulatedMedia", media="print" if printed else "", features=features)
        self._call("Page.navigate", url=address)
        self.wait("document.readyState === 'complete'")

    def ask(self, script: str) -> Any:
        """The value of an expression, or of the promise that it is."""
        about = {"expression": script, "returnByValue": True, "awaitPromise": True}
        answer = self._call("Runtime.evaluate", **about)
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"])[:600])
        return answer["result"].get("value")

    def wait(self, condition: str, seconds: float = 60.0) -> None:
        """Until the expression is true."""
        end = time.monotonic() + seconds
        while not self.ask(f"Boolean({condition})"):
            if time.monotonic() > end:
                raise TimeoutError(condition)
            time.sleep(0.02)

    def middle(self, query: str) -> tuple[float, float]:
        """Where the middle of the first such element is, scrolled into the window."""
        found = self.ask(
            f"(() => {{ const e = document.querySelector({json.dumps(query)});"
            " e.scrollIntoView({block: 'center'}); const b = e.getBoundingClientRect();"
            " return [b.x + b.width / 2, b.y + b.height / 2]; })()"
        )
        return float(found[0]), float(found[1])

    def click(self, query: str) -> None:
        """A click of the mouse on the first such element."""
        x, y = self.middle(query)
        for kind in ("mousePressed", "mouseReleased"):
            self._call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def tap(self, query: str) -> None:
        """A touch of a finger on the first such element."""
        x, y = self.middle(query)
        self._call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self._call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def swipe(self, query: str, dx: float, dy: float) -> None:
        """A finger that goes this far from the middle of the first such element."""
        x, y = self.middle(query)
        self._call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self._call("Input.dispatchTouchEvent", type="touchMove", touchPoints=[{"x": x + dx, "y": y + dy}])
        self._call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def press(self, key: str) -> None:
        """A key, on whatever has the focus."""
        code = _CODES.get(key, ord(key[0].upper()))
        about = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        text = {"text": "\r"} if key == "Enter" else {"text": key} if len(key) == 1 else {}
        self._call("Input.dispatchKeyEvent", type="keyDown", **about, **text)
        self._call("Input.dispatchKeyEvent", type="keyUp", **about)

    def screenshot(self, path: Path) -> None:
        """Writes a PNG of the whole page."""
        shot = self._call("Page.captureScreenshot", captureBeyondViewport=True, format="png")
        path.write_bytes(base64.b64decode(shot["data"]))


@contextmanager
def browser(profile: Path) -> Iterator[Page]:
    """A page of a browser that is started for it, and ended afterwards."""
    read_there, write_here = os.pipe()
    read_here, write_there = os.pipe()

    def as_three_and_four() -> None:
        first, second = os.dup(read_there), os.dup(write_there)
        os.dup2(first, 3)
        os.dup2(second, 4)

    command = [str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe"]
    command += [f"--user-data-dir={profile}", "--hide-scrollbars", "about:blank"]
    process = subprocess.Popen(
        command, preexec_fn=as_three_and_four, close_fds=False, stderr=subprocess.DEVNULL
    )
    os.close(read_there)
    os.close(write_there)
    try:
        yield Page(write_here, read_here)
    finally:
        process.kill()
        process.wait()
        os.close(write_here)
        os.close(read_here)
