# SPDX-License-Identifier: Apache-2.0
"""One page of a real Chromium (R84, R96, R100, B116, B118, B119, B142): what each op does, and what happens when things go wrong."""
import base64
import concurrent.futures
import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile

import pytest

from lib import pages
from lib.access import token
from lib.client import expect_error
from lib.pages import Site
from lib.png import Picture
from lib.processes import children, eventually
from lib.server import Server, is_sanitized

pytestmark = pytest.mark.xdist_group("browser")

ON = {"groups": {"browser": True}}
AT_ONCE = 2.0  # of the specification: how soon callers hear of a crash
IS_ROOT = os.geteuid() == 0


@pytest.fixture(scope="module")
def site():
    with Site() as site:
        yield site


@pytest.fixture(scope="module")
def browser_server():
    with Server(policy=ON) as server:
        yield server
        server.check_silence()


@pytest.fixture
def browser(browser_server, site):
    """A client whose page is empty and whose console was read."""
    site.forget()
    client = browser_server.client(timeout=60)
    client.call("browser.navigate", url="about:blank", wait_until="load")
    client.call("browser.console")
    yield client
    assert browser_server.is_running(), browser_server.stderr()[-4000:]


def go(client, url, wait_until="load", **more):
    return client.rest("browser.navigate", url=url, wait_until=wait_until, **more)


def evaluate(client, script, **more):
    return client.rest("browser.evaluate", script=script, **more)["result"]


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


def is_alive(pid):
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


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


# --- what is allowed


def test_off_by_default(make_server):
    client = make_server().client()
    with expect_error("op.not_enabled", 404):
        client.call("browser.navigate", url="about:blank")
    assert client.call("core.capabilities")["groups"]["browser"] is False


def test_its_scope(make_server):
    server = make_server(policy={**ON, "tokens": [token("reader", ["files:*"]), token("driver", ["browser:use"])]})
    with expect_error("policy.scope_denied", 403):
        server.client(token="reader-token").call("browser.content")
    assert server.client(token="driver-token").call("browser.console") == {"logs": []}


@pytest.mark.parametrize("url", ["file:///etc/passwd", "chrome://crash", "javascript:1", "example.com", "about:version", "view-source:http://x/",
                                 "ftp://x/", "blob:http://x/1", "HTTP//x", "chrome-extension://x/", "devtools://x/"])
def test_r84_only_pages_of_the_web(browser, url):
    with expect_error("args.invalid", 400, says="'url' must begin with"):
        go(browser, url)


def test_r84_a_page_does_not_get_to_files(browser, site):
    for start in ("about:blank", site.url("/")):
        go(browser, start)
        evaluate(browser, "location.href = 'file:///etc/passwd'")
        assert browser.rest("browser.content")["url"] == start
    assert any("Not allowed to load local resource" in entry["text"] for entry in logs(browser))


def test_b119_none_found_is_told_at_once(make_server, tmp_path):
    server = make_server(policy=ON, env={"PATH": str(tmp_path)})
    for op, args in (("navigate", {"url": "about:blank"}), ("content", {}), ("click", {"selector": "a"}), ("evaluate", {"script": "1"}),
                     ("type", {"selector": "a", "text": "b"}), ("pdf", {}), ("screenshot", {})):
        with expect_error("runtime.unavailable", 503, says="there is no browser here"):
            server.client().call(f"browser.{op}", **args)
    server = make_server(policy={**ON, "browser": {"path": "/no/such/browser"}})
    with expect_error("runtime.unavailable", 503, says="/no/such/browser"):
        server.client().call("browser.content")
    server = make_server(policy={**ON, "browser": {"path": "no-such-browser"}})
    with expect_error("runtime.unavailable", 503, says="no-such-browser"):
        server.client().call("browser.content")


def test_a_program_that_is_no_browser(make_server, tmp_path):
    fake = tmp_path / "fake"
    fake.write_text("#!/bin/sh\necho 'no usable display' >&2\nexit 7\n")
    fake.chmod(0o755)
    server = make_server(policy={**ON, "browser": {"path": str(fake)}})
    with expect_error("browser.failed", 502, says="ended with 7 at its start: no usable display"):
        server.client().call("browser.content")
    fake.write_text("no program")
    with expect_error("runtime.unavailable", 503, says="cannot be started"):
        server.client().call("browser.content")
    assert not list(pathlib.Path(tempfile.gettempdir()).glob("abx-browser-*")) or eventually(lambda: members(server) == [])


# --- navigate


def test_where_it_is_after_redirects(browser, site):
    result = go(browser, site.url("/redirect/3"))
    assert result == {"url": site.url("/"), "title": "A text page", "status": 200}
    assert [path for host, path in site.asked() if path.startswith("/redirect")] == ["/redirect/3", "/redirect/2", "/redirect/1"]


@pytest.mark.parametrize("status", [404, 500, 403])
def test_an_error_status_is_a_page(browser, site, status):
    result = go(browser, site.url(f"/status/{status}"))
    assert result["status"] == status and result["title"] == f"Status {status}"


def test_no_status_where_there_was_no_http(browser, site):
    assert go(browser, "about:blank") == {"url": "about:blank", "title": "", "status": None}
    result = go(browser, page("<title>of data</title>"))
    assert result["title"] == "of data" and result["status"] is None and result["url"].startswith("data:")


def test_a_part_of_the_same_page(browser, site):
    go(browser, site.url("/links"))
    assert go(browser, site.url("/links") + "#here") == {"url": site.url("/links") + "#here", "title": "Links", "status": 200}


def test_wait_until(browser, site):
    with expect_error("browser.timeout", 408, says="'networkidle' within 1000 ms: requests are still under way"):
        browser.rest("browser.navigate", url=site.url("/busy"), timeout=1000)
    assert go(browser, site.url("/busy"), "load")["status"] == 200
    assert go(browser, site.url("/busy"), "domcontentloaded")["status"] == 200
    site.open("busy")
    assert browser.rest("browser.navigate", url=site.url("/busy"))["title"] == "Busy"
    assert shown(browser) == "idle"


