# SPDX-License-Identifier: Apache-2.0
"""
A small web site on loopback for the tests of the browser.

    with Site() as site:
        site.url("/form")                       # http://127.0.0.1:PORT/form
        site.url("/form", host="localhost")     # the same pages; to a browser that is another host

Nothing here sleeps.  What a page does "later" it does when the test opens a gate: the page asks for
/gate/NAME, whose answer comes after site.open("NAME").  site.wait_for(path) returns when that path
was asked for; site.asked() is what was asked for so far, as (host, path with query).

Pages show what happened to them in the text of #result.
"""
import base64
import hashlib
import html
import http.server
import json
import threading
import urllib.parse

HOSTS = ("127.0.0.1", "127.0.0.2", "localhost")
WAIT = 60

# /long: stripes of this height, whole width, from the top; what is behind the last one is white.
STRIPE = 500
STRIPES = ((255, 0, 0), (0, 160, 0), (0, 0, 255), (255, 255, 0), (0, 255, 255), (255, 0, 255), (80, 80, 80), (255, 128, 0))
# /canvas: pixels along one side; four bytes each make it 100 MiB.
CANVAS = 5120
UNICODE_TITLE = "Grüße — 世界 🌍"
UNICODE_TEXT = "naïve café ‏שלום‏ 日本語 e\u0301 👩‍👩‍👧 \U0001f3f4"
# What /console says, in order: (method, text).
CONSOLE = (("log", "a log 1 true"), ("info", "an info"), ("warn", "a warning"), ("error", "an error"), ("debug", "a debug"))
DOWNLOAD = b"what is downloaded\n"
PIXEL = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")

GATE = """
function gate(name) { return fetch('/gate/' + name + location.search, {cache: 'no-store'}); }
function show(text) { document.getElementById('result').textContent = text; }
"""


def page(title, body, script="", style="", before=""):
    # An icon of its own: the browser asks for none, whose absence would come into the console sooner or later.
    return (f"<!doctype html><html><head><meta charset=utf-8><title>{html.escape(title)}</title><link rel=icon href='data:,'>{before}"
            f"<style>body {{ margin: 0; font: 16px sans-serif }} {style}</style></head><body>{body}"
            f"<p id=result></p><script>{GATE}{script}</script></body></html>")


def _text(_):
    return page("A text page", "<h1 id=head>A heading</h1><p id=words>Some words.</p><p hidden id=hidden>Not shown.</p>"
                "<a id=link href='/form'>the form</a>")


def _form(_):
    return page("A form", """
<form id=form><input id=name name=name><input id=filled value="old text"><input id=number type=number>
<textarea id=area></textarea><input id=secret type=password><div id=editable contenteditable></div>
<select id=select><option value=one>one</option><option value=two>two</option></select>
<input id=box type=checkbox><button id=send type=submit>Send</button></form>""", """
let keys = 0;
document.addEventListener('keydown', () => keys++);
document.getElementById('form').addEventListener('submit', event => {
    event.preventDefault();
    const of = id => document.getElementById(id);
    show(`name=${of('name').value} select=${of('select').value} box=${of('box').checked}` +
        ` keys=${keys > 0} trusted=${event.isTrusted}`);
});""")


def _late(_):
    return page("A late button", "<div id=place></div>", """
gate('late').then(() => {
    document.getElementById('place').innerHTML = '<button id=late>Late</button>';
    document.getElementById('late').addEventListener('click', () => show('clicked'));
});""")


def _moving(query):
    """Moves until the gate opens; ?frames=N: or for so many frames."""
    frames = int(query.get("frames", 0))
    return page("A moving button", "<button id=moving style='position:absolute;top:50px;left:0'>Moves</button>", f"""
const button = document.getElementById('moving');
let frame = 0, rests = false;
function move() {{
    frame++;
    if (rests || ({frames} && frame > {frames})) {{ rests = true; button.style.left = '600px'; button.dataset.rests = 1; return; }}
    button.style.left = (frame * 37) % 500 + 'px';
    requestAnimationFrame(move);
}}
requestAnimationFrame(move);
if (!{frames}) gate('moving').then(() => rests = true);
button.addEventListener('click', () => show(rests ? 'clicked at rest' : 'clicked while it moved'));""")


