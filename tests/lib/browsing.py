# SPDX-License-Identifier: Apache-2.0
"""What the tests of the browser share: short words for its ops, and questions about its processes."""
import base64
import contextlib
import os
import pathlib
import re
import subprocess

from lib.client import expect_error
from lib.png import Picture
from lib.processes import children, is_alive

ON = {"groups": {"browser": True}}


def has_user_namespaces():
    """Whether 'nobody' may have them: Chromium's sandbox is made of them."""
    words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "unshare", "-U", "true"]
    return subprocess.run(words, capture_output=True).returncode == 0


def go(client, url, wait_until="load", **more):
    return client.rest("browser.navigate", url=url, wait_until=wait_until, **more)


def evaluate(client, script, timeout=30_000, **more):
    return client.rest("browser.evaluate", script=script, timeout=timeout, **more)["result"]


# What is told of a page that did not get far in its time.
EARLIER = ("there is no answer yet", "its document is not whole", "it still loads", "the page did not answer in time")


def out_of_time(call, says, milliseconds=300):
    """call(timeout) ends by it and says so; where the machine stood still it may have been over too early, and gets more."""
    for factor in (1, 10, 100):
        with expect_error("browser.timeout", 408) as caught:
            call(milliseconds * factor)
        if re.search(says, caught.error.message):
            return
        assert any(words in caught.error.message for words in EARLIER), caught.error
    raise AssertionError(f"wanted '{says}' in: {caught.error}")


def text_of(client):
    return client.rest("browser.content", type="text")["content"]


def shown(client):
    """What the pages of lib/pages.py say that happened."""
    return evaluate(client, "document.getElementById('result').textContent")


def logs(client):
    return client.rest("browser.console")["logs"]


def members(server):
    """Pids of all that lives of the server's browser, its own pid first; zombies apart."""
    seen, found = [server.pid], []
    while seen:
        below = [pid for pid in children(seen.pop()) if pid not in found]
        found += below
        seen += below
    return [pid for pid in found if is_alive(pid)]


def command_line(pid):
    with contextlib.suppress(OSError):
        return re.split(rb"[\0 ]", pathlib.Path(f"/proc/{pid}/cmdline").read_bytes())  # Chromium writes its own anew, with blanks
    return []


def main_process(server):
    """The one that talks to the server."""
    for pid in members(server):
        words = command_line(pid)
        if b"--remote-debugging-pipe" in words and not any(word.startswith(b"--type=") for word in words):
            return pid
    return None


def renderers(server):
    return [pid for pid in members(server) if b"--type=renderer" in command_line(pid)]


def profile_of(pid):
    words = [word for word in command_line(pid) if word.startswith(b"--user-data-dir=")]
    return pathlib.Path(os.fsdecode(words[0].split(b"=", 1)[1])) if words else None


def page(body, script=""):
    return "data:text/html," + body + (f"<script>{script}</script>" if script else "")


def picture(client, **args):
    result = client.rest("browser.screenshot", **args)
    image = base64.b64decode(result["image_base64"])
    if args.get("format", "png") == "png":
        parsed = Picture(image)
        assert (parsed.width, parsed.height) == (result["width"], result["height"])
        return parsed
    return result, image