def test_a_page_that_never_ends(browser, site):
    assert go(browser, site.url("/never"), "commit")["status"] == 200
    for until in ("domcontentloaded", "load", "networkidle"):
        with expect_error("browser.timeout", 408, says="its document is not whole"):
            go(browser, site.url("/never"), until, timeout=300)
    with expect_error("browser.timeout", 408, says="there is no answer yet"):
        go(browser, site.url("/hang"), timeout=300)
    assert go(browser, site.url("/"))["status"] == 200


def test_a_script_that_goes_on_to_another_page(browser, site):
    script = f"location.replace({json.dumps(site.url('/text'))})"
    result = browser.rest("browser.navigate", url=page("<title>first</title>", script))
    assert result == {"url": site.url("/text"), "title": "A text page", "status": 200}


def test_what_cannot_be_opened(browser, site):
    with expect_error("browser.failed", 502, says="downloads are refused"):
        go(browser, site.url("/download"))
    with expect_error("browser.failed", 502, says="ERR_TOO_MANY_REDIRECTS"):
        go(browser, site.url("/loop"))
    with expect_error("browser.failed", 502, says="ERR_NAME_NOT_RESOLVED"):
        go(browser, "http://no-such-host.invalid/")
    assert [entry["text"] for entry in logs(browser) if entry["type"] == "download"] == [site.url("/download")]
    assert not list(pathlib.Path.home().glob("file.bin"))


@pytest.mark.parametrize("args", [{"url": ""}, {}, {"url": "about:blank", "wait_until": "never"}, {"url": "about:blank", "timeout": 0},
                                  {"url": "about:blank", "timeout": 1e9}, {"url": "about:blank", "wait": 1}])
def test_arguments_that_are_wrong(browser, args):
    with pytest.raises(Exception, match="400 args"):
        browser.rest("browser.navigate", **args)


# --- content


def test_content(browser, site):
    go(browser, site.url("/text"))
    result = browser.rest("browser.content")
    assert result["url"] == site.url("/text") and result["title"] == "A text page"
    assert result["content"].startswith("<!DOCTYPE html><html>") and "<p hidden=\"\" id=\"hidden\">Not shown.</p>" in result["content"]
    text = browser.rest("browser.content", type="text")["content"]
    assert "A heading" in text and "Some words." in text and "Not shown" not in text and "<" not in text


def test_text_of_all_languages(browser, site):
    result = go(browser, site.url("/unicode"))
    assert result["title"] == pages.UNICODE_TITLE
    content = browser.rest("browser.content", type="text")
    assert pages.UNICODE_TEXT in content["content"] and content["title"] == pages.UNICODE_TITLE
    evaluate(browser, "document.body.textContent = 'a\\ud800b\\0c\\u2028\"\\\\'")
    assert text_of(browser) == "a\ufffdb\ufffdc\u2028\"\\"[:3] + text_of(browser)[3:]


def test_content_is_limited(make_server, site):
    client = make_server(policy={**ON, "limits": {"browser.content": {"max_bytes": 5000}}}).client()
    go(client, page("x"))
    assert text_of(client) == "x"
    evaluate(client, "document.body.textContent = 'é'.repeat(2400); 0")
    assert len(text_of(client)) == 2400
    for count in (3000, 3000000):
        evaluate(client, f"document.body.textContent = 'é'.repeat({count}); 0")
        with expect_error("limit.file_too_large", 413):
            text_of(client)
    assert evaluate(client, "1") == 1


# --- click


def test_click_is_trusted_and_scrolls(browser, site):
    go(browser, site.url("/below"))
    assert browser.rest("browser.click", selector="#below") == {"clicked": True, "selector": "#below"}
    assert shown(browser) == "clicked, trusted true"


def while_it_waits(site, path, gate, call):
    """Starts the call, opens the gate once the page has asked for it; the call's result."""
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        result = pool.submit(call)
        site.wait_for(f"/gate/{gate}")
        site.open(gate)
        return result.result()


@pytest.mark.parametrize("name, lacks", [("overlay", "is covered by <div#over>"), ("disabled", "is disabled"), ("moving", "is moving")])
def test_click_waits_until_it_can(browser, site, name, lacks):
    selector = {"overlay": "#under"}.get(name, f"#{name}")
    go(browser, site.url(f"/{name}"))
    with expect_error("browser.timeout", 408, says=lacks):
        browser.rest("browser.click", selector=selector, timeout=300)
    while_it_waits(site, f"/{name}", name, lambda: browser.rest("browser.click", selector=selector, timeout=20000))
    assert shown(browser) == ("clicked at rest" if name == "moving" else "clicked")


def test_click_waits_until_it_is_there(browser, site):
    go(browser, site.url("/late"))
    with expect_error("browser.not_found", 404, says="no element matched '#late' within 200 ms"):
        browser.rest("browser.click", selector="#late", timeout=200)
    while_it_waits(site, "/late", "late", lambda: browser.rest("browser.click", selector="#late", timeout=20000))
    assert shown(browser) == "clicked"


@pytest.mark.parametrize("style, lacks", [("display:none", "is not visible"), ("visibility:hidden", "is not visible"),
                                          ("position:fixed;top:-500px", "lies outside")])
def test_what_cannot_be_clicked(browser, style, lacks):
    go(browser, page(f"<button style='{style}'>x</button>"))
    with expect_error("browser.timeout", 408, says=lacks):
        browser.rest("browser.click", selector="button", timeout=200)


def test_a_selector_that_is_none(browser):
    for op, more in (("click", {}), ("type", {"text": "x"}), ("screenshot", {})):
        with expect_error("args.invalid", 400, says="'selector'"):
            browser.rest(f"browser.{op}", selector="a[[", **more)