def _overlay(_):
    return page("Under an overlay", """
<button id=under style='position:absolute;top:100px;left:100px'>Under</button>
<div id=over style='position:fixed;top:0;left:0;width:100%;height:100%;background:#000a'></div>""", """
document.getElementById('under').addEventListener('click', () => show('clicked'));
document.getElementById('over').addEventListener('click', () => show('the overlay was clicked'));
gate('overlay').then(() => document.getElementById('over').remove());""")


def _disabled(_):
    return page("A disabled button", "<button id=disabled disabled>Wait</button>", """
const button = document.getElementById('disabled');
button.addEventListener('click', () => show('clicked'));
gate('disabled').then(() => button.disabled = false);""")


def _below(_):
    return page("Far below", "<div style='height:5000px'></div><button id=below>Below</button>", """
document.getElementById('below').addEventListener('click', event => show('clicked, trusted ' + event.isTrusted));""")


def _dialogs(query):
    """?now=alert (or confirm, prompt): while the page loads."""
    now = query.get("now", "")
    return page("Dialogs", "<button id=alert>alert</button><button id=confirm>confirm</button><button id=prompt>prompt</button>",
                """
for (const kind of ['alert', 'confirm', 'prompt'])
    document.getElementById(kind).addEventListener('click', () => show(kind + ' said ' + window[kind]('a question')));
""" + (f"show('{now} said ' + window['{now}']('at once'));" if now in ("alert", "confirm", "prompt") else ""))


def _beforeunload(_):
    """Chromium asks only where the user has touched the page: click #touch first."""
    return page("Do not leave", "<button id=touch>Touch</button>", """
window.addEventListener('beforeunload', event => { event.preventDefault(); event.returnValue = 'stay'; });
document.getElementById('touch').addEventListener('click', () => show('touched'));""")


def _subresource(query):
    """?from=http://HOST:PORT: a picture, a script, a fetch and a style sheet of that origin."""
    origin = query.get("from", "")
    return page("Subresources", f"<img id=image src='{origin}/pixel.png'>", f"""
const seen = {{image: 'waits', script: 'waits', fetch: 'waits', style: 'waits'}};
function note(what, how) {{
    seen[what] = how;
    if (!Object.values(seen).includes('waits')) show(Object.entries(seen).map(e => e.join('=')).join(' '));
}}
function watch(what, element) {{
    element.addEventListener('load', () => note(what, 'loaded'));
    element.addEventListener('error', () => note(what, 'failed'));
}}
const image = new Image(); watch('image', image); image.src = '{origin}/pixel.png?2';
const script = document.createElement('script'); watch('script', script); script.src = '{origin}/script.js';
const style = document.createElement('link'); style.rel = 'stylesheet'; watch('style', style); style.href = '{origin}/style.css';
document.head.append(script, style);
fetch('{origin}/words.json').then(r => note('fetch', r.ok ? 'loaded' : 'failed'), () => note('fetch', 'failed'));""")


def _frame(query):
    """?url=URL: in an iframe; #result tells when it has settled."""
    url = html.escape(query.get("url", "/"), quote=True)
    return page("A frame", "<div id=place></div>", f"""
const frame = document.createElement('iframe');
frame.id = 'frame';
frame.addEventListener('load', () => show('settled'));
frame.src = '{url}';
document.getElementById('place').append(frame);""")


def _socket(query):
    """?url=ws://HOST:PORT/echo, or this host's; says "open, echo: hello" or "closed"."""
    url = query.get("url", "")
    return page("A WebSocket", "", f"""
const socket = new WebSocket('{url}' || `ws://${{location.host}}/echo`);
socket.addEventListener('open', () => socket.send('hello'));
socket.addEventListener('message', event => show('open, echo: ' + event.data));
socket.addEventListener('close', () => show(document.getElementById('result').textContent || 'closed'));""")


def _console(_):
    said = "".join(f"console.{method}({json.dumps(text)});" for method, text in CONSOLE[1:])
    return page("The console", "", "console.log('a log', 1, true);" + said + """
console.log({a: 1, b: ['x', null]});
console.assert(false, 'an assertion');
console.trace('a trace');
console.table([{a: 1}]);
console.count('counted');
show('said');""")


def _flood(query):
    """?n=N messages, "flood 0" to "flood N-1"."""
    return page("A flood", "", f"for (let i = 0; i < {int(query.get('n', 3000))}; i++) console.log('flood ' + i); show('said');")


def _error(_):
    return page("An error", "", "show('before'); setTimeout(() => { throw new Error('nobody catches this'); });")


