# SPDX-License-Identifier: Apache-2.0
"""
The examples of docs/reference, as text out of the committed pages: each runs, and all four of an op give the same.

One process for each language and page, each with a server and a demo folder of its own.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
from lib.abx import abx_binary
from lib.parallel import together
from lib.server import ROOT, Server, printed

REFERENCE = ROOT / "docs/reference"
HERE = pathlib.Path(__file__).parent
OPS = {op["id"]: op for op in printed("describe", "--json")["ops"]}
FORMS = ("curl", "abx", "python", "typescript")
LANGUAGES = ["sh", "sh", "python", "ts"]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
DEADLINE = 110  # seconds for one language of one page

# What differs from call to call.
VARIES = {
    "pid", "id", "process", "session_id", "ws_url", "ticket", "started_at", "created_at", "last_activity", "modified", "etag", "inode",
    "duration_ms", "execution_time_ms", "cpu_seconds", "rss_bytes", "last_output_at", "commit"}
# Ops that tell of the moment: here only the names of the members are compared.
MOMENT = {"system.info", "system.metrics", "system.ports", "system.prometheus", "process.list", "terminal.list"}


def fences(text):
    return [(found.group(1), found.group(2)) for found in FENCE.finditer(text)]


def examples_of(page):
    """Setup by form, and {op: texts in the order of FORMS}."""
    head, *sections = re.split(r"^## (?=\w+(?:\.\w+)+$)", page.read_text(), flags=re.M)
    shell, python, typescript = (text for _, text in fences(head))
    found = {}
    for section in sections:
        name = section.partition("\n")[0]
        blocks = fences(section)
        assert [language for language, _ in blocks] == LANGUAGES, f"{name}: {blocks}"
        found[name] = [text for _, text in blocks]
    return dict(zip(FORMS, (shell, shell, python, typescript), strict=True)), found


class Place:
    """A server with a demo folder, a folder beside it to call from, and one language."""

    def __init__(self, form, folder, demo):
        self.form, self.folder = form, folder
        self.server = Server(policy={"profile": "full_access"}, token="demo-token")
        self.env = {**os.environ, "ABX_URL": self.server.url, "ABX_SERVER_TOKEN": "demo-token", "HOME": str(folder), "NODE_NO_WARNINGS": "1",
                    "PATH": f"{pathlib.Path(abx_binary()).parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT / "clients/python/src")}
        self.run("sh", "-e", "-c", demo)

    def run(self, *words, input=None):
        done = subprocess.run(words, input=input, capture_output=True, text=True, cwd=self.folder, env=self.env, timeout=DEADLINE)
        assert done.returncode == 0, f"{self.form}: {done.stdout[-2000:]}\n{done.stderr[-4000:]}"
        return done.stdout

    def shell(self, setup, texts):
        """Every example in a subshell of one shell.  A terminal's stream has no end, and its beginning more time than a reader has."""
        script = [setup]
        for number, text in enumerate(text.replace("--max-time 1 ", "--max-time 15 ") for text in texts):
            script.append(f"(\n{text}) >{number}.out 2>{number}.err; echo $? >{number}.code\n")
        self.run("sh", input="".join(script))
        for number, _ in enumerate(texts):
            read = {kind: (self.folder / f"{number}.{kind}").read_bytes() for kind in ("out", "err", "code")}
            yield read["out"], f"exit {read['code'].decode()}{read['err'].decode()}" if int(read["code"]) else None

    def python(self, setup, texts):
        for one in json.loads(self.run(sys.executable, str(HERE / "examples_in_python.py"), input=json.dumps([setup, *texts]))):
            yield one["out"], one["fault"]

    def typescript(self, setup, texts):
        """TypeScript without types is JavaScript."""
        body = "".join(f"await example(async () => {{\n{text}}});\n" for text in texts)
        (self.folder / "page.mjs").write_text(
            setup + "import { writeFileSync } from \"node:fs\";\nconst done = [];\nconst example = async (run) => {\n  const one = { out: [], fault: null };\n"
            "  done.push(one);\n  console.log = (value) => one.out.push(value);\n"
            "  await run().catch((fault) => (one.fault = String(fault.stack ?? fault)));\n};\n"
            + body + "writeFileSync(\"page.json\", JSON.stringify(done));\nprocess.exit(0);\n")
        self.run("node", *node_flags(), "page.mjs")
        for one in json.loads((self.folder / "page.json").read_text()):
            yield one["out"], one["fault"]

    def results(self, setup, examples):
        texts = [texts[FORMS.index(self.form)] for texts in examples.values()]
        run = {"curl": self.shell, "abx": self.shell, "python": self.python, "typescript": self.typescript}[self.form]
        return {name: self.result(OPS[name], *one) for name, one in zip(examples, run(setup, texts), strict=True)}

    def result(self, op, out, fault):
        """What an example gave, in the same shape for all; an exception where it failed."""
        if self.form == "curl" and op["kind"] == "ws":
            assert out.startswith(b"HTTP/1.1 101 "), f"{op['id']}: {out!r} {fault}"
            return None
        if self.form == "typescript" and op["kind"] == "ws" and node_major() < 20:
            assert "there is no WebSocket here" in fault
            return None
        assert fault is None, f"{op['id']} by {self.form}: {fault}"
        file = op["example"].get("file")
        if file and (op.get("raw") or {}).get("response"):
            return (self.folder / file).read_bytes()
        if self.form in ("python", "typescript"):
            return as_one(op, out)
        if op["kind"] == "ws":
            return None
        return as_one(op, parsed(self.form, op, out.decode()))


