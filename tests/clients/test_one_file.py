# SPDX-License-Identifier: Apache-2.0
"""An op is one file: added there and in the list of ops, it is served, described, and in the client, with no other edit."""
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

import pytest

from lib.abx import abx_binary
from lib.server import ROOT, Server, binary, is_sanitized

OP = r'''
#include "call/call.h"

struct in { const char *name; int64_t times; };
struct out { const char *text; };

static const struct field params[] = {
	P_STRING(struct in, name, F_REQUIRED, "Whom to greet."),
	P_INT(struct in, times, 1, 1, 9, "How often."),
	FIELDS_END
};
static const struct field result[] = { R_STRING(struct out, text, "The greeting."), FIELDS_END };

static int work(struct call *call)
{
	const struct in *in = call_in(call, struct in);
	struct out *out = call_out(call, struct out);

	out->text = in->name;
	return 0;
}

const struct op op_demo_greet = {
	.id = "demo.greet", .group = "core", .scope = "core:read", .kind = OP_JSON, .method = "POST", .path = "/demo/greet",
	.since = "0.2.0", .summary = "Greet somebody.",
	.example = { .args = JSON_TEXT({"name": "you", "times": 2}) }, .effects = OP_READS | OP_IDEMPOTENT, .params = params,
	.params_size = sizeof(struct in), .result = result, .result_size = sizeof(struct out), .work = work,
};
'''
USE = '''
import sys
from agent_sandbox import ServerClient, errors, ops
srv = ServerClient(sys.argv[1])
assert srv.demo.greet_sync("you", times=2).text == "you" and ops.demo.greet in srv.ops
try:
    srv.demo.greet_sync("you", times=10)
except errors.ServerArgumentError:
    print("good")
'''
USE_TYPESCRIPT = '''
import { ServerClient, ServerArgumentError, ops } from "PACKAGE";
const client = new ServerClient(process.argv[2]);
const { text } = await client.demo.greet({ name: "you", times: 2 });
const refused = await client.demo.greet({ name: "you", times: 10 }).catch((error) => error);
if (text === "you" && ops.demo.greet === "demo.greet" && refused instanceof ServerArgumentError) console.log("good");
'''
TYPESCRIPT = ROOT / "clients/typescript"
# Of the build folder whose server is linked anew; it learns ops from the server alone.
ABX = abx_binary()


def linked_with(source, tmp_path):
    """The server that was built, linked anew with one op more."""
    build = pathlib.Path(binary()).parent
    if is_sanitized() or not (build / "build.ninja").exists() or not shutil.which("ninja"):
        pytest.skip("needs the folder of a plain build")
    folder = tmp_path / "src/ops"
    folder.mkdir(parents=True)
    (folder / "demo_greet.c").write_text(source)
    (folder / "ops.def").write_text((ROOT / "src/ops/ops.def").read_text() + "OP(op_demo_greet)\n")
    shutil.copy(ROOT / "src/ops/ops.c", folder)
    made = tmp_path / "agent-sandbox-server"
    commands = subprocess.run(["ninja", "-t", "commands", "agent-sandbox-server"], cwd=build, capture_output=True, text=True, check=True)
    link = shlex.split(commands.stdout.splitlines()[-1])
    link[link.index("-o") + 1] = str(made)
    own = ["-std=gnu17", "-D_GNU_SOURCE", f"-I{tmp_path}/src", f"-I{ROOT}/src", folder / "ops.c", folder / "demo_greet.c"]
    subprocess.run([link[0], *own, *link[1:]], check=True, timeout=60, cwd=build)
    return made


@pytest.fixture
def greeting_server(tmp_path, monkeypatch):
    monkeypatch.setenv("ABX_TEST_SERVER", str(linked_with(OP, tmp_path)))
    server = Server()
    yield server
    server.stop()


@pytest.fixture
def typescript(tmp_path, request):
    """The TypeScript package with the generated part of this server, compiled."""
    if not shutil.which("node"):
        return None
    request.getfixturevalue("dist")  # by then the compiler is there
    package = tmp_path / "package"
    shutil.copytree(TYPESCRIPT, package, ignore=shutil.ignore_patterns("node_modules", "dist"))
    (package / "node_modules").symlink_to((TYPESCRIPT / "node_modules").resolve())

    def build():
        for part in ("catalog", "client"):
            subprocess.run([binary(), "gen-client", "--lang", "ts", "--part", part, "-o", package / f"src/{part}.ts"], check=True)
        done = subprocess.run(["node_modules/.bin/tsc"], cwd=package, capture_output=True, text=True, timeout=100)
        assert done.returncode == 0, done.stdout
        return package / "dist/index.js"

    return build


