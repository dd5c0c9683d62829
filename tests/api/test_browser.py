# SPDX-License-Identifier: Apache-2.0
"""One page of a real Chromium (R84, B119): where it goes, what is clicked, typed and evaluated."""
import concurrent.futures
import json
import pathlib

import pytest

from lib import pages
from lib.access import token
from lib.browsing import ON, evaluate, go, logs, members, out_of_time, page, shown, text_of
from lib.client import expect_error
from lib.processes import eventually

pytestmark = pytest.mark.xdist_group("browser")


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


def test_an_address_that_the_browser_would_drop_without_a_word(browser):
    longest = 2 * 1024 * 1024
    start = "data:text/html,<title>long</title>"
    # An address of two megabytes goes through all of its processes several times: it takes long where there is little CPU.
    go(browser, start + "x" * (longest - len(start)), "commit", timeout=80_000, http_timeout=90)
    assert eventually(lambda: evaluate(browser, "document.title", timeout=60_000, http_timeout=70), 60) == "long"
    for url in (start + "x" * (longest + 1 - len(start)), start + "\u00fc" * (longest // 6)):
        with expect_error("args.invalid", 400, says="'url' is over"):
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
    for op, args in (("navigate", {"url": "about:blank"}), ("content", {}), ("click", {"selector": "a"}), ("evaluate", {"script": "1"}),
                     ("type", {"selector": "a", "text": "b"}), ("pdf", {}), ("screenshot", {})):
        with expect_error("browser.failed", 502, says="ended with 7 at its start: no usable display"):
            server.client().call(f"browser.{op}", **args)
    fake.write_text("no program")
    with expect_error("runtime.unavailable", 503, says="cannot be started"):
        server.client().call("browser.content")
    eventually(lambda: members(server) == [])


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
    out_of_time(lambda timeout: browser.rest("browser.navigate", url=site.url("/busy"), timeout=timeout),
                r"'networkidle' within \d+ ms: requests are still under way", 1000)
    assert go(browser, site.url("/busy"), "load")["status"] == 200
    assert go(browser, site.url("/busy"), "domcontentloaded")["status"] == 200
    site.open("busy")
    assert browser.rest("browser.navigate", url=site.url("/busy"))["title"] == "Busy"
    assert shown(browser) == "idle"


def test_a_page_that_talks_while_it_is_waited_for(browser):
    """What it says at the very moment at which the time of rest is over tells its arrival once, not twice."""
    for number in range(5):
        talking = page(f"<title>{number}</title>", "setInterval(() => console.log('x'))")
        assert browser.rest("browser.navigate", url=talking)["title"] == str(number)


def test_a_page_that_never_ends(browser, site):
    assert go(browser, site.url("/never"), "commit")["status"] == 200
    for until in ("domcontentloaded", "load", "networkidle"):
        out_of_time(lambda timeout, until=until: go(browser, site.url("/never"), until, timeout=timeout),
                    rf"'{until}' within \d+ ms: its document is not whole")
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
    client = make_server(policy={**ON, "limits": {"browser.content": {"max_bytes": 5000}, "browser.pdf": {"max_bytes": 500},
                                               "browser.screenshot": {"max_bytes": 500}}}).client(timeout=60)
    go(client, page("x"))
    assert text_of(client) == "x"
    evaluate(client, "document.body.textContent = 'é'.repeat(2400); 0")
    assert len(text_of(client)) == 2400
    for count in (3000, 3000000):
        evaluate(client, f"document.body.textContent = 'é'.repeat({count}); 0")
        with expect_error("limit.file_too_large", 413):
            text_of(client)
    for op in ("pdf", "screenshot"):
        with expect_error("limit.file_too_large", 413):
            client.rest(f"browser.{op}")
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


def test_selectors_look_into_open_shadow_roots(browser):
    go(browser, page("<div id=outer></div><div id=sealed></div><p class=both>page</p>", """
        const root = outer.attachShadow({mode: 'open'});
        root.innerHTML = '<b class=both>shadow</b><span id=inner></span>';
        const inner = root.getElementById('inner').attachShadow({mode: 'open'});
        inner.innerHTML = '<button onclick="this.textContent = event.isTrusted">x</button><input value=old>';
        sealed.attachShadow({mode: 'closed'}).innerHTML = '<i id=secret>x</i>';
        document.querySelector('.both').onclick = () => document.title = 'of the page';"""))
    browser.rest("browser.click", selector="button")
    browser.rest("browser.type", selector="input", text="new", delay=0, clear=True)
    inside = "outer.shadowRoot.getElementById('inner').shadowRoot"
    assert evaluate(browser, f"[{inside}.querySelector('button').textContent, {inside}.querySelector('input').value]") == ["true", "new"]
    browser.rest("browser.click", selector=".both")
    assert evaluate(browser, "document.title") == "of the page", "what is in the page itself comes first"
    with expect_error("browser.not_found", 404):
        browser.rest("browser.click", selector="#secret", timeout=200)


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
    ("const one = await Promise.resolve(1); one + 1", 2), ("for (const n of [1, 2]) await n", 2), ("({then: (f) => f(7)})", 7),
    ("Promise.resolve({then: (f) => f([8])})", [8]), ("[Promise.resolve(1)]", [{}]),
])
def test_evaluate(browser, script, value):
    assert evaluate(browser, script) == value


def test_evaluate_declares_as_a_console_does(browser):
    """The same script runs twice on one page; what it declared is there for the next."""
    go(browser, "about:blank")
    for number in (1, 2):
        assert evaluate(browser, f"const found = {number}; let next = found + 1; class Kind {{}} next") == number + 1
    assert evaluate(browser, "[found, next, typeof Kind]") == [2, 3, "function"]


@pytest.mark.parametrize("script, says", [
    ("await Promise.reject(new Error('late'))", "the script threw: Error: late"), ("await (async () => nowhere)()", "ReferenceError"),
    ("Promise.resolve(() => 1)", "it is a function"), ("Promise.resolve(document.body)", "a node of the document"),
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