def parsed(form, op, text):
    if form == "curl" and op["kind"] == "sse":
        blocks = [dict(re.findall(r"^(\w+): (.*)$", block, re.M)) for block in text.split("\n\n")]
        return [{"event": block["event"], **json.loads(block["data"])} for block in blocks if "event" in block]
    if op["kind"] == "sse":
        return [{"event": line["event"], **line["data"]} for line in map(json.loads, text.splitlines())]
    if form == "curl" and op["id"] == "system.prometheus":
        return [{"text": text}]
    return [json.loads(text)]


def as_one(op, out):
    if op["kind"] == "ws":
        return {"event": out[-1]["event"]}  # of the last message: the rest is what the shell prints
    if op["kind"] == "sse":
        return out
    (value,) = out
    assert "wire_code" not in value, value
    return value


def comparable(value, scratch, key=""):
    if key in VARIES and not isinstance(value, (dict, list)):
        return f"<{key}>"
    if isinstance(value, dict):
        return {name: comparable(inner, scratch, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [comparable(inner, scratch, key) for inner in value]
    return value.replace(scratch, "SCRATCH") if isinstance(value, str) else value


def seen(op, place, value):
    if op["id"] in MOMENT:
        return sorted(value)
    if isinstance(value, bytes) and value.startswith(b"PK"):
        import io
        import zipfile
        return zipfile.ZipFile(io.BytesIO(value)).namelist()
    if isinstance(value, bytes) and value.startswith(b"%PDF-"):
        return value[:9], len(value) // 1000  # the rest tells when it was made
    return comparable(value, str(place.server.scratch))


def node_major():
    return int(subprocess.run(["node", "--version"], capture_output=True, text=True).stdout[1:].split(".")[0])


def node_flags():
    return ["--experimental-websocket"] if 20 <= node_major() < 22 else []


def test_every_op_is_on_a_page():
    there = [name for page in sorted(REFERENCE.glob("*.md")) for name in examples_of(page)[1]]
    assert sorted(there) == sorted(OPS)


STRICT = {
    "target": "ES2022", "module": "NodeNext", "moduleResolution": "NodeNext", "lib": ["ES2022", "DOM", "DOM.Iterable"], "types": [],
    "strict": True, "exactOptionalPropertyTypes": True, "noUncheckedIndexedAccess": True, "noEmit": True}
# What the examples need of Node, whose types are no part of the package.
NODE = """
declare module "node:fs/promises" {
  export function readFile(path: string): Promise<Uint8Array>;
  export function writeFile(path: string, data: Uint8Array): Promise<void>;
}
declare const process: { env: Record<string, string | undefined> };
"""


@pytest.mark.skipif(not shutil.which("node"), reason="Node is not installed")
def test_the_typescript_of_all_pages_is_strictly_typed(dist, tmp_path):
    pages = [examples_of(page) for page in sorted(REFERENCE.glob("*.md"))]
    body = [f"{{\n{texts[FORMS.index('typescript')]}}}\n" for _, examples in pages for texts in examples.values()]
    (tmp_path / "examples.ts").write_text(pages[0][0]["typescript"] + "".join(body))
    (tmp_path / "node.d.ts").write_text(NODE)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "tsconfig.json").write_text(json.dumps({"compilerOptions": STRICT, "files": ["node.d.ts", "examples.ts"]}))
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules/agent-sandbox").symlink_to(dist)
    done = subprocess.run([ROOT / "clients/typescript/node_modules/.bin/tsc", "-p", tmp_path], capture_output=True, text=True, timeout=110)
    assert done.returncode == 0, done.stdout


@pytest.fixture
def demo():
    (_, text), = fences((ROOT / "docs/reference.md").read_text())
    return text


@pytest.mark.skipif(not shutil.which("node"), reason="Node is not installed")
@pytest.mark.parametrize("group", sorted({op["group"] for op in OPS.values()}))
def test_the_examples_of_a_page(group, demo, dist, tmp_path):
    setups, examples = examples_of(REFERENCE / f"{group}.md")

    def run(form):
        folder = tmp_path / form
        (folder / "node_modules").mkdir(parents=True)
        (folder / "node_modules/agent-sandbox").symlink_to(dist)
        place = Place(form, folder, demo)
        try:
            return place, place.results(setups[form], examples)
        finally:
            place.server.stop()

    by_form = together(run, FORMS)
    for name in examples:
        given = {place.form: seen(OPS[name], place, results[name]) for place, results in by_form if results[name] is not None}
        first = next(iter(given.values()))
        for form, value in given.items():
            assert value == first, f"{name}: {form} and {next(iter(given))} differ"