def test_the_page_is_where_the_click_led(browser, site):
    go(browser, site.url("/links"))
    browser.rest("browser.click", selector="#blank")
    assert "A heading" in text_of(browser), "a link to a new window opens in the one page"
    assert logs(browser)[0]["type"] == "window"
    go(browser, site.url("/links"))
    browser.rest("browser.click", selector="#open")
    assert browser.rest("browser.content")["url"] == site.url("/")
    go(browser, page(f"<a href='{site.url('/text')}'>there</a>"))
    browser.rest("browser.click", selector="a")
    assert browser.rest("browser.content")["title"] == "A text page"


def test_click_what_a_label_stands_for_and_what_is_inside(browser):
    go(browser, page("<label><input type=checkbox id=box style='position:absolute;opacity:0'><b>Box</b></label>"
                     "<button id=outer onclick='document.title=event.isTrusted'><i><b>deep</b></i></button>"))
    browser.rest("browser.click", selector="#box")
    assert evaluate(browser, "box.checked") is True
    browser.rest("browser.click", selector="#outer")
    assert evaluate(browser, "document.title") == "true"


def test_a_page_that_takes_its_tools_away(browser):
    """Our scripts run in a world of their own."""
    go(browser, page("<button onclick='this.textContent=1'>x</button>", "document.querySelector = () => null;"
                     "Object.defineProperty(window, 'requestAnimationFrame', {value: () => 0}); Element.prototype.getClientRects = () => [];"
                     "performance.now = () => 0; Promise = undefined;"))
    browser.rest("browser.click", selector="button")
    assert text_of(browser) == "1"


# --- type


def test_type_presses_keys(browser, site):
    go(browser, site.url("/form"))
    result = browser.rest("browser.type", selector="#name", text="Ada L.", delay=1)
    assert result == {"typed": True, "selector": "#name", "text": "Ada L."}
    browser.rest("browser.click", selector="#send")
    assert shown(browser) == "name=Ada L. select=one box=false keys=true trusted=true"


def value_of(client, selector):
    return evaluate(client, f"(e => e.value ?? e.innerText)(document.querySelector({json.dumps(selector)}))")


ALL_KEYS = "".join(chr(c) for c in range(32, 127))


@pytest.mark.parametrize("text", [ALL_KEYS, "Grüße 世界 👩‍👩‍👧 e\u0301 \U0001f3f4", "1\ufe0f\u20e3 a", ""])
@pytest.mark.parametrize("selector", ["#name", "#area", "#secret", "#editable"])
def test_type_gives_what_was_typed(browser, site, selector, text):
    go(browser, site.url("/form"))
    evaluate(browser, "editable.style = 'width:500px;height:50px;white-space:pre'")
    browser.rest("browser.type", selector=selector, text=text, delay=0)
    assert value_of(browser, selector) == text


def test_type_adds_or_clears(browser, site):
    go(browser, site.url("/form"))
    browser.rest("browser.type", selector="#filled", text=" and new", delay=0)
    assert value_of(browser, "#filled") == "old text and new"
    browser.rest("browser.type", selector="#filled", text="new", delay=0, clear=True)
    assert value_of(browser, "#filled") == "new"
    browser.rest("browser.type", selector="#filled", text="", clear=True)
    assert value_of(browser, "#filled") == ""
    evaluate(browser, "editable.style = 'width:500px;height:50px'; editable.innerHTML = 'a <b>bold</b> word'")
    browser.rest("browser.type", selector="#editable", text="!", delay=0)
    assert value_of(browser, "#editable") == "a bold word!"
    browser.rest("browser.type", selector="#editable", text="gone", delay=0, clear=True)
    assert value_of(browser, "#editable") == "gone"


def test_type_lines_tabs_and_enter(browser, site):
    go(browser, site.url("/form"))
    browser.rest("browser.type", selector="#area", text="one\ntwo\r\nthree\n", delay=0)
    assert value_of(browser, "#area") == "one\ntwo\nthree\n"
    browser.rest("browser.type", selector="#name", text="a\tb", delay=0)
    assert (value_of(browser, "#name"), value_of(browser, "#filled")) == ("a", "b")
    browser.rest("browser.type", selector="#name", text="c\n", delay=0)
    assert shown(browser).startswith("name=ac select=one"), "Enter sends the form"


def test_what_cannot_be_typed_into(browser):
    go(browser, page("<input id=off disabled><input id=fixed readonly><p id=plain>text</p>"))
    evaluate(browser, "setTimeout(() => off.disabled = fixed.readOnly = false, 300)")
    browser.rest("browser.type", selector="#off", text="x", delay=0)
    browser.rest("browser.type", selector="#fixed", text="y", delay=0)
    assert (value_of(browser, "#off"), value_of(browser, "#fixed")) == ("x", "y")
    with expect_error("browser.timeout", 408, says="cannot take the focus after 5000 ms"):
        browser.rest("browser.type", selector="#plain", text="x")
    with expect_error("browser.not_found", 404):
        browser.rest("browser.type", selector="#none", text="x")


# --- evaluate


@pytest.mark.parametrize("script, value", [
    ("1 + 1", 2), ("'a' + '\\u00e9\\ud83d\\ude00'", "aé😀"), ("undefined", None), ("null", None), ("-0", 0), ("1e300", 1e300), ("true", True),
    ("[1, , undefined, 'x']", [1, None, None, "x"]), ("({a: {b: [1.5]}, c: undefined, d: () => 1})", {"a": {"b": [1.5]}}),
    ("new Date(0)", "1970-01-01T00:00:00.000Z"), ("({toJSON: () => 'mine'})", "mine"), ("({toJSON() {}})", None),
    ("Promise.resolve([1])", [1]), ("(async () => { await null; return 'later' })()", "later"), ("new Map([[1, 2]])", {}),
    ("'\\ud800|\\udc00'", "\ufffd|\ufffd"), ("({'\\ud800': '\\udc00\\ud800'})", {"\ufffd": "\ufffd\ufffd"}), ("let x = 5; x * 2", 10),
    ("'\\0\\n\"\\\\'", "\0\n\"\\"), ("", None), ("/* é */ 7", 7), ("[[[[[]]]]]", [[[[[]]]]]), ("({__proto__: null, a: 1})", {"a": 1}),
])
def test_evaluate(browser, script, value):
    assert evaluate(browser, script) == value


