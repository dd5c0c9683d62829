# SPDX-License-Identifier: Apache-2.0
"""abx browser against the real server, the real browser and pages on loopback."""
import json
import os
import pty
import re
import struct

import pytest

from lib import pages
from lib.abx import Abx
from lib.pages import Site
from lib.server import Server


@pytest.fixture(scope="module")
def server():
    with Server(policy={"groups": {"browser": True}}) as one:
        yield one
        one.check_silence()


@pytest.fixture(scope="module")
def site():
    with Site() as one:
        yield one


@pytest.fixture
def abx(server, tmp_path):
    return Abx(server.url, tmp_path)


@pytest.fixture
def browser(abx):
    """abx("browser", …) that must work."""
    def run(*words, **how):
        done = abx("browser", *words, **how)
        assert done.code == 0 and done.err == "", done
        return done
    return run


def size_of_png(bytes_):
    assert bytes_[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", bytes_[16:24])


def on_terminal(abx, *words):
    """Exit code and what came, when standard output is a terminal."""
    ours, theirs = pty.openpty()
    process = abx.start(*words, stdout=theirs)
    os.close(theirs)
    seen = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:
            break
        if not part:
            break
        seen += part
    os.close(ours)
    error = process.stderr.read().decode()
    process.stderr.close()
    return process.wait(), seen, error


def test_a_form_from_end_to_end(browser, site):
    done = browser("open", site.url("/form"))
    assert done.out == f"url: {site.url('/form')}\ntitle: A form\nstatus: 200\n"
    browser("type", "#name", "Ada")
    browser("type", "#filled", "new", "--clear", "--delay", "0")
    browser("type", "#area", "-", input="zwei\nZeilen ä".encode())
    browser("click", "#box")
    browser("click", "#send")
    assert "name=Ada select=one box=true keys=true trusted=true" in browser("text").out
    assert browser("eval", "document.querySelector('#filled').value").out == "new\n"
    assert browser("eval", "document.querySelector('#area').value").out == "zwei\nZeilen ä\n"


def test_what_eval_prints(browser, site):
    browser("open", site.url("/text"))
    for script, printed in (("1 + 1", "2"), ("'a \"text\" ä'", 'a "text" ä'), ("({a: [1, null, 'x']})", '{"a":[1,null,"x"]}'),
                            ("undefined", "null"), ("Promise.resolve(true)", "true"), ("''", "")):
        assert browser("eval", script).out == printed + "\n"
    assert browser("eval", input=b"// by standard input\n6 * 7").out == "42\n"
    assert browser("eval", "-", input=b"document.title").out == "A text page\n"


def test_text_and_html(abx, browser, site):
    browser("open", site.url("/text"), "--until", "load")
    text, markup = browser("text").out, browser("text", "--html").out
    assert "Some words." in text and "Not shown." not in text and "<h1" not in text
    assert '<h1 id="head">' in markup and "Not shown." in markup
    assert json.loads(abx("--json", "browser", "text").out)["title"] == "A text page"
    browser("open", site.url("/unicode"))
    assert pages.UNICODE_TEXT in browser("text").out
    assert f"title: {pages.UNICODE_TITLE}\n" in browser("open", site.url("/unicode")).out


def test_foreign_text_does_not_drive_the_terminal(abx, browser):
    browser("open", "data:text/html,<title>x</title><pre id=p></pre><script>p.textContent = 'a\\x1b]0;owned\\x07b'</script>")
    code, seen, error = on_terminal(abx, "browser", "text")
    assert code == 0 and b"\x1b" not in seen and b"\\x1b]0;owned" in seen, error
    code, seen, _ = on_terminal(abx, "browser", "eval", "document.querySelector('#p').textContent")
    assert code == 0 and b"\x1b" not in seen and b"owned" in seen


def test_pictures(abx, browser, site, tmp_path):
    browser("open", site.url("/long"))
    browser("shot", "whole.png")
    width, height = size_of_png((tmp_path / "whole.png").read_bytes())
    assert height > pages.STRIPE * len(pages.STRIPES)
    browser("shot", "--window", "window.png")
    assert size_of_png((tmp_path / "window.png").read_bytes())[1] < height
    assert size_of_png(browser("shot", "-s", "#mark").raw) == (120, 80)
    assert size_of_png(browser("shot", "-", "-s", "#mark").raw) == (120, 80)
    for words in (("x.jpg",), ("x.JPEG",), ("x", "--format", "jpeg"), ("x.png", "--format", "jpeg", "--quality", "10")):
        browser("shot", *words)
        assert (tmp_path / words[0]).read_bytes()[:3] == b"\xff\xd8\xff"
    wire = json.loads(abx("--json", "browser", "shot", "-s", "#mark").out)
    assert (wire["width"], wire["height"]) == (120, 80) and wire["image_base64"]
    assert (tmp_path / "whole.png").stat().st_mode & 0o111 == 0 and not list(tmp_path.glob("*abx*"))


def test_documents(abx, browser, site, tmp_path):
    browser("open", site.url("/long"))
    browser("pdf", "a.pdf", "--landscape", "--paper", "A5")
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF-")
    assert browser("pdf").raw.startswith(b"%PDF-")
    assert json.loads(abx("--json", "browser", "pdf").out)["pages"] > 1


@pytest.mark.parametrize("words", [("shot",), ("shot", "-"), ("pdf",)])
def test_no_bytes_onto_a_terminal(abx, words):
    code, seen, error = on_terminal(abx, "browser", *words)
    assert code == 2 and seen == b"" and "terminal" in error


def test_the_console(abx, browser, site):
    browser("console")
    browser("open", site.url("/console"))
    lines = browser("console").out.splitlines()
    assert any(re.fullmatch(r"\d{4}-\d\d-\d\dT\S+Z error: an error", line) for line in lines), lines
    assert any("log: a log 1 true" in line for line in lines)
    assert browser("console").out == ""
    assert json.loads(abx("--json", "browser", "console").out) == {"logs": []}


def test_what_fails(abx, browser, site, tmp_path):
    browser("open", site.url("/form"))
    for words, code, said in (
            (("click", "#nothing", "--timeout", "0.2"), 5, "browser.click"),
            (("eval", "new Promise(() => {})", "--timeout", "0.2"), 124, "browser.evaluate"),
            (("eval", "throw new Error('thrown here')"), 1, "thrown here"),
            (("open", "file:///etc/passwd"), 2, "http"),
            (("open", site.url("/"), "--until", "never"), 2, "until"),
            (("open", site.url("/"), "--timeout", "x"), 2, "x"),
            (("open",), 2, "browser open"),
            (("shot", "--quality", "many"), 2, "many"),
            (("type", "#name", "x", "--delay", "-1"), 2, "-1"),
            (("fly",), 2, "browser")):
        done = abx("browser", *words)
        assert done.code == code and said in done.err and done.err.count("\n") == 1, (words, done)
    # A picture that fails leaves what was there.
    (tmp_path / "kept.png").write_text("kept")
    assert abx("browser", "shot", "kept.png", "-s", "#nothing").code == 5
    assert (tmp_path / "kept.png").read_text() == "kept"
    done = abx("browser", "shot", "none/x.png")
    assert done.code == 1 and "none/x.png" in done.err


def test_where_it_is_switched_off(make_server, tmp_path):
    done = Abx(make_server().url, tmp_path)("browser", "text")
    assert done.code == 4 and "browser" in done.err


def test_the_doctor(abx, make_server, tmp_path):
    found = abx("server", "doctor")
    assert found.code == 0 and re.search(r"^ok +browser +\S+", found.out, re.M), found
    # Nothing of that name on its PATH.
    bare = make_server(policy={"groups": {"browser": True}, "browser": {"path": "no-such-browser"}})
    missed = Abx(bare.url, tmp_path)("server", "doctor")
    assert missed.code == 0 and re.search(r"^note +browser +.*no-such-browser", missed.out, re.M), missed
    off = Abx(make_server().url, tmp_path)("server", "doctor")
    assert re.search(r"^note +browser +.*switched off", off.out, re.M), off
