"""A headless Chromium driven over its DevTools protocol: open a page, look at it, click, fill in, take pictures.

Protocol: https://chromedevtools.github.io/devtools-protocol/ (2026-11-22).
"""

import base64
import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

from websockets.sync.client import ClientConnection, connect

WITHIN_S = 600.0
POLL_S = 0.2
MAX_MESSAGE_BYTES = 64 * 1024**2


class Browser:
    """One page. Remembers every address that it asked for.

    Args:
        socket: the page's DevTools connection.
    """

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._number = 0
        self.requested: set[str] = set()
        """Hosts that the page sent requests to."""
        self.failed: list[str] = []
        """Requests that came to nothing: status or network error, and address."""
        self.answered: list[str] = []
        """Status, method and address of every answer."""
        self._addresses: dict[str, str] = {}
        self._methods: dict[str, str] = {}
        self.alerts: list[str] = []
        """Dialogs that scripts opened."""
        for domain in ("Page", "Runtime", "Network"):
            self._send(f"{domain}.enable")

    def open(self, url: str, *, width: int = 1400, height: int = 1000) -> Self:
        """Go to an address, in a window of this size."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self._send("Emulation.setDeviceMetricsOverride", **size)
        self._send("Page.navigate", url=url)
        return self

    def prefer(self, scheme: str) -> Self:
        """As a person has it who prefers `light` or `dark`."""
        self._send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        return self

    def text(self) -> str:
        """What the page shows."""
        return str(self.run("document.body ? document.body.innerText : ''"))

    def run(self, script: str) -> Any:
        """The value of a script's expression in the page."""
        answer = self._send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait_for(self, *texts: str) -> Self:
        """Until the page shows all of these."""
        return self.wait_until(f"{json.dumps(texts)}.every(t => document.body && document.body.innerText.includes(t))")

    def wait_until(self, script: str) -> Self:
        """Until the script's expression is true."""
        deadline = time.monotonic() + WITHIN_S
        while not self.run(script):
            assert time.monotonic() < deadline, f"never: {script}; failed: {self.failed}; shown:\n{self.text()[:3000]}"
            time.sleep(POLL_S)
        return self

    def click(self, text: str, *, of: str = "button, a, [role=tab], [role=option], [role=menuitem]") -> Self:
        """Click the first visible element of a kind that shows exactly this text."""
        find = (
            f"[...document.querySelectorAll({json.dumps(of)})].filter(e => e.getClientRects().length)"
            f".find(e => e.innerText.trim() === {json.dumps(text)})"
        )
        self.wait_until(f"!!({find})")
        place = self.run(
            f"(() => {{ const e = {find}; e.scrollIntoView({{block: 'center'}}); const r = e.getBoundingClientRect();"
            " return [r.x + r.width / 2, r.y + r.height / 2] })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self._send("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1)
        return self

    def fill(self, selector: str, text: str) -> Self:
        """Type into an empty field."""
        self.wait_until(f"!!document.querySelector({json.dumps(selector)})")
        self.run(f"document.querySelector({json.dumps(selector)}).focus()")
        self._send("Input.insertText", text=text)
        return self

    def picture(self, path: Path) -> None:
        """Save what the window shows as PNG."""
        path.write_bytes(base64.b64decode(self._send("Page.captureScreenshot", format="png")["data"]))

    def _send(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self._socket.recv(timeout=WITHIN_S))
            if message.get("id") == self._number:
                assert "error" not in message, message["error"]
                return dict(message["result"])
            self._heard(message)

    def _heard(self, message: dict[str, Any]) -> None:
        said = message.get("params", {})
        address = self._addresses.get(said.get("requestId", ""), "")
        if message.get("method") == "Network.requestWillBeSent":
            self._addresses[said["requestId"]] = said["request"]["url"]
            self._methods[said["requestId"]] = said["request"]["method"]
            url = urlsplit(said["request"]["url"])
            if url.scheme in {"http", "https", "ws", "wss"}:
                self.requested.add(url.hostname or "")
        elif message.get("method") == "Network.loadingFailed":
            self.failed.append(f"{said['errorText']} {address}")
        elif message.get("method") == "Network.responseReceived":
            status, method = said["response"]["status"], self._methods.get(said["requestId"], "")
            self.answered.append(f"{status} {method} {address}")
            if status >= HTTPStatus.BAD_REQUEST:
                self.failed.append(f"{status} {address}")
        elif message.get("method") == "Page.javascriptDialogOpening":
            self.alerts.append(said["message"])
            self._number += 1
            answer = {"id": self._number, "method": "Page.handleJavaScriptDialog", "params": {"accept": False}}
            self._socket.send(json.dumps(answer))


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser with a profile of its own, ended with the block."""
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert program, "no Chromium on this machine: scripts/ensure-browser.sh"
    with tempfile.TemporaryDirectory(prefix="refute-browser-", ignore_cleanup_errors=True) as profile:
        fixed = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--no-proxy-server"]
        quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
        command = [program, *fixed, *quiet, "--remote-debugging-port=0", f"--user-data-dir={profile}", "about:blank"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            # No pings: a page may work, or wait for its turn on a busy machine, longer than they allow.
            address = _page_socket(Path(profile))
            with connect(address, max_size=MAX_MESSAGE_BYTES, ping_interval=None, proxy=None) as socket:
                yield Browser(socket)
        finally:
            process.terminate()
            process.wait(timeout=WITHIN_S)


def _page_socket(profile: Path) -> str:
    """The address of the first page's connection; Chromium writes its port into the profile once it listens."""
    import httpx

    written = profile / "DevToolsActivePort"
    deadline = time.monotonic() + WITHIN_S
    while time.monotonic() < deadline:
        lines = written.read_text().splitlines() if written.is_file() else []
        if lines:
            pages = httpx.get(f"http://127.0.0.1:{lines[0]}/json", trust_env=False, timeout=WITHIN_S).json()
            found = [page["webSocketDebuggerUrl"] for page in pages if page["type"] == "page"]
            if found:
                return str(found[0])
        time.sleep(POLL_S)
    raise AssertionError("Chromium did not listen")