@pytest.mark.parametrize("script, says", [
    ("throw new Error('boom')", "the script threw: Error: boom"), ("throw 'text'", "the script threw: text"), ("throw {a: 1}", "the script threw"),
    ("Promise.reject(new TypeError('no'))", "the script threw: TypeError: no"), ("nowhere.x", "ReferenceError: nowhere is not defined"),
    ("a b c", "SyntaxError"), ("() => 1", "no JSON form: it is a function"), ("Symbol('x')", "a symbol"), ("10n", "a BigInt"), ("NaN", "not a finite number"),
    ("1 / 0", "not a finite number"), ("document.body", "a node of the document"), ("({a: 10n})", "BigInt"),
    ("const a = {}; a.a = a; a", "circular structure"), ("window", "the script threw"), ("Array(70).fill(0).reduce(a => [a], 1)", "more than 60 levels"),
    ("throw new Error('x'.repeat(1000000))", "xxx"), ("throw null", "the script threw: null"),
])
def test_evaluate_that_fails(browser, script, says):
    with expect_error("browser.failed", 502, says=says):
        evaluate(browser, script)
    assert evaluate(browser, "'it still works'") == "it still works"


@pytest.mark.parametrize("script", ["while (true);", "new Promise(() => {})", "(async () => { for (;;) await null })()", "for (;;) alert(1)",
                                    "setTimeout(() => { while (true); }); new Promise(() => {})", "/(x+x+)+y/.test('x'.repeat(40))"])
def test_the_timeout_of_evaluate_ends_the_script(browser, script):
    with expect_error("browser.timeout", 408, says="did not end within 300 ms"):
        evaluate(browser, script, timeout=300)
    assert evaluate(browser, "6 * 7", timeout=20000) == 42


def test_a_page_that_hangs_can_be_left(browser, site):
    go(browser, site.url("/text"))
    with expect_error("browser.timeout", 408):
        evaluate(browser, "setInterval(() => { while (true); }); new Promise(() => {})", timeout=300)
    assert go(browser, site.url("/form"))["title"] == "A form"
    assert evaluate(browser, "document.forms.length") == 1


def test_a_long_result(browser):
    assert len(evaluate(browser, "'é'.repeat(1000000)")) == 1000000
    assert evaluate(browser, "Array.from({length: 300000}, (_, i) => i)")[-1] == 299999
    with expect_error("limit.file_too_large", 413):
        evaluate(browser, "'x'.repeat(20000000)")
    assert evaluate(browser, "1") == 1


def test_a_long_script(browser):
    assert evaluate(browser, f"/* {'x' * 5000000} é */ 3", timeout=20000) == 3


# --- dialogs and the console


def test_r84_dialogs_are_dismissed_and_noted(browser, site):
    go(browser, site.url("/dialogs?now=confirm"))
    assert shown(browser) == "confirm said false"
    for kind, answer in (("alert", "undefined"), ("confirm", "false"), ("prompt", "null")):
        browser.rest("browser.click", selector=f"#{kind}")
        assert shown(browser) == f"{kind} said {answer}"
    assert [entry["text"] for entry in logs(browser) if entry["type"] == "dialog"] == [
        "confirm: at once", "alert: a question", "confirm: a question", "prompt: a question"]


def test_a_page_that_does_not_want_to_be_left(browser, site):
    go(browser, site.url("/beforeunload"))
    browser.rest("browser.click", selector="#touch")
    assert go(browser, site.url("/"))["title"] == "A text page"
    assert any(entry["type"] == "dialog" and entry["text"].startswith("beforeunload") for entry in logs(browser))


def test_console(browser, site):
    go(browser, site.url("/console"))
    entries = [entry for entry in logs(browser) if "favicon" not in entry["text"]]
    names = {"warn": "warning"}
    assert [(entry["type"], entry["text"]) for entry in entries[:5]] == [(names.get(kind, kind), text) for kind, text in pages.CONSOLE]
    assert (entries[5]["type"], entries[5]["text"]) == ("log", "{a: 1, b: Array(2)}")
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", entry["timestamp"]) for entry in entries)
    assert logs(browser) == [], "reading clears it"


def test_exceptions_are_in_the_console(browser, site):
    go(browser, site.url("/error"), "networkidle")
    go(browser, site.url("/rejection"), "networkidle")
    said = [entry["text"] for entry in logs(browser) if entry["type"] == "exception"]
    assert len(said) == 2 and said[0].startswith("Error: nobody catches this") and said[1].startswith("Error: nobody awaits this")


def test_the_console_keeps_the_last_thousand(browser, site):
    go(browser, site.url("/flood?n=3000"))
    said = [entry["text"] for entry in logs(browser)]
    assert said == [f"flood {i}" for i in range(2000, 3000)]


def test_a_flood_of_the_console_holds_no_memory(browser, browser_server):
    go(browser, page("x"))
    before = browser_server.rss_kib()
    with expect_error("browser.timeout", 408):
        evaluate(browser, "for (;;) { console.log('x'.repeat(300000)); console.log('y'.repeat(3000000)); }", timeout=2000)
    entries = logs(browser)
    assert entries and all(len(entry["text"]) <= 4096 for entry in entries)
    assert "(more than a megabyte at once)" in [entry["text"] for entry in entries]
    if not is_sanitized():
        assert browser_server.rss_kib() - before < 24 * 1024
    assert evaluate(browser, "1", timeout=20000) == 1