def said(*words, **how):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=60, **how)
    assert (done.returncode, done.stderr) == (0, ""), done
    return done.stdout


def test_one_file_is_all(greeting_server, typescript, tmp_path):
    """Served, in GET /ops, in OpenAPI, in the docs, by `abx server call`, in Python and in TypeScript."""
    client, url = greeting_server.client(), greeting_server.url
    client.ops = {}
    ops = {op["id"]: op for op in json.loads(client.request("GET", "/ops").read())["ops"]}
    assert ops["demo.greet"]["summary"] == "Greet somebody."
    path = json.loads(client.request("GET", "/openapi.json").read())["paths"]["/demo/greet"]["post"]
    assert path["requestBody"]["content"]["application/json"]["example"] == {"name": "you", "times": 2}
    assert "demo.greet" in said(binary(), "describe")
    page = said(binary(), "describe", "--markdown", "core").partition("## demo.greet\n")[2]
    assert "| `times` | integer | 1 | How often. |" in page and "await client.demo.greet({ name: \"you\", times: 2 })" in page
    assert "`demo.greet`" in said(binary(), "describe", "--markdown", "index")
    abx = {"env": {**os.environ, "ABX_URL": url, "HOME": str(tmp_path)}}
    assert json.loads(said(ABX, "server", "call", "demo.greet", "--arg", "name=you", **abx)) == {"text": "you"}
    assert "Greet somebody." in said(ABX, "server", "describe", "demo.greet", **abx)
    package = tmp_path / "agent_sandbox"
    shutil.copytree(ROOT / "clients/python/src/agent_sandbox", package, ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.run([binary(), "gen-client", "--lang", "python", "-o", package / "_generated.py"], check=True)
    assert said(sys.executable, "-c", USE, url, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path)}) == "good\n"
    if typescript:
        (tmp_path / "use.mjs").write_text(USE_TYPESCRIPT.replace("PACKAGE", str(typescript())))
        assert said("node", "--no-warnings", "use.mjs", url, cwd=tmp_path) == "good\n"


def test_names_that_the_clients_need_are_refused(tmp_path):
    """`sb.server.register` is a member of its own, and no op may hide it; ext.* is reserved in the same list."""
    for number, name in enumerate(("ext", "register")):
        folder = tmp_path / str(number)
        made = linked_with(OP.replace('"demo.greet"', f'"{name}.greet"'), folder)
        done = subprocess.run([made, "gen-client", "--lang", "python"], capture_output=True, text=True, timeout=20)
        assert (done.returncode, done.stdout) == (1, "") and f"'{name}.greet': no op may be called so" in done.stderr


FOREIGN = r'''
static void write_foreign(struct json_writer *w, const struct err *err, const char *request_id)
{
	json_object_begin(w);
	json_key(w, "fault");
	json_string(w, err->text);
	json_key(w, "trace");
	json_string(w, request_id);
	json_object_end(w);
}
'''


def test_r111_an_op_of_another_public_api(tmp_path, monkeypatch):
    """Its columns: parameters that it does not know are passed over, and its errors have their own shape."""
    source = OP.replace("static int work", FOREIGN + "\nstatic int work", 1).replace(
        ".work = work,", ".work = work, .ignores_unknown = true, .error = write_foreign,").replace("call/call.h", "base/json_write.h\"\n#include \"call/call.h")
    monkeypatch.setenv("ABX_TEST_SERVER", str(linked_with(source, tmp_path)))
    with Server() as server:
        client = server.client()

        def post(route, **args):
            connection, reply = client.open("POST", route, json.dumps(args).encode())
            with connection:
                return reply, json.loads(reply.read())

        for route in ("/demo/greet", "/ops/demo.greet"):
            reply, answer = post(route, name="you", colour="red")
            assert (reply.status, answer) == (200, {"text": "you"})
            reply, answer = post(route, times=2)
            fault = {"fault": "demo.greet needs the parameter 'name'", "trace": reply.header("x-request-id")}
            assert (reply.status, answer) == (400, fault)
        reply, answer = post("/files/mkdir", path="x", colour="red")
        assert (reply.status, answer["wire_code"]) == (400, "args.unknown")
