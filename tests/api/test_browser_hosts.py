# SPDX-License-Identifier: Apache-2.0
"""
browser.allow_hosts with the real browser: whatever a page does to get to a host that is not allowed,
nobody there is asked.  The hosts are addresses and names of loopback, with the same pages.
"""
import contextlib
import hashlib
import json
import os
import pathlib
import socket

import pytest

from lib.browsing import has_user_namespaces
from lib.client import expect_error
from lib.pages import Site
from lib.processes import eventually
from lib.server import Server

ALLOWED, REFUSED = "127.0.0.1", "127.0.0.2"
RULE = "policy:browser.allow_hosts"

# What #result holds, as soon as it holds something.
RESULT = """new Promise(done => {
    const look = () => { const text = document.getElementById('result').textContent; text ? done(text) : setTimeout(look, 10); };
    look();
})"""


def make(*hosts):
    return Server(policy={"groups": {"browser": True}, "browser": {"allow_hosts": list(hosts)}})


@pytest.fixture(scope="module")
def server():
    with make(ALLOWED, "*.localhost") as one:
        yield one
        one.check_silence()


@pytest.fixture(scope="module")
def shared_site():
    with Site() as one:
        yield one


@pytest.fixture
def site(shared_site):
    shared_site.forget()
    return shared_site


class Browser:
    def __init__(self, server):
        self.client = server.client(timeout=60)

    def open(self, url, until="load"):
        return self.client.call("browser.navigate", url=url, wait_until=until)

    def run(self, script):
        return self.client.call("browser.evaluate", script=script, timeout=30_000)["result"]

    def result_of(self, url):
        self.open(url)
        return self.run(RESULT)

    def refused(self):
        """host:port of what was refused since the last time; also what the browser wants by itself."""
        return [log["text"] for log in self.client.call("browser.console")["logs"] if log["type"] == "refused"]


@pytest.fixture
def browser(server):
    one = Browser(server)
    one.open("about:blank")
    one.refused()
    return one


def was_asked(site, host):
    return [path for name, path in site.asked() if name == host]


def test_the_address_itself(browser, site):
    assert browser.open(site.url("/text"))["status"] == 200
    for url in (site.url("/text", host=REFUSED), site.url("/text", host="localhost"), "http://example.com/", "https://127.0.0.2/",
                f"http://user:x@{REFUSED}:{site.port}/", f"http://{ALLOWED}@{REFUSED}:{site.port}/",
                f"http://{REFUSED}:{site.port}\\@{ALLOWED}/"):
        with expect_error("policy.host_denied", 403) as caught:
            browser.open(url)
        assert caught.error.rule == RULE, url
    # Other spellings of an address are that address.
    assert browser.open(f"http://0x7f.1:{site.port}/text")["title"] == "A text page"
    with expect_error("policy.host_denied", 403):
        browser.open(f"http://0x7f000002:{site.port}/text")
    assert {name for name, _ in site.asked()} == {ALLOWED}


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect(browser, site, status):
    assert browser.open(site.url("/redirect/4"))["title"] == "A text page"
    with expect_error("policy.host_denied", 403) as caught:
        browser.open(site.url("/to", url=site.url("/text", host=REFUSED), status=status))
    assert caught.error.rule == RULE and REFUSED in caught.error.message
    assert was_asked(site, REFUSED) == []
    assert f"{REFUSED}:{site.port}" in browser.refused()


def test_a_redirect_behind_a_redirect(browser, site):
    target = site.url("/to", url=site.url("/text", host=REFUSED))
    with expect_error("policy.host_denied", 403):
        browser.open(site.url("/to", url=target))
    assert was_asked(site, REFUSED) == []
    # The browser is as good as before.
    assert browser.open(site.url("/text"))["title"] == "A text page"


@pytest.mark.parametrize("script", [
    "location.href = URL", "location.replace(URL)",
    "document.body.innerHTML = '<a id=x></a>'; x.href = URL; x.click()",
    "const f = document.createElement('form'); f.method = 'post'; f.action = URL; document.body.append(f); f.submit()",
    "const m = document.createElement('meta'); m.httpEquiv = 'refresh'; m.content = '0; url=' + URL; document.head.append(m)"])