def test_the_console_starts_no_browser(make_server):
    server = make_server(policy=ON)
    assert server.client().call("browser.console") == {"logs": []}
    assert members(server) == []


# --- pictures


def picture(client, **args):
    result = client.rest("browser.screenshot", **args)
    image = base64.b64decode(result["image_base64"])
    if args.get("format", "png") == "png":
        parsed = Picture(image)
        assert (parsed.width, parsed.height) == (result["width"], result["height"])
        return parsed
    return result, image


def test_a_picture_of_the_whole_page(browser, site):
    go(browser, site.url("/long"))
    image = picture(browser)
    assert (image.width, image.height) == (1280, evaluate(browser, "document.documentElement.scrollHeight"))
    for number, colour in enumerate(pages.STRIPES):
        assert image.pixel(640, number * pages.STRIPE + 250) == colour


def test_a_picture_of_what_the_window_shows(browser, site):
    go(browser, site.url("/long"))
    image = picture(browser, full_page=False)
    assert (image.width, image.height) == (1280, 720)
    assert image.pixel(5, 5) == pages.STRIPES[0] and image.pixel(1275, 715) == pages.STRIPES[1]


def test_a_picture_of_one_element(browser, site):
    go(browser, site.url("/long"))
    image = picture(browser, selector="#mark")
    assert (image.width, image.height) == (120, 80)
    assert image.pixel(0, 0) == image.pixel(119, 79) == (1, 2, 3)
    with expect_error("browser.not_found", 404):
        browser.rest("browser.screenshot", selector="#nothing")
    evaluate(browser, "mark.style.visibility = 'hidden'")
    with expect_error("browser.timeout", 408, says="is not visible"):
        browser.rest("browser.screenshot", selector="#mark")


def test_jpeg_and_its_quality(browser, site):
    go(browser, site.url("/unicode"))
    sizes = {}
    for quality in (0, 50, 100):
        result, image = picture(browser, format="jpeg", quality=quality, full_page=False)
        assert image.startswith(b"\xff\xd8\xff") and (result["width"], result["height"]) == (1280, 720)
        sizes[quality] = len(image)
    assert sizes[0] < sizes[50] < sizes[100]
    for args in ({"quality": 50}, {"format": "png", "quality": 50}, {"format": "jpeg", "quality": 101}, {"format": "gif"}):
        with pytest.raises(Exception, match="400 args"):
            browser.rest("browser.screenshot", **args)


def test_pictures_and_documents_as_bytes(browser, site):
    go(browser, site.url("/long"))
    reply = browser.get_bytes("browser.screenshot")
    assert reply.header("content-type") == "image/png" and Picture(reply.read()).pixel(1, 1) == pages.STRIPES[0]
    reply = browser.get_bytes("browser.screenshot", headers={"Accept": "image/jpeg"}, format="jpeg")
    assert reply.header("content-type") == "image/jpeg" and reply.read().startswith(b"\xff\xd8\xff")
    reply = browser.get_bytes("browser.pdf")
    assert reply.header("content-type") == "application/pdf" and reply.read().startswith(b"%PDF-")
    assert int(reply.header("content-length")) == len(reply.read())


def test_a_page_longer_than_a_picture_can_be(browser):
    for width, height, want in ((1280, 30000, (1280, 16384)), (20000, 800, (16384, 800))):
        go(browser, page(f"<style>body{{margin:0;width:{width}px;height:{height}px;background:rgb(9,8,7)}}</style>"))
        result, _ = picture(browser, format="jpeg", quality=0)
        assert (result["width"], result["height"]) == want


NOISE = ("const c = document.createElement('canvas'); c.width = 3000; c.height = 3000; document.body.append(c);"
         "const x = c.getContext('2d'), d = x.createImageData(3000, 3000), w = new Uint32Array(d.data.buffer);"
         "let s = 1; for (let i = 0; i < w.length; i++) { s ^= s << 13; s ^= s >>> 17; s ^= s << 5; w[i] = s | 0xff000000; }"
         "x.putImageData(d, 0, 0); 0")


def test_a_picture_of_many_megabytes(browser, browser_server):
    go(browser, page("<body style=margin:0>"))
    evaluate(browser, NOISE, timeout=60000)
    reply = browser.get_bytes("browser.screenshot")
    assert len(reply.read()) > 25_000_000
    result = browser.rest("browser.screenshot")
    assert len(result["image_base64"]) > 33_000_000 and result["width"] == 3000
    evaluate(browser, "document.body.textContent = ''")
    if not is_sanitized():
        assert browser_server.rss_kib() < 60 * 1024, "what was needed is given back"


# --- PDF


def pdf_text(data, *options):
    done = subprocess.run(["pdftotext", *options, "-", "-"], input=data, capture_output=True, check=True, timeout=60)
    return done.stdout.decode()


def pdf_facts(data):
    done = subprocess.run(["pdfinfo", "-"], input=data, capture_output=True, check=True, timeout=60)
    return dict(line.split(":", 1) for line in done.stdout.decode().splitlines() if ":" in line)


def test_pdf(browser, site):
    go(browser, site.url("/text"))
    result = browser.rest("browser.pdf")
    data = base64.b64decode(result["pdf_base64"])
    assert result["pages"] == 1 and "A heading" in pdf_text(data) and "Not shown" not in pdf_text(data)
    assert "A4" in pdf_facts(data)["Page size"]
    landscape = base64.b64decode(browser.rest("browser.pdf", format="Letter", landscape=True)["pdf_base64"])
    assert "792 x 612" in pdf_facts(landscape)["Page size"]


def test_a_pdf_of_many_pages(browser):
    go(browser, page("<h1 style='break-after:page'>one</h1>" * 99 + "<h1>last</h1>"))
    result = browser.rest("browser.pdf", format="A5")
    data = base64.b64decode(result["pdf_base64"])
    assert result["pages"] == int(pdf_facts(data)["Pages"]) == 100
    assert "last" in pdf_text(data, "-f", "100")
    with pytest.raises(Exception, match="400 args"):
        browser.rest("browser.pdf", format="A9")