def _rejection(_):
    return page("A rejection", "", "show('before'); Promise.reject(new Error('nobody awaits this'));")


def _long(_):
    stripes = "".join(f"<div style='height:{STRIPE}px;background:rgb{colour}'></div>" for colour in STRIPES)
    return page("A long page", stripes + "<div id=mark style='width:120px;height:80px;background:rgb(1, 2, 3)'></div>")


def _canvas(_):
    return page("A canvas", f"<canvas id=canvas width={CANVAS} height={CANVAS}></canvas>", f"""
const context = document.getElementById('canvas').getContext('2d');
context.fillStyle = 'rgb(10, 20, 30)';
context.fillRect(0, 0, {CANVAS}, {CANVAS});
show(Array.from(context.getImageData({CANVAS} - 1, {CANVAS} - 1, 1, 1).data).join(','));""")


def _unicode(_):
    return page(UNICODE_TITLE, f"<p id=words>{UNICODE_TEXT}</p><input id=input>")


def _busy(_):
    """The network is not idle until the gate opens; load and DOMContentLoaded come at once."""
    return page("Busy", "", "show('loaded'); gate('busy').then(() => show('idle'));")


def _links(_):
    return page("Links", "<a id=blank target=_blank href='/'>a new window</a><a id=download href='/download'>a file</a>"
                "<a id=anchor href='#here'>here</a><button id=open>open</button>",
                "document.getElementById('open').addEventListener('click', () => show('opened ' + !!window.open('/')));")


def _timer(_):
    """Counts frames, so that a test sees whether the page lives."""
    return page("It lives", "", "let n = 0; setInterval(() => show(String(++n)), 20);")


PAGES = {
    "/": _text, "/text": _text, "/form": _form, "/late": _late, "/moving": _moving, "/overlay": _overlay, "/disabled": _disabled,
    "/below": _below, "/dialogs": _dialogs, "/beforeunload": _beforeunload, "/subresource": _subresource, "/frame": _frame,
    "/socket": _socket, "/console": _console, "/flood": _flood, "/error": _error, "/rejection": _rejection, "/long": _long,
    "/canvas": _canvas, "/unicode": _unicode, "/busy": _busy, "/links": _links, "/timer": _timer,
}
FILES = {
    "/pixel.png": ("image/png", PIXEL), "/script.js": ("text/javascript", b"window.foreign = true;"),
    "/style.css": ("text/css", b"p { color: rgb(9, 9, 9) }"), "/words.json": ("application/json", b'{"words": ["a", "b"]}'),
}


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self._answer()

    def do_HEAD(self):
        self._answer()

    def do_POST(self):
        length = int(self.headers.get("Content-Length", 0))
        self.body = self.rfile.read(length)
        self._answer()

    def _answer(self):
        site, parts = self.server.site, urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(parts.query))
        site._note(self.headers.get("Host", "").rpartition(":")[0], self.path)
        first = parts.path.strip("/").split("/")[0]
        special = getattr(self, f"_at_{first}", None)
        if special:
            special(parts.path.rpartition("/")[2], query)
        elif parts.path in PAGES:
            self._send(200, PAGES[parts.path](query))
        elif parts.path in FILES:
            media, content = FILES[parts.path]
            self._send(200, content, media, **{"Access-Control-Allow-Origin": "*"})
        else:
            self._send(404, page("Not found", f"<h1>404</h1><p>{html.escape(parts.path)}</p>"))

    def _send(self, status, content, media="text/html; charset=utf-8", **fields):
        content = content.encode() if isinstance(content, str) else content
        self.send_response(status)
        for name, value in {"Content-Type": media, "Content-Length": str(len(content)), "Cache-Control": "no-store", **fields}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def _at_gate(self, name, _):
        self.server.site._wait_open(name)
        self._send(200, "open", "text/plain")

    def _at_redirect(self, count, _):
        """/redirect/N: N steps to the text page."""
        self._send(302, "", Location="/" if int(count) <= 1 else f"/redirect/{int(count) - 1}")

    def _at_loop(self, *_):
        self._send(302, "", Location="/loop")

    def _at_to(self, _, query):
        """/to?url=URL: sends there; &status=N with another status."""
        self._send(int(query.get("status", 302)), "", Location=query["url"])

    def _at_status(self, status, _):
        self._send(int(status), page(f"Status {status}", f"<h1>{status}</h1>"))

    def _at_download(self, *_):
        self._send(200, DOWNLOAD, "application/octet-stream", **{"Content-Disposition": 'attachment; filename="file.bin"'})

    def _at_headers(self, *_):
        self._send(200, json.dumps(dict(self.headers.items())), "application/json")

    def _at_post(self, *_):
        body = getattr(self, "body", b"")
        self._send(200, json.dumps({"length": len(body), "sha256": hashlib.sha256(body).hexdigest()}), "application/json",
                   **{"Access-Control-Allow-Origin": "*"})

    def _at_bytes(self, count, _):
        """/bytes/N: so many zero bytes."""
        self.send_response(200)
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("Content-Length", count)
        self.end_headers()
        left, block = int(count), bytes(1 << 16)
        while left > 0:
            left -= self.wfile.write(block[:min(left, len(block))])

    def _at_never(self, *_):
        """The head and a beginning; the rest never comes."""
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        text = b"<!doctype html><title>Never</title><p id=words>It begins</p>"
        self.wfile.write(b"%x\r\n%s\r\n" % (len(text), text))
        self.wfile.flush()
        self._hold()

    def _at_hang(self, *_):
        """Not even a head."""
        self._hold()

    def _hold(self):
        self.close_connection = True
        self.server.site._closed.wait()

    def _at_echo(self, *_):
        """A WebSocket that sends each text message back."""
        key = self.headers.get("Sec-WebSocket-Key", "") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        self.send_response(101)
        self.send_header("Upgrade", "websocket")
        self.send_header("Connection", "Upgrade")
        self.send_header("Sec-WebSocket-Accept", base64.b64encode(hashlib.sha1(key.encode()).digest()).decode())
        self.end_headers()
        self.close_connection = True
        while (frame := self._frame()) and frame[0] == 1:
            self.wfile.write(bytes([0x81, len(frame[1])]) + frame[1])

    def _frame(self):
        """Opcode and bytes of a short frame; None at the end."""
        head = self.rfile.read(2)
        if len(head) < 2 or head[1] & 0x7f > 125:
            return None
        mask, masked = self.rfile.read(4), self.rfile.read(head[1] & 0x7f)
        return head[0] & 15, bytes(b ^ mask[i % 4] for i, b in enumerate(masked))


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def handle_error(self, *_):
        """A browser that leaves in the middle is no fault of the site."""


