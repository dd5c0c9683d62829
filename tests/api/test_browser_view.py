# SPDX-License-Identifier: Apache-2.0
"""What can be seen of the page: its console and dialogs (R84), pictures, PDF; and callers that take turns."""
import base64
import concurrent.futures
import contextlib
import re
import subprocess

import pytest

from lib import pages
from lib.browsing import ON, evaluate, go, logs, members, page, picture, shown
from lib.client import expect_error
from lib.png import Picture
from lib.processes import eventually
from lib.server import is_sanitized

pytestmark = pytest.mark.xdist_group("browser")


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
    assert [entry for entry in logs(browser) if "favicon" not in entry["text"]] == [], "reading clears it"


def test_what_is_caught_late_is_no_exception_of_the_console(browser):
    """evaluate tells its caller what a promise was rejected with; the page's own is caught a moment after it was seen."""
    go(browser, "about:blank")
    logs(browser)
    with expect_error("browser.failed", 502, says="TypeError: told"):
        evaluate(browser, "Promise.reject(new TypeError('told'))")
    turn = "await new Promise((done) => setTimeout(done, 50));"  # the page's tasks before it are through then
    evaluate(browser, f"const late = Promise.reject(1), kept = Promise.reject(new Error('kept')); {turn} late.catch(() => {{}}); {turn}")
    said = [entry["text"] for entry in logs(browser) if entry["type"] == "exception"]
    assert len(said) == 1 and said[0].startswith("Error: kept")


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
    evaluate(browser, "console.log('before'); console.log('y'.repeat(3000000)); console.log('x'.repeat(300000))")
    assert [entry["text"][:40] for entry in logs(browser)] == ["before", "(more than a megabyte at once)", "x" * 40]
    before = browser_server.rss_kib()
    with expect_error("browser.timeout", 408):
        evaluate(browser, "for (;;) { console.log('x'.repeat(300000)); console.log('y'.repeat(3000000)); }", timeout=5000)
    entries = eventually(lambda: logs(browser))
    assert all(len(entry["text"]) <= 4096 for entry in entries)
    if not is_sanitized():
        eventually(lambda: browser_server.rss_kib() - before < 24 * 1024, what="the server to be as small as before")
    assert evaluate(browser, "1", timeout=20000) == 1


def test_the_console_starts_no_browser(make_server):
    server = make_server(policy=ON)
    assert server.client().call("browser.console") == {"logs": []}
    assert members(server) == []


# --- pictures


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
        eventually(lambda: browser_server.rss_kib() < 60 * 1024, what="the server to give back what was needed")


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
    script = "fetch('/text').then(() => new Promise(() => {}))"
    method, target, body, own = browser.by_route("browser.evaluate", {"script": script, "timeout": 100000})
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


OPS = {"navigate": {"url": "about:blank"}, "content": {}, "click": {"selector": "a"}, "type": {"selector": "a", "text": "b"},
       "evaluate": {"script": "1"}, "pdf": {}, "screenshot": {}}


def test_only_so_many_may_wait(browser, browser_server, site):
    go(browser, site.url("/text"))
    fds = browser_server.fds()
    with concurrent.futures.ThreadPoolExecutor(69) as pool:
        first = pool.submit(lambda: evaluate(browser, "fetch('/gate/hold').then(() => 0)", timeout=60000))
        site.wait_for("/gate/hold")

        def call(script):
            try:
                return evaluate(browser, script, http_timeout=60)
            except Exception as error:
                return error.wire_code
        waiting = [pool.submit(call, "1") for _ in range(64)]
        eventually(lambda: browser_server.fds() >= fds + 64)
        extra = [pool.submit(call, "2") for _ in range(4)]
        eventually(lambda: sum(one.done() for one in waiting + extra) >= 4)
        for op, args in OPS.items():
            with expect_error("limit.too_many", 429):
                browser.rest(f"browser.{op}", **args)
        assert browser.rest("browser.console")["logs"] is not None, "it does not wait"
        site.open("hold")
        assert first.result() == 0
        answers = [one.result() for one in waiting + extra]
        assert answers.count("limit.too_many") == 4 and set(answers) <= {1, 2, "limit.too_many"}