# --- callers


def test_callers_take_turns(browser, site):
    go(browser, page("<p>0</p>"))
    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        script = "(async () => { const n = Number(document.title || 0); await new Promise(r => setTimeout(r, 5)); document.title = n + 1; return n })()"
        results = list(pool.map(lambda _: evaluate(browser, script), range(12)))
    assert sorted(results) == list(range(12)), "one after the other"


def test_a_caller_that_leaves_frees_its_place(browser, site):
    method, target, body, own = browser.by_route("browser.evaluate", {"script": f"fetch({json.dumps(site.url('/text'))}, {{mode: 'no-cors'}}).then(() => new Promise(() => {{}}))", "timeout": 100000})
    waiting = browser.connect()
    go(browser, site.url("/form"))
    site.forget()
    waiting.send(browser.head(method, target, {"Content-Length": len(body), **own}), body)
    site.wait_for("/text")
    queued = browser.connect()
    queued.send(browser.head(method, target, {"Content-Length": len(body), **own}), body)
    queued.close()
    waiting.close()
    assert evaluate(browser, "8", timeout=20000) == 8
    for path, call in (("/hang", {"url": site.url("/hang")}), ("/gate/late", {"url": site.url("/late"), "timeout": 100000})):
        method, target, body, own = browser.by_route("browser.navigate", call)
        with contextlib.closing(browser.connect()) as connection:
            connection.send(browser.head(method, target, {"Content-Length": len(body), **own}), body)
            site.wait_for(path)
        assert go(browser, site.url("/text"))["status"] == 200


def test_only_so_many_may_wait(browser, site):
    go(browser, site.url("/text"))
    refused = []

    def call(_):
        try:
            return evaluate(browser, "1", http_timeout=60)
        except Exception as error:
            refused.append(error.wire_code)
            if len(refused) == 6:
                site.open("hold")
            return error.wire_code
    with concurrent.futures.ThreadPoolExecutor(71) as pool:
        first = pool.submit(lambda: evaluate(browser, "fetch('/gate/hold').then(() => 0)", timeout=60000))
        site.wait_for("/gate/hold")
        answers = list(pool.map(call, range(70)))
        assert first.result() == 0
    assert sorted(map(str, answers)) == ["1"] * 64 + ["limit.too_many"] * 6


# --- when it ends


@pytest.fixture
def own(make_server, site):
    """A server whose browser may be hurt."""
    server = make_server(policy=ON)
    client = server.client(timeout=60)
    go(client, site.url("/text"))
    yield server, client


@pytest.mark.parametrize("victim", ["the browser", "the page"])
def test_b118_a_crash_is_told_to_all(own, site, victim):
    server, client = own
    before, fds = main_process(server), server.fds()
    profile = profile_of(before)
    script = "fetch('/words.json').then(() => new Promise(() => {}))"

    def call(_):
        try:
            return evaluate(client, script, timeout=100000)
        except Exception as error:
            return error.wire_code
    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        calls = [pool.submit(call, i) for i in range(20)]
        site.wait_for("/words.json")
        eventually(lambda: server.fds() >= fds + 19)
        for pid in [before] if victim == "the browser" else renderers(server):
            os.kill(pid, signal.SIGKILL)
        done = concurrent.futures.wait(calls, AT_ONCE)
        assert not done.not_done, "all hear of it at once"
        assert {each.result() for each in calls} == {"browser.crashed"}
    assert go(client, site.url("/text"))["status"] == 200
    assert main_process(server) not in (before, None)
    eventually(lambda: not profile.exists(), what="the folder of the dead browser is gone")
    eventually(lambda: not is_alive(before) and children(server.pid, zombies_only=True) == [], what="no zombie is left")
    eventually(lambda: server.fds() <= fds + 1, what="no descriptor is left")


@pytest.mark.parametrize("op, args", [
    ("navigate", {"url": "/hang"}), ("navigate", {"url": "/busy"}), ("click", {"selector": "#no", "timeout": 1000}),
    ("type", {"selector": "#name", "text": "x" * 10000, "delay": 20}), ("content", {}), ("screenshot", {}), ("pdf", {})])
def test_a_kill_in_the_middle_of_any_op(own, site, op, args):
    server, client = own
    go(client, site.url("/form"))
    path = args.get("url")
    args = {**args, "url": site.url(path)} if path else args
    if op == "type":
        path = "/words.json"
        evaluate(client, "document.getElementById('name').addEventListener('input', () => fetch('/words.json'), {once: true})")
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        call = pool.submit(lambda: client.rest(f"browser.{op}", **args))
        if path:
            site.wait_for(path)
        os.kill(main_process(server), signal.SIGKILL)
        heard = "done"
        try:
            call.result(40)
        except Exception as error:
            heard = error.wire_code
    # Where no sign tells that it has begun, it may have been done before, or find a new browser.
    assert heard == "browser.crashed" or (not path and heard == ("browser.not_found" if op == "click" else "done"))
    assert go(client, site.url("/text"))["title"] == "A text page"


def test_a_kill_while_it_starts(make_server, site):
    server = make_server(policy=ON)
    client = server.client(timeout=60)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        call = pool.submit(lambda: go(client, site.url("/text")))
        os.kill(eventually(lambda: main_process(server)), signal.SIGKILL)
        with expect_error("browser.failed", 502, says="at its start"):
            call.result(20)
    assert go(client, site.url("/text"))["status"] == 200


def test_a_page_that_closes_itself(own, site):
    server, client = own
    evaluate(client, "window.open('', '_self'); 0")
    with contextlib.suppress(Exception):
        evaluate(client, "window.close(); new Promise(() => {})", timeout=1000)
    assert go(client, site.url("/text"))["status"] == 200