def _listen(site):
    """A server on each of the addresses, all with one port: what is free on the first may be taken on another."""
    for _ in range(50):
        first = _Server(("127.0.0.1", 0), _Handler)
        try:
            second = _Server(("127.0.0.2", first.server_port), _Handler)
        except OSError:
            first.server_close()
            continue
        for server in (first, second):
            server.site = site
        return [first, second]
    raise OSError("no port is free on both addresses")


class Site:
    def __init__(self):
        self._changed, self._closed = threading.Condition(), threading.Event()
        self._asked, self._open = [], set()
        self._servers = _listen(self)
        self.port = self._servers[0].server_port
        for server in self._servers:
            threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def url(self, path="/", host="127.0.0.1", scheme="http", **query):
        text = f"?{urllib.parse.urlencode(query)}" if query else ""
        return f"{scheme}://{host}:{self.port}{path}{text}"

    def asked(self):
        with self._changed:
            return list(self._asked)

    def wait_for(self, path, times=1, within=WAIT):
        """Until the path (without its query) was asked for so many times."""
        def is_there():
            return sum(urllib.parse.urlsplit(each).path == path for _, each in self._asked) >= times
        with self._changed:
            assert self._changed.wait_for(is_there, within), f"{path} was not asked for {times} times: {self._asked[-20:]}"

    def open(self, gate):
        """Lets everyone through who waits at the gate, or comes later."""
        with self._changed:
            self._open.add(gate)
            self._changed.notify_all()

    def forget(self):
        """Closes all gates and forgets what was asked for."""
        with self._changed:
            self._open.clear()
            self._asked.clear()

    def close(self):
        self._closed.set()
        with self._changed:
            self._changed.notify_all()
        for server in self._servers:
            server.shutdown()
            server.server_close()

    def _note(self, host, path):
        with self._changed:
            self._asked.append((host, path))
            self._changed.notify_all()

    def _wait_open(self, gate):
        with self._changed:
            self._changed.wait_for(lambda: gate in self._open or self._closed.is_set())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
