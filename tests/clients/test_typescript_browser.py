# SPDX-License-Identifier: Apache-2.0
"""The TypeScript package as it is packed, in a page of another origin, in a real browser."""
import http.server
import json
import os
import pathlib
import queue
import shutil
import signal
import subprocess
import threading

import pytest
from lib.processes import eventually, running
from lib.server import ROOT

HERE = pathlib.Path(__file__).parent / "typescript"
BROWSER = shutil.which("chromium")
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--no-proxy-server")
TYPES = {".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript"}
pytestmark = pytest.mark.skipif(not BROWSER and not shutil.which("apt-get"), reason="no Chromium, and no Debian to install it")


@pytest.fixture(scope="module")
def packed(dist, tmp_path_factory):
    """What `npm pack` packs, unpacked; the compiler has run already."""
    folder = tmp_path_factory.mktemp("packed")
    source = folder / "source"
    shutil.copytree(ROOT / "clients/typescript", source, ignore=shutil.ignore_patterns("dist", "node_modules"))
    shutil.copytree(dist, source / "dist", ignore=shutil.ignore_patterns("package.json"))
    subprocess.run(["npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", str(folder)], cwd=source, check=True,
                   capture_output=True, timeout=100, env={**os.environ, "npm_config_update_notifier": "false"})
    (tgz,) = folder.glob("*.tgz")
    subprocess.run(["tar", "-xzf", tgz, "-C", folder], check=True)
    return folder / "package"


class Site:
    """Serves the page and the package on loopback; what the page posts is put into a queue."""

    def __init__(self, package):
        self.posted = queue.Queue()
        self.settings = {}
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self, body, kind):
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self):
                path = self.path.partition("?")[0]
                file = package / path.removeprefix("/package/") if path.startswith("/package/") else HERE / pathlib.Path(path).name
                if path == "/settings":
                    self.answer(json.dumps(site.settings).encode(), "application/json")
                elif file.suffix in TYPES and file.is_file():
                    self.answer(file.read_bytes(), TYPES[file.suffix])
                else:
                    self.send_error(404)

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                site.posted.put(json.loads(body))
                self.answer(b"{}", "application/json")

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def site(packed):
    made = Site(packed)
    yield made
    made.close()


@pytest.fixture
def browse(tmp_path):
    """Opens a page; the browser and all that it started are gone at the end."""
    begun = []

    def browse(url):
        assert BROWSER, "Chromium is not installed; tools/install-deps test installs it"
        words = [BROWSER, *FLAGS, f"--user-data-dir={tmp_path}/profile", url]
        begun.append(subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                      start_new_session=True, env={**os.environ, "HOME": str(tmp_path)}))

    yield browse
    for process in begun:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.fixture
def serve(make_server):
    def serve(origins):
        server = make_server(policy={"profile": "full_access", "cors": {"origins": origins}}, token="s3cret")
        (server.base / "one.txt").write_text("1")
        (server.base / "two.txt").write_text("22")
        return server

    return serve


def test_it_works_in_a_page(serve, site, browse):
    server = serve([site.origin])
    argv = ["sleep", f"7{os.getpid()}.25"]
    site.settings = {"url": server.url, "token": "s3cret", "argv": argv}
    browse(f"{site.origin}/page.html")
    first = site.posted.get(timeout=110)
    assert first == {
        "names": ["one.txt", "two.txt"], "sent": 4, "read": "ab\r\n", "stream": ["start", "stdout", "exit"], "text": "x\u2028y", "code": 3,
        "typed": "got hello", "exit_code": 5, "error": ["FileNotFoundError_", "E4001", "files.not_found", "files.read", True],
        "unauthorized": "ServerAuthError", "long": ["ServerAPIError", "http.uri_too_long"], "running": True}
    eventually(lambda: not running(*argv))  # the page left the stream
    assert site.posted.get(timeout=60) == {"left": True}


def test_a_page_that_is_not_listed_gets_nothing(serve, site, browse):
    server = serve([])
    site.settings = {"url": server.url, "token": "s3cret", "argv": []}
    browse(f"{site.origin}/page.html")
    assert site.posted.get(timeout=110)["fault"] == "ServerConnectionError"