def test_b116_each_start_has_a_new_profile(own, site):
    server, client = own
    first = profile_of(main_process(server))
    assert first.exists() and first.name.startswith("abx-browser-")
    assert (first.stat().st_mode & 0o777) == 0o700
    evaluate(client, "document.cookie = 'here=1; max-age=1000'")
    assert "here=1" in evaluate(client, "document.cookie")
    os.kill(main_process(server), signal.SIGKILL)
    eventually(lambda: not first.exists())
    go(client, site.url("/text"))
    assert profile_of(main_process(server)) != first and evaluate(client, "document.cookie") == ""


def test_b116_what_a_killed_server_left_goes_at_the_next_start(make_server, site, tmp_path):
    folder = tmp_path / "temp"
    folder.mkdir()
    dead, living = make_server(policy=ON, env={"TMPDIR": folder}), make_server(policy=ON, env={"TMPDIR": folder})
    for server in (dead, living):
        go(server.client(), site.url("/text"))
    left, lives = (profile_of(main_process(server)) for server in (dead, living))
    leader = main_process(dead)
    dead.kill()
    eventually(lambda: not is_alive(leader), what="the browser ends with its server")
    (left / "SingletonLock").unlink(missing_ok=True)
    (left / "SingletonLock").symlink_to("another-host-4711")
    for path in (left, lives):
        os.utime(path, (1, 1))
    third = make_server(policy=ON, env={"TMPDIR": folder})
    assert go(third.client(), site.url("/text"))["status"] == 200
    assert not left.exists() and lives.exists(), "only what nobody holds is removed"
    assert go(living.client(), site.url("/form"))["status"] == 200


def test_it_ends_when_nobody_calls(make_server, site):
    server = make_server(policy={**ON, "browser": {"idle_timeout": 1}})
    client = server.client()
    go(client, site.url("/text"))
    profile = profile_of(main_process(server))
    eventually(lambda: members(server) == [], within=20, what="the browser ends")
    eventually(lambda: not profile.exists())
    assert go(client, site.url("/text"))["status"] == 200


@pytest.mark.parametrize("how", ["SIGTERM", "SIGKILL", "twice"])
def test_b142_nothing_is_left_of_it(make_server, site, how):
    server = make_server(policy=ON)
    go(server.client(), site.url("/text"))
    all_of_it, profile = members(server), profile_of(main_process(server))
    assert len(all_of_it) > 2
    if how == "SIGTERM":
        server.stop()
        assert not profile.exists()
    elif how == "twice":
        server.signal(signal.SIGTERM)
        server.signal(signal.SIGTERM)
        server.wait()
    else:
        server.kill()
    eventually(lambda: not any(map(is_alive, all_of_it)), within=10, what="all of it ends")


def test_sigterm_ends_those_who_wait(make_server, site):
    server = make_server("--shutdown-grace", "0", policy=ON)
    client = server.client()
    go(client, site.url("/form"))
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        call = pool.submit(lambda: evaluate(client, "fetch('/words.json').then(() => new Promise(() => {}))", timeout=100000))
        site.wait_for("/words.json")
        server.signal(signal.SIGTERM)
        with pytest.raises(Exception):
            call.result(20)
    assert server.wait() == 0


def test_another_policy_means_another_browser(make_server, site):
    server = make_server(policy=ON)
    client = server.client()
    go(client, site.url("/text"))
    before = main_process(server)
    client.call("core.reload")
    go(client, site.url("/text"))
    assert main_process(server) not in (before, None) and not eventually(lambda: not is_alive(before)) is None


# --- how it runs


def test_its_environment_is_fixed_and_clean(make_server, tmp_path):
    """R96: what a program in the browser's place is given, which then ends."""
    fake, found = tmp_path / "fake", tmp_path / "found"
    fake.write_text(f"#!/bin/sh\n{{ env; ls /proc/self/fd; echo \"$@\"; }} > {found}\n")
    fake.chmod(0o755)
    server = make_server(
        policy={**ON, "browser": {"path": str(fake)}, "process": {"env": {"set": {"SECRET": "x", "LD_DEBUG": "all"}}}},
        env={"ABX_THING": "1", "http_proxy": "http://127.0.0.1:1", "HOME": "/root"})
    with expect_error("browser.failed", 502, says="ended with 0 at its start"):
        server.client().call("browser.content")
    lines = found.read_text().splitlines()
    variables = dict(line.split("=", 1) for line in lines if re.match(r"\w+=", line))
    assert variables["HOME"] == variables["TMPDIR"] and "/abx-browser-" in variables["HOME"]
    assert set(variables) <= {"PATH", "HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS",
                              "LC_ALL", "ABX_RUN_ID", "PWD", "OLDPWD", "SHLVL", "_"}
    descriptors = [int(line) for line in lines if line.isdigit()]
    assert {0, 1, 2, 3, 4} <= set(descriptors) and len(descriptors) <= 6, "and the one that ls opens"
    assert f"--user-data-dir={variables['HOME']}" in lines[-1]


@pytest.mark.skipif(not IS_ROOT, reason="only root runs it as root, or as somebody else")
def test_b119_as_root_it_has_no_sandbox_and_says_so(own):
    server, client = own
    assert b"--no-sandbox" in command_line(main_process(server))
    assert "browser-no-sandbox" in client.call("core.capabilities")["features"]


def confined(base, **process):
    return {**ON, "paths": {"base": str(base), "roots": [str(base)]}, "tokens": [token("t", ["*"])], "process": process}


@pytest.fixture
def open_folder():
    path = pathlib.Path(tempfile.mkdtemp(prefix="abx-test-"))
    path.chmod(0o755)
    (path / "base").mkdir()
    yield path / "base"
    subprocess.run(["rm", "-rf", path], check=True)