def test_a_page_that_goes_there(browser, site, script):
    browser.open(site.url("/text"))
    url = site.url("/text", host=REFUSED)
    browser.run(f"{{ const URL = {json.dumps(url)}; setTimeout(() => {{ {script} }}, 0); }} null")
    eventually(lambda: f"{REFUSED}:{site.port}" in browser.refused(), what="the refusal")
    assert was_asked(site, REFUSED) == []


def test_a_second_window(browser, site):
    """Whether there is one or not, nobody is asked."""
    browser.open(site.url("/text"))
    browser.run(f"window.open({json.dumps(site.url('/text', host=REFUSED))}); null")
    # What the browser asks for next comes after it.
    assert browser.result_of(site.url("/socket")) == "open, echo: hello"
    assert was_asked(site, REFUSED) == []


def test_subresources(browser, site):
    assert browser.result_of(site.url("/subresource", **{"from": site.url("")})) == \
        "image=loaded script=loaded fetch=loaded style=loaded"
    assert browser.result_of(site.url("/subresource", **{"from": site.url("", host="app.localhost")})) == \
        "image=loaded script=loaded fetch=loaded style=loaded"
    browser.refused()
    assert browser.result_of(site.url("/subresource", **{"from": site.url("", host=REFUSED)})) == \
        "image=failed script=failed fetch=failed style=failed"
    assert was_asked(site, REFUSED) == [] and len(was_asked(site, "app.localhost")) >= 4
    assert browser.refused().count(f"{REFUSED}:{site.port}") >= 4


def test_a_frame(browser, site):
    browser.result_of(site.url("/frame", url="/text"))
    assert browser.run("document.getElementById('frame').contentDocument.title") == "A text page"
    assert browser.result_of(site.url("/frame", url=site.url("/text", host=REFUSED))) == "settled"
    assert browser.result_of(site.url("/frame", url=site.url("/to", url=site.url("/text", host=REFUSED)))) == "settled"
    assert was_asked(site, REFUSED) == []
    assert browser.refused().count(f"{REFUSED}:{site.port}") >= 2


def test_a_websocket(browser, site):
    assert browser.result_of(site.url("/socket")) == "open, echo: hello"
    assert browser.result_of(site.url("/socket", url=site.url("/echo", host="app.localhost", scheme="ws"))) == "open, echo: hello"
    assert browser.result_of(site.url("/socket", url=site.url("/echo", host=REFUSED, scheme="ws"))) == "closed"
    assert was_asked(site, REFUSED) == []


def test_all_the_other_ways(browser, site):
    """Each says when it has failed; a beacon says nothing, so it goes first."""
    browser.open(site.url("/text"))
    origin = site.url("", host=REFUSED)
    failed = browser.run(f"""(async () => {{
        const origin = {json.dumps(origin)}, done = [];
        navigator.sendBeacon(origin + '/beacon', 'x');
        const fails = (what, promise) => promise.then(() => 0, () => done.push(what));
        const loads = (what, name, more) => fails(what, new Promise((good, bad) => {{
            const element = Object.assign(document.createElement(name), {{onload: good, onerror: bad, ...more}});
            document.head.append(element);
        }}));
        await fails('post', fetch(origin + '/post', {{method: 'POST', body: 'x'}}));
        await fetch(origin + '/post', {{mode: 'no-cors'}}).catch(() => 0); /* cannot see whose answer it got */
        await fails('preflight', fetch(origin + '/post', {{method: 'PUT', headers: {{'X-Own': '1'}}}}));
        await fails('xhr', new Promise((good, bad) => {{
            const x = Object.assign(new XMLHttpRequest(), {{onload: good, onerror: bad}});
            x.open('GET', origin + '/words.json'); x.send();
        }}));
        await fails('events', new Promise((good, bad) =>
            Object.assign(new EventSource(origin + '/text'), {{onopen: good, onerror: e => {{ e.target.close(); bad(); }}}})));
        await loads('preload', 'link', {{rel: 'preload', as: 'script', href: origin + '/script.js'}});
        await loads('module', 'script', {{type: 'module', src: origin + '/script.js'}});
        await fails('worker', new Promise((good, bad) => {{
            const code = `try {{ importScripts('${{origin}}/script.js'); postMessage(1); }} catch (e) {{ postMessage(0); }}`;
            const worker = new Worker(URL.createObjectURL(new Blob([code])));
            worker.onmessage = event => event.data ? good() : bad();
        }}));
        await fails('font', new FontFace('x', `url(${{origin}}/font.woff)`).load());
        await fails('media', new Promise((good, bad) =>
            Object.assign(document.createElement('audio'), {{oncanplay: good, onerror: bad}}).src = origin + '/a.wav'));
        return done;
    }})()""")
    assert failed == ["post", "preflight", "xhr", "events", "preload", "module", "worker", "font", "media"]
    browser.open(site.url("/form"))
    assert was_asked(site, REFUSED) == []