@pytest.mark.skipif(not IS_ROOT, reason="only root can run it as another user")
@pytest.mark.parametrize("process", [{"user": "nobody"}, {"user": "nobody", "confine": "paths"}, {"user": "root", "confine": "paths"}])
def test_r99_it_runs_as_the_policys_user_within_its_walls(make_server, site, open_folder, process):
    server = make_server(base=open_folder, policy=confined(open_folder, **process))
    client = server.client(token="t-token", timeout=60)
    assert go(client, site.url("/canvas"))["status"] == 200
    assert shown(client) == "10,20,30,255"
    leader = main_process(server)
    status = pathlib.Path(f"/proc/{leader}/status").read_text()
    as_root = process["user"] == "root"
    assert (re.search(r"^Uid:\s+(\d+)", status, re.M).group(1) == "0") == as_root
    assert (b"--no-sandbox" in command_line(leader)) == as_root
    assert ("browser-no-sandbox" in client.call("core.capabilities")["features"]) == as_root
    if "confine" in process:
        assert re.search(r"^NoNewPrivs:\s+1", status, re.M) and re.search(r"^CapBnd:\s+0+$", status, re.M)
    go(client, site.url("/text"))
    picture(client, full_page=False)
    assert client.rest("browser.pdf")["pages"] == 1
    profile = profile_of(leader)
    server.token = "t-token"
    server.stop()
    assert not profile.exists()


@pytest.mark.skipif(not IS_ROOT, reason="only root can mount")
def test_b119_a_small_shm(make_server, site):
    server = make_server(policy=ON, wrap=["unshare", "-m", "sh", "-c", 'mount -t tmpfs -o size=64m tmpfs /dev/shm; exec "$@"', "sh"])
    client = server.client(timeout=60)
    assert go(client, site.url("/canvas"))["status"] == 200
    assert shown(client) == "10,20,30,255"
    assert b"--disable-dev-shm-usage" in command_line(main_process(server))
    result, _ = picture(client, format="jpeg")
    assert result["width"] == pages.CANVAS


# --- where it may go


@pytest.fixture(scope="module")
def narrow(site):
    """May reach 127.0.0.1 at the site's port, and nothing else."""
    with Server(policy={**ON, "browser": {"allow_hosts": [f"127.0.0.1:{site.port}"]}}) as server:
        yield server


@pytest.fixture
def held(narrow, site):
    site.forget()
    return narrow.client(timeout=60)


def was_asked(site, host):
    return [path for name, path in site.asked() if name == host]


def test_r100_hosts_that_are_allowed(held, site):
    assert go(held, site.url("/text"), "networkidle") == {"url": site.url("/text"), "title": "A text page", "status": 200}
    go(held, site.url("/socket"), "networkidle")
    assert evaluate(held, "new Promise(r => { const f = () => result.textContent ? r(result.textContent) : setTimeout(f, 5); f() })") \
        == "open, echo: hello"


@pytest.mark.parametrize("host", ["127.0.0.2", "localhost"])
def test_r100_hosts_that_are_not(held, site, host):
    with expect_error("policy.host_denied", 403, says=host) as caught:
        go(held, site.url("/text", host=host))
    assert caught.error.rule == "policy:browser.allow_hosts"
    assert was_asked(site, host) == []


def test_r100_other_spellings_and_schemes(held, site):
    for url in (f"http://user@127.0.0.2:{site.port}/", f"http://127.2:{site.port}/", f"http://2130706434:{site.port}/", f"http://[::1]:{site.port}/",
                f"https://127.0.0.2:{site.port}/", "http://127.0.0.1:1234/", f"http://127.0.0.1:{site.port}@127.0.0.2:{site.port}/",
                f"http:\\\\127.0.0.2:{site.port}/"):
        with pytest.raises(Exception, match="policy.host_denied|args.invalid"):
            go(held, url)
    assert was_asked(site, "127.0.0.2") == []


def test_r100_redirects_count(held, site):
    with expect_error("policy.host_denied", 403, says="127.0.0.2"):
        go(held, site.url("/to", url=site.url("/text", host="127.0.0.2")))
    with expect_error("policy.host_denied", 403, says="127.0.0.2"):
        go(held, page("x", f"location.replace({json.dumps(site.url('/text', host='127.0.0.2'))})"), "networkidle")
    assert was_asked(site, "127.0.0.2") == []


def test_r100_subresources_frames_and_sockets_count(held, site):
    foreign = site.url("", host="127.0.0.2").rstrip("/")
    go(held, site.url("/subresource", **{"from": foreign}), "networkidle")
    assert shown(held) == "image=failed script=failed fetch=failed style=failed"
    go(held, site.url("/frame", url=foreign + "/text"), "networkidle")
    go(held, site.url("/socket", url=f"ws://127.0.0.2:{site.port}/echo"), "networkidle")
    evaluate(held, f"fetch('{foreign}/words.json', {{mode: 'no-cors'}}).catch(() => 0)")
    evaluate(held, f"navigator.sendBeacon('{foreign}/post', 'x')")
    assert was_asked(site, "127.0.0.2") == []
    refused = [entry["text"] for entry in logs(held) if entry["type"] == "refused"]
    assert f"127.0.0.2:{site.port}" in refused


def test_r100_a_page_cannot_reach_the_server_itself(held, narrow, site):
    go(held, site.url("/text"))
    assert evaluate(held, f"fetch('http://127.0.0.1:{narrow.port}/health', {{mode: 'no-cors'}}).then(() => 'there', () => 'refused')") in (
        "refused", "there")
    with expect_error("policy.host_denied", 403):
        go(held, f"http://127.0.0.1:{narrow.port}/health")


def test_a_page_has_no_rights_at_the_server(browser, browser_server, site):
    """Where every host is allowed: another site's page is refused by its origin."""
    go(browser, site.url("/text"))
    answer = evaluate(browser, f"fetch('http://127.0.0.1:{browser_server.port}/capabilities').then(r => r.status, e => String(e))")
    assert "TypeError" in str(answer)
    entries = [entry["text"] for entry in logs(browser)]
    assert any("403" in text or "CORS" in text for text in entries)