def test_webrtc_keeps_to_the_proxy(browser, site):
    """No datagram leaves the browser, whatever server for ICE a page names."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stun, socket.create_server((REFUSED, 0)) as turn:
        stun.bind((REFUSED, 0))
        turn.setblocking(False)
        browser.open(site.url("/text"))
        gathered = browser.run(f"""(async () => {{
            const peer = new RTCPeerConnection({{iceServers: [{{urls: 'stun:{REFUSED}:{stun.getsockname()[1]}'}},
                {{urls: 'turn:{REFUSED}:{turn.getsockname()[1]}?transport=tcp', username: 'u', credential: 'c'}}]}});
            peer.createDataChannel('x');
            await peer.setLocalDescription(await peer.createOffer());
            await new Promise(done => {{
                const look = () => peer.iceGatheringState === 'complete' && done();
                peer.onicegatheringstatechange = look;
                look();
            }});
            return peer.iceGatheringState;
        }})()""")
        assert gathered == "complete"
        stun.setblocking(False)
        with pytest.raises(BlockingIOError):
            stun.recv(2000)
        with pytest.raises(BlockingIOError):
            turn.accept()


def test_names_and_ports():
    with Site() as site, Site() as other, make(f"localhost:{site.port}", "*.app.localhost", "[::1]") as server:
        browser = Browser(server)
        assert browser.open(site.url("/text", host="LOCALHOST"))["status"] == 200
        assert browser.open(site.url("/text", host="a.b.app.localhost"))["status"] == 200
        for url in (other.url("/text", host="localhost"), site.url("/text"), site.url("/text", host="app.localhost"),
                    site.url("/text", host="notapp.localhost")):
            with expect_error("policy.host_denied", 403):
                browser.open(url)
        assert other.asked() == []


def test_no_host_at_all():
    with Site() as site, make() as server:
        browser = Browser(server)
        assert browser.open("data:text/html,<title>here</title>")["title"] == "here"
        with expect_error("policy.host_denied", 403):
            browser.open(site.url("/"))
        assert site.asked() == []


def test_the_policy_is_read_again(make_server):
    policy = {"groups": {"browser": True}, "browser": {"allow_hosts": [ALLOWED]}}
    server = make_server(policy=policy)
    with Site() as site:
        browser = Browser(server)
        assert browser.open(site.url("/text"))["status"] == 200
        with expect_error("policy.host_denied", 403):
            browser.open(site.url("/text", host=REFUSED))
        policy["browser"]["allow_hosts"] = [REFUSED]
        (server.scratch / "policy.yaml").write_text(json.dumps(policy))
        browser.client.call("core.reload")
        assert browser.open(site.url("/text", host=REFUSED))["status"] == 200
        with expect_error("policy.host_denied", 403):
            browser.open(site.url("/text"))


def listening(pid):
    """Ports on 127.0.0.1 that a process listens on."""
    inodes = set()
    for entry in os.scandir(f"/proc/{pid}/fd"):
        try:
            inodes.add(os.readlink(entry.path))
        except FileNotFoundError:
            continue
    rows = [line.split() for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return {int(row[1].partition(":")[2], 16) for row in rows
            if row[1].startswith("0100007F:") and row[3] == "0A" and f"socket:[{row[9]}]" in inodes}


@pytest.mark.skipif(os.getuid() != 0, reason="only root can start the browser as somebody else")
@pytest.mark.skipif(not has_user_namespaces(), reason="no user namespaces here for Chromium's sandbox")
@pytest.mark.parametrize("confine", ["off", "paths"])
def test_the_proxy_is_for_the_user_of_the_browser(make_server, site, confine):
    server = make_server(token="token-of-hosts", policy={"groups": {"browser": True}, "process": {"user": "nobody", "confine": confine},
                                            "browser": {"allow_hosts": [ALLOWED]}})
    browser = Browser(server)
    assert browser.open(site.url("/text"))["status"] == 200
    with expect_error("policy.host_denied", 403):
        browser.open(site.url("/to", url=site.url("/text", host=REFUSED)))
    (port,) = listening(server.process.pid) - {server.port}
    with socket.create_connection((ALLOWED, port), 60) as somebody_else:
        with contextlib.suppress(ConnectionResetError, BrokenPipeError):
            somebody_else.sendall(f"GET {site.url('/form')} HTTP/1.1\r\nHost: {ALLOWED}:{site.port}\r\n\r\n".encode())
            assert somebody_else.recv(100) == b""
    assert "/form" not in was_asked(site, ALLOWED)


def test_the_browser_wants_nothing_by_itself(site):
    """It would ask its maker for updates, the time and who is signed in; a page that is used sets off more."""
    with make(ALLOWED) as server:
        browser = Browser(server)
        browser.open(site.url("/form"), until="networkidle")
        browser.client.call("browser.type", selector="#name", text="some wrods that are mispeled", delay=0)
        browser.client.call("browser.type", selector="#secret", text="secret", delay=0)
        browser.client.call("browser.click", selector="#send")
        browser.open(site.url("/text"), until="networkidle")
        assert browser.refused() == []


def test_bytes_go_through_whole(browser, site):
    browser.open(site.url("/text"))
    assert browser.run("""Promise.all(Array.from({length: 40}, (_, i) => fetch('/bytes/' + (100000 + i))
        .then(r => r.arrayBuffer()).then(b => b.byteLength))).then(all => all.reduce((a, b) => a + b))""") == \
        sum(100000 + i for i in range(40))
    size = 5 * 1024 * 1024
    sent = browser.run(f"fetch('/post', {{method: 'POST', body: new Uint8Array({size}).fill(7)}}).then(r => r.json())")
    assert sent == {"length": size, "sha256": hashlib.sha256(b"\7" * size).hexdigest()}
    headers = browser.run("fetch('/headers').then(r => r.json())")
    assert not [name for name in headers if name.lower().startswith("proxy-")]


def test_many_websockets_at_once(browser, site):
    browser.open(site.url("/text"))
    assert browser.run("""Promise.all(Array.from({length: 40}, (_, i) => new Promise(done => {
        const socket = new WebSocket(`ws://${location.host}/echo`);
        socket.onopen = () => socket.send('n' + i);
        socket.onmessage = event => done(event.data);
    }))).then(all => all.join(' '))""") == " ".join(f"n{i}" for i in range(40))


def test_a_host_that_is_not_there(browser):
    """Allowed, and nobody listens: the proxy's answer says so, as a page."""
    with socket.socket() as nobody:
        nobody.bind((ALLOWED, 0))
        page = browser.open(f"http://{ALLOWED}:{nobody.getsockname()[1]}/")
        assert page["status"] == 502
        assert "Connection refused" in browser.run("document.body.textContent")
        with expect_error("browser.failed", 502) as caught:
            browser.open(f"https://{ALLOWED}:{nobody.getsockname()[1]}/")
        assert caught.error.rule is None
